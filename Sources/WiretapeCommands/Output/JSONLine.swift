// One JSON object on one line, its members in the order they are added: the order is part of what people read in the
// documentation. (Cassettes hold JSON too, with sorted keys; that is the format's business.)

import EventCassettes

/// Builds one line of JSON (RFC 8259).
struct JSONLine {
  private(set) var text = "{"

  /// The finished object; nothing in it acts on a terminal.
  var closed: String { String(decoding: escapingTerminalControls(Array((text + "}").utf8)), as: UTF8.self) }

  /// A text member.
  mutating func add(_ key: StaticString, _ value: String) {
    begin(key)
    text += quoted(value)
  }

  /// A text member that may be null.
  mutating func add(_ key: StaticString, _ value: String?) {
    begin(key)
    text += value.map(quoted) ?? "null"
  }

  /// A number that may be null.
  mutating func add(_ key: StaticString, _ value: (some BinaryInteger)?) {
    begin(key)
    text += value.map { String($0) } ?? "null"
  }

  /// A number.
  mutating func add(_ key: StaticString, _ value: some BinaryInteger) {
    begin(key)
    text += String(value)
  }

  /// A truth value.
  mutating func add(_ key: StaticString, _ value: Bool) {
    begin(key)
    text += value ? "true" : "false"
  }

  /// A member that is JSON already.
  mutating func add(_ key: StaticString, json: String) {
    begin(key)
    text += json
  }

  private mutating func begin(_ key: StaticString) {
    if text.utf8.count > 1 { text += "," }
    text += "\"\(key)\":"
  }
}

/// A JSON array of what is JSON already.
func jsonArray(_ items: [String]) -> String { "[" + items.joined(separator: ",") + "]" }

/// A JSON string with its quotation marks. Only what must be escaped is.
func quoted(_ value: String) -> String {
  var bytes: [UInt8] = [UInt8(ascii: "\"")]
  bytes.reserveCapacity(value.utf8.count + 2)
  let digits = Array("0123456789abcdef".utf8)
  for byte in value.utf8 {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 0x0A: bytes += Array("\\n".utf8)
    case 0x0D: bytes += Array("\\r".utf8)
    case 0x09: bytes += Array("\\t".utf8)
    case 0..<0x20: bytes += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    default: bytes.append(byte)
    }
  }
  bytes.append(UInt8(ascii: "\""))
  return String(decoding: bytes, as: UTF8.self)
}
