// The same in Swift Testing, with parameters, a trait, and an app's own event source on a recorded session.

import EventCassetteTesting
import EventCassettes
import ServerSentEvents
import Testing

@Suite("Recorded sessions in Swift Testing")
struct SwiftTestingExample {
  @Test(
    "a recorded session gives its golden events under every plan",
    arguments: ["order-status", "llm-tokens", "build-log"])
  func golden(name: String) {
    assertReplays("../../Corpus/cassettes/\(name)")
  }

  @Test(
    "an app's event source sees each order state once, over the drop",
    .cassette("../../Corpus/cassettes/order-status"))
  func orders() async throws {
    let cassette = try #require(Cassette.current)
    let clock = VirtualClock(advancesItself: true)
    let transport = ReplayTransport(cassette, plan: .bytes(1), clock: clock)
    let source = EventSource(
      EventStreamRequest(url: "https://shop.example/orders"),
      environment: EventSourceEnvironment(transport: transport, clock: clock))
    var states: [String] = []
    for try await event in source {
      #expect(event.type == "order")
      states.append(event.data)
    }
    #expect(
      states.map { $0.split(separator: "\"")[7] } == ["placed", "paid", "packed", "shipped", "delivered"])
    #expect(await source.lastEventID == "5")
    #expect(await transport.mismatches.isEmpty)
  }

  @Test(
    "the trait sets the record mode for its test",
    .cassette("../../Corpus/cassettes/build-log", record: .never))
  func recordMode() throws {
    #expect(try #require(Cassette.current).exchanges.count == 1)
    #expect(checkReplay("../../Corpus/cassettes/build-log").recorded == nil)
  }
}
