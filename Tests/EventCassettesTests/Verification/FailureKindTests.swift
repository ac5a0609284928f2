// Kinds of failures: told apart, and kept while a stream is made small.

import EventCassettes
import ServerSentEvents
import Testing

private func event(_ data: String, type: String? = nil, id: String = "") -> ServerSentEvent {
  ServerSentEvent(name: type, data: data, lastEventID: id)
}

@Suite("Kinds of failures")
struct FailureKindTests {
  @Test(
    "texts differ in ways that are told apart",
    arguments: [
      ("a", "a", nil), ("a", "", .empty), ("a", "\u{FEFF}a", .byteOrderMarkKept),
      ("\u{FEFF}a", "a", .byteOrderMarkLost), ("a", " a", .spaceKept), (" a", "a", .spaceLost),
      ("a\nb", "a\r\nb", .lineEnds), ("a", "a\n", .lineEnds), ("é", "\u{FFFD}\u{FFFD}", .brokenCharacters),
      ("abc", "ab", .endLost), ("abc", "bc", .beginningLost), ("ab", "abc", .moreAfter),
      ("bc", "abc", .moreBefore),
      ("abc", "axc", .other), ("é", "e\u{301}", .other),
    ] as [(String, String, Reproduction.TextDifference?)])
  func texts(expected: String, got: String, difference: Reproduction.TextDifference?) {
    #expect(Reproduction.TextDifference(expected: expected, got: got) == difference)
  }

  @Test(
    "lists of events differ first in one event",
    arguments: [
      ([event("a")], [event("a")], nil), ([event("a"), event("b")], [event("a")], .missing),
      ([event("a"), event("b"), event("c")], [event("a"), event("c")], .missing),
      ([event(""), event("c")], [event("c")], .missingEmpty), ([], [event("a")], .extra),
      ([event("b")], [event("a"), event("b")], .extra), ([event("b")], [event(""), event("b")], .extraEmpty),
      ([event("a"), event("b")], [event("a"), event("a"), event("b")], .repeated),
      ([event("a", type: "x")], [event("a")], .type(.other)), ([event("ab")], [event("a")], .data(.endLost)),
      ([event("a", id: "1")], [event("a")], .lastEventID(.empty)),
    ] as [([ServerSentEvent], [ServerSentEvent], Reproduction.Difference?)])
  func events(expected: [ServerSentEvent], got: [ServerSentEvent], difference: Reproduction.Difference?) {
    #expect(Reproduction.Difference(expected: expected, got: got) == difference)
  }

  @Test("a cut falls into a part of the grammar")
  func cuts() {
    let text = "\u{FEFF}id: é\r\n:c\ndata: a\n\ndata\n"
    let bytes = Array(text.utf8)
    let places = (1..<bytes.count).map { CutPlace(of: $0, in: bytes) }
    #expect(
      places == [
        .byteOrderMark, .byteOrderMark, .name, .name, .name, .colon, .value, .character, .valueEnd, .lineEnd,
        .line, .colon, .valueEnd, .line, .name, .name, .name, .name, .colon, .value, .valueEnd, .blankLine,
        .line,
        .name, .name, .name, .name,
      ], "\(places)")
  }

  /// Two faults: it loses an event whose CRLF is cut, and the bytes of a character that is.
  private struct TwoFaults: EventStreamParsing {
    private var parser = EventStreamParser()
    private var endedWithCR = false

    mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
      if endedWithCR, chunk.first == 0x0A { parser.finish() }
      endedWithCR = chunk.last == 0x0D
      return parser.append(Array(String(decoding: chunk, as: UTF8.self).utf8)).compactMap {
        if case .event(let event) = $0 { event } else { nil }
      }
    }
  }

  @Test(
    "of two faults in one stream the one that was found is made small",
    arguments: [
      ("é", .data(.brokenCharacters), .character, #""data:\xC3|\xA9\n\n""#),
      ("\r\n", .missing, .lineEnd, #""data:a\r|\n\n""#),
    ] as [(String, Reproduction.Difference, CutPlace, String)])
  func sameFault(cutInside: String, difference: Reproduction.Difference, place: CutPlace, escaped: String)
    throws
  {
    let text = (1...20).map { "id: \($0)\r\nevent: tick\r\ndata: number \($0) é\r\n\r\n" }.joined()
    let bytes = Array(text.utf8)
    let needle = Array(cutInside.utf8)
    // Somewhere in the middle, where a line of data ends.
    let place0 = try #require(
      (bytes.count / 2..<bytes.count - needle.count).first {
        bytes[$0...].starts(with: needle) && (needle.count == 2 && needle[0] != 0x0D || bytes[$0 - 1] == 0xA9)
      })
    let body = ExchangeBody(bytes: bytes)
    let options = CheckOptions(plans: [.at([place0 + 1])], proves: false)
    let report = ParserCheck.check([body], options: options) { TwoFaults() }
    let finding = try #require(report.finding)
    let small = try #require(ParserCheck.minimized(finding, in: [body]) { TwoFaults() })
    #expect(small.kind.difference == difference && small.kind.cut == place && !small.kind.isUncut)
    #expect(small.reproduction.escaped == escaped)
  }
}
