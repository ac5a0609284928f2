// The parser as a value that lives through several streams: finishing, resetting, equality, and its other ways in.

import EventStreamFuzzing
import ServerSentEvents
import Testing

@Suite struct ParserLifetimeTests {
  @Test("finish discards the unfinished block, tells its bytes, and keeps last event ID and retry")
  func finish() {
    var parser = EventStreamParser()
    _ = parser.append(bytes("id: 1\nretry: 50\ndata: a\n\nid: 2\ndata: b\n"))
    #expect(parser.finish() == 14)
    #expect(parser.lastEventID == "1")
    #expect(parser.retry == 50)
    #expect(parser == EventStreamParser(lastEventID: "1", retry: 50))
    #expect(parser.append(bytes("\n\n")).isEmpty)
  }

  @Test(
    "finish tells 0 after a blank line and everything before one",
    arguments: [
      ("", 0), ("data: a\n\n", 0), ("data: a\r\r", 0), ("data: a\r\n\r\n", 0), ("data: a\r\n\r", 0),
      ("\n\n\n", 0),
      ("\u{FEFF}", 0), ("\u{FEFF}data", 4), ("data: a", 7), ("data: a\n", 8), ("data: a\n\nid", 2),
      ("data: a\r\n\r\nx", 1),
    ])
  func finishCounts(stream: String, unfinished: Int) {
    let stream = bytes(stream)
    for delivery in [Delivery.whole, .byteByByte(stream.count)] {
      var parser = EventStreamParser()
      for chunk in delivery.chunks(of: stream) { _ = parser.append(chunk) }
      #expect(parser.finish() == unfinished)
    }
  }

  @Test("a stream after finish may begin with a byte order mark, or with an LF that belongs to nothing")
  func nextStream() {
    var parser = EventStreamParser()
    _ = parser.append(bytes("data: a\r"))
    parser.finish()
    #expect(parser.bytesConsumed == 0)
    #expect(parser.append(bytes("\u{FEFF}data: b\n\n")) == [.event(ServerSentEvent(data: "b"))])
    _ = parser.append(bytes("\r"))
    parser.finish()
    #expect(parser.append(bytes("\ndata: c\n\n")) == [.event(ServerSentEvent(data: "c"))])
    #expect(parser.bytesConsumed == 10)
  }

  @Test("reset leaves nothing but the limits")
  func reset() {
    let limits = EventStreamParser.Limits(line: 50, event: 60)
    var parser = EventStreamParser(limits: limits, lastEventID: "7", retry: 9)
    _ = parser.append(bytes("id: 8\nretry: 10\ndata: a\n\ndata: b\r"))
    parser.reset()
    #expect(parser == EventStreamParser(limits: limits))
    #expect(parser.lastEventID.isEmpty)
    #expect(parser.retry == nil)
  }

