// The encoder: the exact bytes it writes, what it refuses, and that the parser reads back what was written.

import EventStreamFuzzing
import ServerSentEvents
import Testing

@Suite struct EventStreamEncoderTests {
  typealias Code = EventStreamEncodingError.Code

  @Test(
    "events are written field by field",
    arguments: [
      (ServerSentEvent(data: "a"), "data: a\n\n"),
      (ServerSentEvent(data: ""), "data:\n\n"),
      (ServerSentEvent(data: " a"), "data:  a\n\n"),
      (ServerSentEvent(data: "a\n\nb\n"), "data: a\ndata:\ndata: b\ndata:\n\n"),
      (ServerSentEvent(data: "a\r\nb\rc"), "data: a\ndata: b\ndata: c\n\n"),
      (ServerSentEvent(data: "\u{301}"), "data: \u{301}\n\n"),
      (
        ServerSentEvent(name: "n", data: "a", id: "1", retry: 0), "event: n\nid: 1\nretry: 0\ndata: a\n\n"
      ),
      (ServerSentEvent(data: "a", id: ""), "id:\ndata: a\n\n"),
      (ServerSentEvent(name: "", data: "a"), "data: a\n\n"),
    ])
  func bytes(event: ServerSentEvent, text: String) throws {
    #expect(try EventStreamEncoder().encode(event) == Array(text.utf8))
    let crlf = text.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
    #expect(try EventStreamEncoder(lineEnd: .crlf).encode(event) == Array(crlf.utf8))
    let cr = Array(text.utf8).map { $0 == 0x0A ? 0x0D : $0 }
    #expect(try EventStreamEncoder(lineEnd: .cr).encode(event) == cr)
  }

  @Test("comments and reconnection times are blocks of their own")
  func otherBlocks() throws {
    let encoder = EventStreamEncoder()
    #expect(encoder.encode(comment: "") == Array(":\n\n".utf8))
    #expect(encoder.encode(comment: " a\r\nb") == Array(": a\n:b\n\n".utf8))
    #expect(try encoder.encode(retry: .max) == Array("retry: 9223372036854775807\n\n".utf8))
    var parser = EventStreamParser()
    #expect(parser.append(encoder.encode(comment: " a\nb")) == [.comment(" a"), .comment("b")])
  }

  @Test("a stream may begin with a byte order mark, and carries IDs that no event has")
  func streams() throws {
    let encoder = EventStreamEncoder(writesByteOrderMark: true)
    let events = [ServerSentEvent(data: "a", lastEventID: "5"), ServerSentEvent(data: "b", lastEventID: "5")]
    #expect(try encoder.encode(contentsOf: events) == Array("\u{FEFF}id: 5\n\ndata: a\n\ndata: b\n\n".utf8))
    #expect(EventStreamParser.events(in: try encoder.encode(contentsOf: events)) == events)
    #expect(try encoder.encode(contentsOf: []) == [0xEF, 0xBB, 0xBF])
  }

  @Test(
    "what would begin a field of its own, or be ignored, is refused",
    arguments: [
      (ServerSentEvent(name: "a\ndata: x", data: ""), Code.lineEndInName, 1),
      (ServerSentEvent(name: "a\r", data: ""), .lineEndInName, 1),
      (ServerSentEvent(name: "é\r\n", data: ""), .lineEndInName, 2),
      (ServerSentEvent(data: "", id: "1\n2"), .lineEndInID, 1),
      (ServerSentEvent(data: "", id: "\r"), .lineEndInID, 0),
      (ServerSentEvent(data: "", id: "12\0"), .nulInID, 2),
      (ServerSentEvent(data: "", retry: -1), .negativeRetry, 0),
    ] as [(ServerSentEvent, Code, Int)])
  func refusals(event: ServerSentEvent, code: Code, offset: Int) {
    let error = #expect(throws: EventStreamEncodingError.self) { try EventStreamEncoder().encode(event) }
    #expect(error?.code == code)
    #expect(error?.offset == offset)
  }

  @Test("an ID that came earlier is refused for the same reasons")
  func refusesEarlierID() {
    let error = #expect(throws: EventStreamEncodingError.self) {
      try EventStreamEncoder().encode(contentsOf: [ServerSentEvent(data: "", lastEventID: "a\nb")])
    }
    #expect(error?.code == .lineEndInID)
    #expect(error?.description.contains("byte 1") == true)
  }

  @Test(
    "what was written is read back the same, for events at random", arguments: 1...5 as ClosedRange<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let events = randomEvents(&generator)
      for lineEnd in EventStreamEncoder.LineEnd.allCases {
        let encoder = EventStreamEncoder(lineEnd: lineEnd, writesByteOrderMark: generator.below(2) == 0)
        let stream = try encoder.encode(contentsOf: events)
        #expect(EventStreamParser.events(in: stream) == events)
        var parser = EventStreamParser()
        let outputs = Delivery.random(stream.count, using: &generator).chunks(of: stream).flatMap {
          parser.append($0)
        }
        #expect(outputs.compactMap { if case .event(let event) = $0 { event } else { nil } } == events)
      }
    }
  }

  private func randomEvents(_ generator: inout SeededGenerator) -> [ServerSentEvent] {
    let pieces = [
      "a", " ", ":", "data: ", "\n", "\n\n", "\0", "\u{FEFF}", "é", "e\u{301}", "\u{301}", "日", "😀",
      "\u{2028}", "\t", "[DONE]",
    ]
    func text(_ most: Int, without excluded: Set<String> = []) -> String {
      let allowed = pieces.filter { !excluded.contains($0) }
      return (0..<generator.below(most + 1)).map { _ in generator.pick(allowed) }.joined()
    }
    var inEffect = ""
    return (0..<generator.below(5)).map { _ in
      let id = generator.below(3) == 0 ? text(3, without: ["\n", "\n\n", "\0"]) : nil
      inEffect = id ?? (generator.below(8) == 0 ? text(2, without: ["\n", "\n\n", "\0"]) : inEffect)
      return ServerSentEvent(
        name: generator.below(2) == 0 ? text(3, without: ["\n", "\n\n"]) : nil, data: text(6), id: id,
        lastEventID: inEffect, retry: generator.below(4) == 0 ? Int64(generator.next() >> 1) : nil)
    }
  }
}
