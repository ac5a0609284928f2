// An app's own event source on a cassette and a clock that advances itself.

import EventCassettes
import ServerSentEvents
import Testing

private let request = EventStreamRequest(url: "https://example.org/events")

private func makeSource(
  _ transport: ReplayTransport, _ clock: VirtualClock,
  configuration: EventSourceConfiguration = EventSourceConfiguration()
) -> EventSource {
  EventSource(
    request, configuration: configuration,
    environment: EventSourceEnvironment(transport: transport, clock: clock, jitter: { 0 }))
}

@Suite("A cassette as a transport", .timeLimit(.minutes(10)))
struct ReplayTransportTests {
  @Test(
    "an event source reads a session over a reconnect, hours of it at once, under every plan",
    arguments: ["recorded", "whole", "bytes:1", "hostile", "random:5"])
  func session(plan: String) async throws {
    let cassette = try makeCassette(
      makeExchange(["id: 1\ndata: a\n\nretry: 7200000\n\nda", "ta: b\r\n\r\n"], end: .reset)
        + makeExchange(["data: 😀\n\n", "data: d\n\n"], id: "1", after: 9_000_000, end: .cancelled))
    let clock = VirtualClock(advancesItself: true)
    let transport = ReplayTransport(cassette, plan: try ChunkBoundaryPlan(parsing: plan), clock: clock)
    var events: [String] = []
    for try await event in makeSource(transport, clock) { events.append(event.data) }
    #expect(events == ["a", "b", "😀", "d"])
    #expect(await transport.mismatches.isEmpty)
    #expect(await transport.playedExchanges == 2)
    // 2.002 s of the first exchange, the two hours that the server asked for, 2.002 s of the second.
    #expect(clock.now == .microseconds(2_002_000 + 7_200_000_000 + 2_002_000))
  }

  @Test("an idle timeout fires in a recorded silence, and only there", arguments: 0..<20)
  func idle(round: Int) async throws {
    let cassette = try makeCassette(
      makeExchange(["data: a\n\n"], end: nil) + [
        .chunk(Cassette.Chunk(delay: 44_000_000, bytes: Array(": beat\n\n".utf8))),
        .chunk(Cassette.Chunk(delay: 61_000_000, bytes: Array("data: late\n\n".utf8))),
        .end(Cassette.End(delay: 0, cause: .cancelled)),
      ] + makeExchange(["data: b\n\n"], after: 1_000, end: .cancelled))
    let clock = VirtualClock(advancesItself: true)
    let transport = ReplayTransport(cassette, clock: clock)
    let configuration = EventSourceConfiguration(idleTimeout: .seconds(45), delivery: .signals)
    var seen: [String] = []
    for await signal in makeSource(transport, clock, configuration: configuration).signals {
      switch signal {
      case .event(let event): seen.append(event.data)
      case .error(let error): seen.append("\(error.code)")
      case .open, .comment, .dropped, .gap, .reconnecting, .closed: break
      }
    }
    #expect(seen == ["a", "timedOut", "b", "cancelled"])
  }