  @Test("an ID given at the beginning is in effect until an event changes it")
  func initialID() {
    var parser = EventStreamParser(lastEventID: "7")
    let outputs = parser.append(bytes("data: a\n\nid\ndata: b\n\n"))
    #expect(
      outputs == [
        .event(ServerSentEvent(data: "a", lastEventID: "7")), .event(ServerSentEvent(data: "b", id: "")),
      ])
    #expect(parser.lastEventID.isEmpty)
  }

  @Test(
    "each event has the ID in effect, whichever block and whichever chunk has set it",
    arguments: [
      // Another of the same length, by a block without data; as soon after the event as can be.
      ("id: a\ndata: 1\n\nid:b\n\ndata\n\n", ["a", "b"]),
      ("id: ab\ndata: 1\n\nid:cd\n\ndata\n\n", ["ab", "cd"]),
      // None, and one that is ignored.
      ("id: a\ndata: 1\n\nid\n\ndata\n\n", ["a", ""]), ("id: a\ndata: 1\n\nid: \0\n\ndata\n\n", ["a", "a"]),
      ("id: 0123456789\ndata\n\ndata\n\n:\n\ndata\n\n\ndata\n\n", Array(repeating: "0123456789", count: 4)),
    ])
  func idsInEffect(stream: String, expected: [String]) {
    let stream = bytes(stream)
    for delivery in [.whole, .byteByByte(stream.count)] + Delivery.everySplit(stream.count) {
      var parser = EventStreamParser()
      let ids = delivery.chunks(of: stream).flatMap { parser.append($0) }.compactMap(\.lastEventID)
      #expect(ids == expected, "\(delivery)")
    }
  }

  @Test("an ID that isn't UTF-8 is decoded for every event, and visiting in between loses none")
  func idBetweenCalls() {
    var parser = EventStreamParser(lastEventID: "x")
    let broken = bytes("id: ") + [0xFF] + bytes("\ndata\n\n")
    #expect(parser.append(broken + bytes("data\n\n")).map(\.lastEventID) == ["\u{FFFD}", "\u{FFFD}"])
    parser.visit(bytes("id: y\n\n").span) { _, _, _, _ in }
    #expect(parser.append(bytes("data\n\n")).map(\.lastEventID) == ["y"])
    parser.finish()
    #expect(parser.append(bytes("data\n\n")).map(\.lastEventID) == ["y"])
    parser.reset()
    #expect(parser.append(bytes("data\n\n")).map(\.lastEventID) == [""])
  }

  @Test("an ID is in effect once its block has ended, not before")
  func commit() {
    var parser = EventStreamParser()
    _ = parser.append(bytes("id: 1\ndata: a\n"))
    #expect(parser.lastEventID.isEmpty)
    _ = parser.append(bytes("\n"))
    #expect(parser.lastEventID == "1")
  }

  @Test("equality compares everything that a further byte could depend on")
  func equality() {
    let states = [
      "", "\n", "\r", "\u{FEFF}", "d", "data", "data:", "data: ", "data: a", "data:a", "data: a\n",
      "data: a\r", "data\n",
      "event: a", "event: a\n", "id: a", "id: a\n", "id\n", "retry: 1", "retry: 12", "retry: x", "retry: 1\n",
      ": a", ":", "junk-",
      "id: a\n\n", "data: a\n\n", "x", "\n\n",
    ].map { stream in
      var parser = EventStreamParser()
      _ = parser.append(bytes(stream))
      return (stream, parser)
    }
    for (index, a) in states.enumerated() {
      for b in states[(index + 1)...] {
        #expect(a.1 != b.1, "\(String(reflecting: a.0)) and \(String(reflecting: b.0))")
      }
    }
    #expect(EventStreamParser(limits: .init(line: 1)) != EventStreamParser(limits: .init(line: 2)))
    #expect(EventStreamParser(lastEventID: "e\u{301}") != EventStreamParser(lastEventID: "\u{E9}"))
    #expect(EventStreamParser(retry: 0) != EventStreamParser(retry: nil))
  }

  @Test(
    "retry takes ASCII digits alone and saturates",
    arguments: [
      ("0", 0), ("00", 0), ("007", 7), ("9223372036854775807", .max), ("9223372036854775808", .max),
      ("99999999999999999999999999", .max), ("0000000000000000000000000000001", 1), ("", nil), ("+5", nil),
      ("-5", nil),
      ("5 ", nil), (" 5", nil), ("1e3", nil), ("٣", nil), ("1\u{301}", nil),
    ] as [(String, Int64?)])
  func retry(value: String, milliseconds: Int64?) {
    let stream = bytes("retry: \(value)\ndata: x\n\n")
    for delivery in [.whole] + Delivery.everySplit(stream.count) {
      var parser = EventStreamParser()
      let outputs = delivery.chunks(of: stream).flatMap { parser.append($0) }
      #expect(parser.retry == milliseconds, "\(delivery)")
      let retry = milliseconds.map { [EventStreamParser.Output.retry(milliseconds: $0)] } ?? []
      #expect(outputs == retry + [.event(ServerSentEvent(data: "x", retry: milliseconds))], "\(delivery)")
    }
  }

  @Test("a huge number of digits costs no more than its bytes, and saturates")
  func hugeRetry() {
    var parser = EventStreamParser()
    _ = parser.append(bytes("retry: "))
    for _ in 0..<100 {
      _ = parser.append([UInt8](repeating: UInt8(ascii: "9"), count: 1000))
      #expect(parser.bufferedBytes == 0)
    }
    #expect(parser.append(bytes("\n")) == [.retry(milliseconds: .max)])
  }

  @Test("a stream can be fed line by line")
  func lines() {
    var parser = EventStreamParser()
    var outputs: [EventStreamParser.Output] = []
    for line in ["\u{FEFF}: hi", "event: e", "id: 1", "data: a", "data: b", "", "data: \u{301}", ""] {
      outputs += parser.append(line: line)
    }
    #expect(
      outputs == [
        .comment(" hi"),
        .event(ServerSentEvent(name: "e", data: "a\nb", id: "1")),
        .event(ServerSentEvent(data: "\u{301}", lastEventID: "1")),
      ])
  }

  @Test("the events of a whole stream")
  func wholeStream() {
    let events = EventStreamParser.events(in: bytes("data: a\n\ndata: b\r\r\ndata: never"))
    #expect(events == [ServerSentEvent(data: "a"), ServerSentEvent(data: "b")])
  }

  @Test("outputs and offsets through the callback, the borrowed view and the array agree")
  func waysIn() {
    let stream = bytes("\u{FEFF}: c\r\nid: 1\r\nretry: 5\r\ndata: a\r\n\r\ndata: b\n\n")
    var called: [EventStreamParser.Output] = []
    var offsets: [Int] = []
    var parser = EventStreamParser()
    parser.append(stream) { output, offset in
      called.append(output)
      offsets.append(offset)
    }
    #expect(offsets == [7, 24, 35, 45])
    var visitor = EventStreamParser()
    var visited: [Int] = []
    visitor.visit(stream.span) { visit, _, _, _ in visited.append(visit.offset) }
    #expect(visited == offsets)
    var array = EventStreamParser()
    #expect(array.append(stream) == called)
    #expect(array == parser && visitor == parser)
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}

extension EventStreamParser.Output {
  /// That of an event.
  fileprivate var lastEventID: String? {
    if case .event(let event) = self { event.lastEventID } else { nil }
  }
}
