import ServerSentEvents
import Testing

@testable import EventCassettes

@Suite struct CassetteRecorderTests {
  private func makeRecorder(redaction: RedactionRules? = .standard) throws -> CassetteRecorder {
    try CassetteRecorder(to: CassetteWriter(inMemoryAtLevel: 1), header: Samples.header, redaction: redaction)
  }

  private func ms(_ count: Int64) -> Duration { .milliseconds(count) }

  private let request = EventStreamRequest(url: "http://h/e", body: Array("hello".utf8))

  @Test("a session with a redirect, a drop and a reconnect becomes exchanges with delays in microseconds")
  func session() throws {
    var recorder = try makeRecorder()
    try recorder.begin(request, at: .seconds(1_000))
    let target = EventStreamRequest(url: "http://h/f")
    try recorder.record(
      StampedTransportFact(
        at: .seconds(1_000) + ms(2), .redirect(EventStreamResponse(status: 302), to: target)))
    try recorder.record(
      StampedTransportFact(at: .seconds(1_000) + ms(5), .response(EventStreamResponse(status: 200))))
    try recorder.record(StampedTransportFact(at: .seconds(1_000) + ms(5), .bytes([65, 66])))
    try recorder.note(.networkLost, ["n": .integer(1)], at: .seconds(1_001))
    try recorder.record(
      StampedTransportFact(at: .seconds(1_001) + .nanoseconds(1_999), .ended(.reset, detail: "peer")))
    try recorder.begin(target, at: .seconds(1_003))
    try recorder.record(StampedTransportFact(at: .seconds(1_004), .ended(.unreachable, detail: "")))
    let trailer = try recorder.finish(at: .seconds(1_005))
    #expect(trailer.exchanges == 3)
    let cassette = try Cassette(bytes: recorder.bytes)
    #expect(cassette.isFinished)
    #expect(
      cassette.records.compactMap(\.delay) == [0, 2_000, 0, 0, 3_000, 0, 995_000, 1, 1_999_999, 1_000_000])
    #expect(cassette.exchanges.map { $0.end?.cause } == [.complete, .reset, .unreachable])
    #expect(cassette.exchanges[0].requestBody == Array("hello".utf8))
    #expect(cassette.exchanges[1].body == [65, 66])
    #expect(cassette.exchanges[2].response == nil)
  }

  @Test(
    "a 204 is complete with its head, though the client closes as soon as it sees it", arguments: [204, 200])
  func bodyless(status: Int) throws {
    var recorder = try makeRecorder()
    try recorder.begin(request, at: .zero)
    try recorder.record(StampedTransportFact(at: .zero, .response(EventStreamResponse(status: status))))
    try recorder.finish(at: ms(1))
    let cassette = try Cassette(bytes: recorder.bytes)
    #expect(cassette.exchanges.map { $0.end?.cause } == [status == 204 ? .complete : .cancelled])
  }

  @Test("time that goes back counts as standing still, and nothing overflows")
  func strangeStamps() throws {
    var recorder = try makeRecorder()
    try recorder.begin(request, at: .seconds(Int64.min))
    try recorder.record(
      StampedTransportFact(at: .seconds(Int64.max), .response(EventStreamResponse(status: 200))))
    try recorder.record(StampedTransportFact(at: .zero, .bytes([1])))
    try recorder.record(StampedTransportFact(at: .seconds(Int64.max), .bytes([2])))
    try recorder.finish(at: .zero)
    let cassette = try Cassette(bytes: recorder.bytes)
    #expect(cassette.records.compactMap(\.delay) == [0, (1 << 53) - 1, 0, 0, 0])
  }

  @Test("rounding to microseconds never adds up")
  func rounding() throws {
    var recorder = try makeRecorder()
    try recorder.begin(request, at: .zero)
    try recorder.record(StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 200))))
    for index in 1...1_000 {
      try recorder.record(StampedTransportFact(at: .nanoseconds(1_500 * index), .bytes([1])))
    }
    try recorder.finish(at: .nanoseconds(1_500_000))
    let cassette = try Cassette(bytes: recorder.bytes)
    #expect(cassette.exchanges[0].chunks.reduce(0) { $0 + $1.delay } == 1_500)
  }

  @Test("the first record is flushed at once, later ones at most every 250 ms while something waits")
  func flushes() throws {
    var recorder = try makeRecorder()
    #expect((recorder.flushDeadline as Duration?) == nil)
    try recorder.begin(request, at: ms(1_000))
    var written = [recorder.bytesWritten]
    #expect(written[0] > 0)
    let idle = recorder.flushDeadline
    #expect(idle == nil)
    for time in [1_001, 1_100, 1_249, 1_250, 1_300] as [Int64] {
      let fact: EventStreamTransportFact =
        time == 1_001 ? .response(EventStreamResponse(status: 200)) : .bytes([UInt8(time % 251)])
      try recorder.record(StampedTransportFact(at: ms(time), fact))
      written.append(recorder.bytesWritten)
    }
    #expect(written[1] == written[0] && written[2] == written[0] && written[3] == written[0])
    #expect(written[4] > written[3])
    #expect(written[5] == written[4])
    let deadline = recorder.flushDeadline
    #expect(deadline == ms(1_500))
    try recorder.flushIfDue(at: ms(1_499))
    var now = recorder.bytesWritten
    #expect(now == written[5])
    try recorder.flushIfDue(at: ms(1_500))
    now = recorder.bytesWritten
    #expect(now > written[5])
    // What is there without an end is all that was recorded.
    let bytes = recorder.bytes
    #expect(try read(bytes).records.count == 8)
  }

  @Test("a transport that breaks its promises breaks no cassette")
  func brokenTransport() throws {
    var recorder = try makeRecorder()
    try recorder.record(StampedTransportFact(at: .zero, .bytes([1])))  // outside a connection
    try recorder.begin(request, at: .zero)
    try recorder.record(StampedTransportFact(at: .zero, .bytes([1])))  // before the response
    try recorder.record(StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 100))))
    try recorder.record(StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 200))))
    try recorder.record(StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 200))))
    try recorder.record(StampedTransportFact(at: .zero, .bytes([])))
    try recorder.begin(request, at: .zero)
    try recorder.finish(at: .zero)
    let cassette = try Cassette(bytes: recorder.bytes)
    #expect(cassette.isFinished)
    #expect(cassette.exchanges.map { $0.end?.cause } == [.cancelled, .cancelled])
    #expect(cassette.notes.map(\.note.event.rawValue) == ["bytesBeforeResponse", "secondResponse"])
  }

  static let stamps: [(Int64, String)] = [
    (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
    (1_772_323_199, "2026-02-28T23:59:59Z"), (1_772_323_200, "2026-03-01T00:00:00Z"),
    (-1, "1969-12-31T23:59:59Z"),
    (253_402_300_799, "9999-12-31T23:59:59Z"), (.max, "9999-12-31T23:59:59Z"), (.min, "0001-01-01T00:00:00Z"),
  ]

  @Test("moments are written as RFC 3339", arguments: stamps)
  func timestamps(seconds: Int64, text: String) {
    #expect(Cassette.Header.timestamp(unixSeconds: seconds) == text)
  }
}
