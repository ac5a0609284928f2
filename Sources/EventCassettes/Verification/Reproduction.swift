// A small failing stream as text: for people an escaped string with a bar at each cut, for a test file a function that
// holds it. Both read back to the same bytes.

public import ServerSentEvents

/// A failing stream, small enough to read, and what it shows.
public struct Reproduction: Hashable, Sendable {
  /// The chunks to feed, in order.
  public var chunks: [[UInt8]]
  /// What should come.
  public var expected: [ServerSentEvent]
  /// What came.
  public var got: [ServerSentEvent]

  /// Creates a reproduction.
  public init(chunks: [[UInt8]], expected: [ServerSentEvent], got: [ServerSentEvent]) {
    self.chunks = chunks
    self.expected = expected
    self.got = got
  }

  /// The stream as an escaped string with a bar at each cut, such as `"data: a\r|\n\r\n"`. A bar of the stream's own
  /// is written `\u{7C}`.
  public var escaped: String {
    "\"" + chunks.map { Self.escaped($0, bar: true) }.joined(separator: "|") + "\""
  }

  /// How a test function calls the parser under test.
  public enum ParserCalls: Hashable, Sendable {
    /// `feed(chunk)` gives events with `type`, `data` and `lastEventID`: as the subject that `wiretape fuzz init` writes
    /// calls it. What differs in the parser's own names is changed in one line.
    case feed
    /// `append(chunk)` and `end()`, as a parser has them that is `EventStreamParsing` and gives `ServerSentEvent`s.
    case eventStreamParsing
  }

  /// A test function that feeds the chunks to a parser and compares the events.
  ///
  /// - Parameters:
  ///   - name: the function's name without `test`, such as `SplitCRLF`.
  ///   - makeParser: source text that makes the parser under test.
  ///   - calls: how that is called.
  public func xctest(
    named name: String, makeParser: String = "MyParser()", calling calls: ParserCalls = .feed
  ) -> String {
    let feeding =
      switch calls {
      case .feed: "chunks.flatMap { parser.feed($0) }"
      case .eventStreamParsing: "chunks.flatMap { parser.append($0) } + parser.end()"
      }
    let lines = chunks.map { "    " + Self.literal($0) }.joined(separator: ",\n")
    let events = expected.map { "    " + Self.literal($0) }.joined(separator: ",\n")
    return """
      func test\(name)() {
        // \(escaped)
        var parser = \(makeParser)
        let chunks: [[UInt8]] = [
      \(lines)
        ]
        let events = \(feeding)
        XCTAssertEqual(events.map { [$0.type, $0.data, $0.lastEventID] }, [
      \(events)
        ])
      }

      """
  }

  /// Bytes as source text of a `[UInt8]`.
  package static func literal(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    guard text.utf8.elementsEqual(bytes) else {
      let digits = bytes.map { "0x" + (($0 < 16) ? "0" : "") + String($0, radix: 16, uppercase: true) }
      return "[\(digits.joined(separator: ", "))]"
    }
    return "Array(\"\(escaped(bytes, bar: false))\".utf8)"
  }

  /// Text as source text of a `String`.
  package static func literal(_ text: String) -> String { "\"\(escaped(Array(text.utf8), bar: false))\"" }

  private static func literal(_ event: ServerSentEvent) -> String {
    "[\(literal(event.type)), \(literal(event.data)), \(literal(event.lastEventID))]"
  }

  /// A Swift string literal's inside: control characters, quotes and what can't be seen are escaped. Bytes that
  /// aren't UTF-8 are `\xNN`, which no Swift literal has: only for people.
  private static func escaped(_ bytes: [UInt8], bar: Bool) -> String {
    var text = ""
    var rest = bytes[...]
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      let character = String(decoding: rest.prefix(length), as: UTF8.self)
      if let scalar = character.unicodeScalars.first, character.utf8.elementsEqual(rest.prefix(length)) {
        text += escaped(scalar, bar: bar)
        rest = rest.dropFirst(length)
      } else {
        text += "\\x" + String(first, radix: 16, uppercase: true)
        rest = rest.dropFirst()
      }
    }
    return text
  }

  private static func escaped(_ scalar: Unicode.Scalar, bar: Bool) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    case "\0": "\\0"
    case "\"": "\\\""
    case "\\": "\\\\"
    case "|" where bar: "\\u{7C}"
    default:
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .nonspacingMark, .privateUse, .unassigned:
        "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      case _: String(scalar)
      }
    }
  }
}
