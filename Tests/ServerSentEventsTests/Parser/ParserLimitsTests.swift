// What happens past the limits: at which byte, under which policy, and that memory stays within them.

import EventStreamFuzzing
import ServerSentEvents
import Testing

@Suite struct ParserLimitsTests {
  typealias Limits = EventStreamParser.Limits
  typealias Output = EventStreamParser.Output

  /// A stream, the limits, and where they strike: `nil` where it is just within them.
  struct Row: Sendable, CustomTestStringConvertible {
    var what: String
    var stream: String
    var limits: (line: Int, event: Int)
    var strikes: (code: EventStreamLimitError.Code, offset: Int)?
    var testDescription: String { what }
  }

  static let rows: [Row] = [
    Row(what: "a line of the limit", stream: "data: 67\n\n", limits: (8, 100), strikes: nil),
    Row(what: "a line of one more", stream: "data: 678\n\n", limits: (8, 100), strikes: (.lineTooLong, 9)),
    Row(what: "a line without an end", stream: "data: 678", limits: (8, 100), strikes: (.lineTooLong, 9)),
    Row(what: "an unknown field's line", stream: "xxxxxxxxx\n", limits: (8, 100), strikes: (.lineTooLong, 9)),
    Row(what: "a comment's line", stream: ":2345678901\n", limits: (8, 100), strikes: (.lineTooLong, 9)),
    Row(what: "a retry's line", stream: "retry:1234\n", limits: (8, 100), strikes: (.lineTooLong, 9)),
    Row(what: "a second line", stream: "data\ndata: 678\n\n", limits: (8, 100), strikes: (.lineTooLong, 14)),
    Row(
      what: "a line after a byte order mark", stream: "\u{FEFF}data: 678\n\n", limits: (8, 100),
      strikes: (.lineTooLong, 12)),
    Row(what: "the line end doesn't count", stream: "data: 67\r\n\r\n", limits: (8, 100), strikes: nil),
    Row(what: "data of the limit", stream: "data: 12345\n\n", limits: (100, 5), strikes: nil),
    Row(
      what: "data of one more", stream: "data: 123456\n\n", limits: (100, 5), strikes: (.eventTooLarge, 12)),
    Row(
      what: "the LF between data lines counts", stream: "data: 123\ndata: 56\n\n", limits: (100, 5),
      strikes: (.eventTooLarge, 18)),
    Row(
      what: "an empty data line where there is no room", stream: "data: 12345\ndata\n\n", limits: (100, 5),
      strikes: (.eventTooLarge, 17)),
    Row(what: "name and data together", stream: "event: ab\ndata: 123\n\n", limits: (100, 5), strikes: nil),
    Row(
      what: "name and data together, one more", stream: "event: ab\ndata: 1234\n\n", limits: (100, 5),
      strikes: (.eventTooLarge, 20)),
    Row(
      what: "the last name counts, not the sum", stream: "event: abcd\nevent: ab\ndata: 123\n\n",
      limits: (100, 5),
      strikes: nil),
    Row(what: "an ID", stream: "id: 123456\n\n", limits: (100, 5), strikes: (.eventTooLarge, 10)),
    Row(
      what: "blocks count apart", stream: "data: 12345\n\ndata: 12345\n\n", limits: (100, 5), strikes: nil),
    Row(
      what: "comments and unknown fields don't count to the event",
      stream: ": 1234567890\nx: 1234567890\ndata: 1\n\n",
      limits: (100, 5), strikes: nil),
  ]

  @Test("limits strike at the exact byte, whatever the cuts", arguments: rows)
  func offsets(row: Row) {
    let bytes = Array(row.stream.utf8)
    let (line, event) = row.limits
    for delivery in [.whole, .byteByByte(bytes.count)] + Delivery.everySplit(bytes.count) {
      let (outputs, parser) = run(bytes, delivery, Limits(line: line, event: event, policy: .fail))
      let expected = row.strikes.map {
        EventStreamLimitError(code: $0.code, limit: $0.code == .lineTooLong ? line : event, offset: $0.offset)
      }
      #expect(parser.failure == expected, "\(delivery)")
      #expect(
        outputs.contains { if case .failed = $0 { true } else { false } } == (expected != nil), "\(delivery)")
      if let expected { #expect(outputs.last == .failed(expected), "\(delivery)") }
    }
  }

