// The stream of a finding as fuzz targets print it: on one line of a log, so that the very bytes can be read back. Pure.

enum EscapedStream {
  /// The bytes of a text such as `"data:\r\n\xFF"`; `nil` if it isn't one.
  static func bytes(of text: String) -> [UInt8]? {
    let quote = UInt8(ascii: "\"")
    let all = Array(text.utf8)
    guard all.count >= 2, all.first == quote, all.last == quote else { return nil }
    var bytes: [UInt8] = []
    var rest = all.dropFirst().dropLast()
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        bytes.append(byte)
        continue
      }
      switch rest.popFirst() {
      case UInt8(ascii: "n"): bytes.append(0x0A)
      case UInt8(ascii: "r"): bytes.append(0x0D)
      case UInt8(ascii: "x"):
        let digits = String(decoding: rest.prefix(2), as: UTF8.self)
        guard digits.utf8.count == 2, let value = UInt8(digits, radix: 16) else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      case let escaped? where escaped == quote || escaped == UInt8(ascii: "\\"): bytes.append(escaped)
      default: return nil
      }
    }
    return bytes
  }
}