  @Test("one connection more than recorded is answered with what is wrong, and the client ends")
  func beyond() async throws {
    let cassette = try makeCassette(makeExchange(["data: a\n\n"]))
    let clock = VirtualClock(advancesItself: true)
    let transport = ReplayTransport(cassette, name: "a.cassette", clock: clock)
    var events: [String] = []
    let error = await #expect(throws: EventSourceError.self) {
      for try await event in makeSource(transport, clock) { events.append(event.data) }
    }
    #expect(events == ["a"])
    #expect(error?.status == 404)
    let text = String(decoding: error?.body ?? [], as: UTF8.self)
    #expect(text.contains("request 2 is GET /events, but a.cassette holds one exchange, and all are played"))
    #expect(text.contains("wiretape record"))
    #expect(
      error?.description
        == "404 instead of an event stream: no server, but a replay answered; request 2 is GET /events, but a.cassette holds one exchange, and all are played; the closest is exchange 1, which fits but is not its turn; record it anew with: wiretape record --reconnect 'https://example.org/events' -o a.cassette --force"
    )
    #expect(await transport.mismatches.map(\.request) == [2])
  }

  @Test("or with a 204, if that is wanted")
  func afterwards() async throws {
    let cassette = try makeCassette(makeExchange(["data: a\n\n"]))
    let clock = VirtualClock(advancesItself: true)
    let transport = ReplayTransport(cassette, clock: clock, afterwards: .noContent)
    var events: [String] = []
    for try await event in makeSource(transport, clock) { events.append(event.data) }
    #expect(events == ["a"])
    #expect(await transport.mismatches.isEmpty)
  }

  @Test(
    "a request that is not the recorded one names what differs and what comes closest",
    arguments: [
      (
        EventStreamRequest(method: "POST", url: "http://127.0.0.1:1/events"),
        "expects method GET for exchange 1"
      ),
      (EventStreamRequest(url: "http://x/other?a=1"), "request 1 is GET /other?a=1, but"),
      (
        EventStreamRequest(url: "http://x/events", headers: [HeaderField("Last-Event-ID", "3")]),
        "expects no Last-Event-ID"
      ),
      (
        EventStreamRequest(url: "http://x/events", headers: [HeaderField("last-event-id", "1")]),
        "the closest is exchange 2, which fits but is not its turn"
      ),
    ])
  func mismatch(request: EventStreamRequest, expected: String) async throws {
    let cassette = try makeCassette(
      makeExchange(["id: 1\ndata: a\n\n"]) + makeExchange(["data: b\n\n"], id: "1"))
    let transport = ReplayTransport(cassette, clock: VirtualClock(advancesItself: true))
    for await _ in transport.connect(request) {}
    let mismatches = await transport.mismatches
    #expect(mismatches.count == 1)
    #expect(mismatches.first?.description.contains(expected) == true, "\(mismatches)")
    #expect(await transport.playedExchanges == 0)
  }

  @Test("a masked query value fits any")
  func masked() async throws {
    var records = makeExchange(["data: a\n\n"], end: .cancelled)
    records[0] = .request(Cassette.Request(url: "http://127.0.0.1/events?token=[FILTERED]&page=2"))
    let cassette = try makeCassette(records)
    for (url, fits) in [
      ("?token=x&page=2", true), ("?token=&page=2", true), ("?token=x&page=3", false), ("?page=2", false),
    ] {
      let transport = ReplayTransport(cassette, clock: VirtualClock(advancesItself: true))
      for await _ in transport.connect(EventStreamRequest(url: "https://h/events" + url)) {}
      #expect(await transport.mismatches.isEmpty == fits, "\(url)")
    }
  }

  @Test("redirect hops come as one connection")
  func redirect() async throws {
    let cassette = try makeCassette(
      makeExchange(["<html>"], status: 302, headers: [HeaderField("Location", "/other")])
        + makeExchange(["data: b\n\n"], after: 10, end: .cancelled))
    let clock = VirtualClock(advancesItself: true)
    let transport = ReplayTransport(cassette, clock: clock)
    var events: [String] = []
    for try await event in makeSource(transport, clock) { events.append(event.data) }
    #expect(events == ["b"])
    #expect(await transport.playedExchanges == 2)
  }

  @Test("a pace waits as recorded, scaled, and never longer than asked")
  func pace() async throws {
    let clock = VirtualClock(advancesItself: true)
    var pace = ReplayPace(speed: .times(10), maxIdle: .seconds(2), clock: clock)
    for at in [1, 2, 100, 101] { try await pace.wait(until: .seconds(at)) }
    // 0.1 + 0.1 + 2 (instead of 9.8) + 0.1
    #expect(clock.now == .milliseconds(2_300))
    var instant = ReplayPace(speed: .instant, clock: clock)
    try await instant.wait(until: .seconds(1_000))
    #expect(clock.now == .milliseconds(2_300))
  }
}
