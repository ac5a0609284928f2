// Finds the values of secret items in a line of data that is a form (`a=b&token=…`), while it comes in.
//
// A line is taken for a form as long as it is `name=value&…` without white space, quotes and brackets. Whether it is one
// shows only at its first `&`, and nothing can wait for that. So the first item is masked under the names that are masked
// in JSON, too (`password=…`); those that may as well be something else (`key=left`) count from the second item on.

struct FormLineLexer: Sendable {
  private let sureNames: Set<[UInt8]>
  private let names: Set<[UInt8]>
  private var form: FormLexer
  /// Whether what came of the line so far may be a form.
  private(set) var isActive = false

  init(names: Set<[UInt8]>, sureNames: Set<[UInt8]>) {
    self.sureNames = sureNames
    self.names = names
    form = FormLexer(names: sureNames)
  }

  /// A line begins.
  mutating func begin() {
    form = FormLexer(names: sureNames)
    isActive = true
  }

  /// Takes the next byte of the line, or its end; true if it is masked.
  ///
  /// - Parameter finished: gets the name and the spelled value of a secret item that ended.
  mutating func feed(_ byte: UInt8, finished: (_ name: [UInt8], _ value: [UInt8]) -> Void) -> Bool {
    // Of a secret everything up to the item's end is masked, also what should have been encoded.
    let belongs =
      form.isSecret ? byte > 0x20 : Self.isInForms(byte) && form.name.count <= FormLexer.longestName
    if !belongs || (byte == UInt8(ascii: "&") && !form.inValue) {
      finish(finished)
      return false
    }
    let isMasked = form.feed(byte, finished: finished)
    if byte == UInt8(ascii: "&") { form = FormLexer(names: names) }
    return isMasked
  }

  /// The line breaks off.
  mutating func finish(_ finished: (_ name: [UInt8], _ value: [UInt8]) -> Void) {
    if isActive { form.finish(finished) }
    isActive = false
  }

  private static func isInForms(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
    default: punctuation.contains(byte)
    }
  }

  private static let punctuation = Set("=&%+-_.~*!$,:/@".utf8)
}
