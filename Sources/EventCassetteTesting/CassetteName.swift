// Names for cassettes that a test didn't name: from where the test is, and for which case it runs. Equal on every file
// system, different for whatever differs.

enum CassetteName {
  /// A name such as `OrderTests/testOrders`, or `OrderTests/orders-paid` for a case.
  ///
  /// - Parameters:
  ///   - fileID: the test's `#fileID`, whose file name becomes a folder.
  ///   - function: the test's `#function`.
  ///   - value: what the test's case is told apart by, such as its argument.
  static func automatic(fileID: String, function: String, case value: String?) -> String {
    let file = fileID.split(separator: "/").last.map(String.init) ?? fileID
    let folder = file.hasSuffix(".swift") ? String(file.dropLast(6)) : file
    let name = function.hasSuffix("()") ? String(function.dropLast(2)) : function
    // Names of files and functions are not told apart by case alone in practice; values are.
    return plain(folder, hashed: false) + "/" + plain(name, hashed: false)
      + (value.map { "-" + plain($0, hashed: true) } ?? "")
  }

  /// Letters, digits, `_` and `-`, at most 48 of them; where that or the case of letters would make two equal, a hash
  /// keeps them apart.
  private static func plain(_ text: String, hashed: Bool) -> String {
    var plain = ""
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x2D:
        plain.unicodeScalars.append(Unicode.Scalar(byte))
      case _: if plain.last != "-" { plain.append("-") }
      }
    }
    plain = String(plain.prefix(48))
    while plain.last == "-" { plain.removeLast() }
    let isSame = plain == text && (!hashed || plain == plain.lowercased())
    return isSame || (!hashed && text.utf8.count <= 48) ? plain : plain + "-" + hash(text)
  }

  /// FNV-1a: the same in every run, which `Hasher` is not.
  private static func hash(_ text: String) -> String {
    let hash = text.utf8.reduce(UInt32(0x811C_9DC5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits
  }
}
