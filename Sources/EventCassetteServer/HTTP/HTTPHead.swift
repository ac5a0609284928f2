// The head of a message of HTTP/1.1 (RFC 9112): collecting its bytes within a bound, and reading lines and fields out
// of it. Pure. Read strictly: what two programs could read differently (bare CR or LF, folded lines, a space before the
// colon) is refused, because this server also stands in front of others.

import ServerSentEvents

/// A header field as it came, with the value's bytes.
public struct ReceivedField: Hashable, Sendable {
  /// The field's name as sent.
  public var name: String
  /// The value's bytes without the white space around it.
  public var bytes: [UInt8]

  /// Creates a field.
  public init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  /// The value as UTF-8, with U+FFFD for bytes that aren't.
  public var value: String { String(decoding: bytes, as: UTF8.self) }
}

/// Why a message is refused: the status that answers it and a sentence for people.
struct HTTPRefusal: Error, Hashable, Sendable {
  var status: Int
  var reason: String
}

/// Collects bytes until the blank line that ends a head.
struct HTTPHeadCollector: Hashable, Sendable {
  let limit: Int
  private(set) var bytes: [UInt8] = []
  /// Bytes of earlier heads and of empty lines: without end, they are too long together.
  private var passedOver = 0

  init(limit: Int) { self.limit = limit }

  /// Passes over the head that was read: it was an interim one, and another follows.
  mutating func beginNext() {
    passedOver += bytes.count
    bytes = []
  }

  /// Takes bytes up to the end of the head; returns those after it, or `nil` if the head isn't complete.
  mutating func append(_ input: ArraySlice<UInt8>) throws(HTTPRefusal) -> ArraySlice<UInt8>? {
    var index = input.startIndex
    while index < input.endIndex {
      let byte = input[index]
      index += 1
      guard passedOver + bytes.count < limit else {
        throw HTTPRefusal(status: 431, reason: "the head is longer than \(limit) bytes")
      }
      // RFC 9112, section 2.2: empty lines before the request line are passed over.
      if bytes.isEmpty, byte == .cr || byte == .lf {
        passedOver += 1
        continue
      }
      bytes.append(byte)
      if byte == .lf, bytes.suffix(4).elementsEqual([.cr, .lf, .cr, .lf]) { return input[index...] }
    }
    return nil
  }
}

/// A head taken apart.
struct HTTPHead: Hashable, Sendable {
  var startLine: String
  var fields: [ReceivedField]

  /// Reads a head that ends with its blank line.
  init(_ bytes: [UInt8]) throws(HTTPRefusal) {
    var lines = try Self.lines(bytes)
    let first = lines.removeFirst()
    guard first.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw HTTPRefusal(status: 400, reason: "a control character in the first line")
    }
    startLine = String(decoding: first, as: UTF8.self)
    fields = []
    for line in lines { fields.append(try Self.field(line)) }
  }

  /// The values of a field, names compared without case.
  func values(of name: String) -> [String] { fields.values(of: name) }

  private static func lines(_ bytes: [UInt8]) throws(HTTPRefusal) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    for index in bytes.indices where bytes[index] == .lf {
      guard index > start, bytes[index - 1] == .cr else {
        throw HTTPRefusal(status: 400, reason: "a line feed without a carriage return")
      }
      let line = bytes[start..<index - 1]
      if line.contains(.cr) { throw HTTPRefusal(status: 400, reason: "a carriage return within a line") }
      if line.isEmpty { break }
      lines.append(line)
      start = index + 1
    }
    if lines.isEmpty { throw HTTPRefusal(status: 400, reason: "an empty head") }
    return lines
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> ReceivedField {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
      line[..<colon].allSatisfy(\.isToken)
    else {
      throw HTTPRefusal(status: 400, reason: "a header line that is no field (or is folded)")
    }
    guard !line.contains(0) else { throw HTTPRefusal(status: 400, reason: "a NUL in a header field") }
    return ReceivedField(
      name: String(decoding: line[..<colon], as: UTF8.self), bytes: Array(line[(colon + 1)...].trimmed))
  }
}

extension [ReceivedField] {
  /// Every value of the named field in order, names compared without ASCII case.
  func values(of name: String) -> [String] {
    filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
  }
}

extension UInt8 {
  static let cr = UInt8(ascii: "\r")
  static let lf = UInt8(ascii: "\n")

  /// Whether it may stand in a token (RFC 9110, section 5.6.2).
  var isToken: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(self)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Without spaces and tabs at both ends.
  var trimmed: ArraySlice<UInt8> {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let front = drop(while: isSpace)
    guard let last = front.lastIndex(where: { !isSpace($0) }) else { return front.prefix(0) }
    return front[...last]
  }
}

extension String {
  /// The number, if these are ASCII digits only and it fits.
  var asDecimal: Int? {
    guard !isEmpty, utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return Int(self)
  }
}