  @Test("a failed parser gives nothing more until it is reset, and what came before stays")
  func failed() {
    let stream = Array("data: ok\n\ndata: too long\n\ndata: ok\n\n".utf8)
    for delivery in [Delivery.whole, .byteByByte(stream.count), .hostile(stream)] {
      var (outputs, parser) = run(stream, delivery, Limits(line: 10, event: 100, policy: .fail))
      let error = EventStreamLimitError(code: .lineTooLong, limit: 10, offset: 21)
      #expect(outputs == [.event(ServerSentEvent(data: "ok")), .failed(error)])
      #expect(parser.bytesConsumed == 21)
      #expect(parser.append(Array("data: x\n\n".utf8)).isEmpty)
      parser.finish()
      #expect(parser.failure == error)
      parser.reset()
      #expect(parser.append(Array("data: x\n\n".utf8)) == [.event(ServerSentEvent(data: "x"))])
    }
  }

  @Test("skipping drops the block alone, tells its bytes, and goes on after its blank line")
  func skipping() {
    let stream = Array("id: 1\ndata: a\n\nid: 2\ndata: too long\nretry: 5\n: c\n\r\ndata: b\n\n".utf8)
    for delivery in [.whole, .byteByByte(stream.count), .hostile(stream)] + Delivery.everySplit(stream.count)
    {
      let (outputs, parser) = run(stream, delivery, Limits(line: 10, event: 100, policy: .skipEvent))
      #expect(
        outputs == [
          .event(ServerSentEvent(data: "a", id: "1")),
          .dropped(bytes: 35),
          .event(ServerSentEvent(data: "b", lastEventID: "1")),
        ], "\(delivery)")
      #expect(parser.lastEventID == "1")
      #expect(parser.retry == nil)
    }
  }

  @Test("what was told of a block before it passed the limit stays told")
  func partlyTold() {
    let stream = Array(": c\nretry: 5\ndata: too long\n\n".utf8)
    let (outputs, parser) = run(
      stream, .byteByByte(stream.count), Limits(line: 10, event: 100, policy: .skipEvent))
    #expect(outputs == [.comment(" c"), .retry(milliseconds: 5), .dropped(bytes: stream.count)])
    #expect(parser.retry == 5)
  }

  @Test(
    "an endless line is held only up to the limit",
    arguments: ["data: ", "event: ", "id: ", ": ", "retry: ", "junk"])
  func endlessLine(beginning: String) {
    for policy in [Limits.Policy.fail, .skipEvent] {
      let limits = Limits(line: 4096, event: 1024, policy: policy)
      var parser = EventStreamParser(limits: limits)
      _ = parser.append(Array(beginning.utf8))
      let chunk = [UInt8](repeating: UInt8(ascii: "7"), count: 1000)
      for _ in 0..<100 {
        _ = parser.append(chunk)
        #expect(parser.bufferedBytes <= limits.line + limits.event)
      }
      if policy == .skipEvent {
        let outputs = parser.append(Array("\n\ndata: x\n\n".utf8))
        #expect(
          outputs == [.dropped(bytes: beginning.utf8.count + 100_002), .event(ServerSentEvent(data: "x"))])
      }
    }
  }

  @Test(
    "endless short lines are held only up to the limit",
    arguments: ["data: x\n", "event: x\n", "id: x\n", ": x\n"])
  func endlessLines(line: String) {
    let limits = Limits(line: 64, event: 256, policy: .skipEvent)
    var parser = EventStreamParser(limits: limits)
    let chunk = Array(String(repeating: line, count: 50).utf8)
    for _ in 0..<50 {
      _ = parser.append(chunk)
      #expect(parser.bufferedBytes <= limits.line + limits.event)
    }
  }

  private func run(
    _ bytes: [UInt8], _ delivery: Delivery, _ limits: Limits
  ) -> (outputs: [Output], parser: EventStreamParser) {
    var parser = EventStreamParser(limits: limits)
    let outputs = delivery.chunks(of: bytes).flatMap { parser.append($0) }
    return (outputs, parser)
  }
}
