// Ways through the client that an app goes: several parts together, over a scripted transport and a clock that only the
// test moves. What needs real sockets, JSON or a disk is with EventSourceURLSession's tests.
import ServerSentEvents
import Testing

@Suite("An app's ways through the client", .timeLimit(.minutes(10)))
struct AppJourneyTests {
  let transport = ScriptedTransport()
  let clock = ManualClock()

  func makeSource(
    _ configuration: EventSourceConfiguration = EventSourceConfiguration(),
    _ change: (inout EventSourceEnvironment) -> Void = { _ in }
  ) -> EventSource {
    var environment = EventSourceEnvironment(transport: transport, clock: clock, jitter: { 0.5 })
    change(&environment)
    return EventSource(
      EventStreamRequest(url: "http://host/"), configuration: configuration, environment: environment)
  }

  @Test(
    "an Express-like server that sends an update every 500 ms is consumed as an AsyncStream, and cancelled")
  func express() async throws {
    let payloads: AsyncStream<String> = makeSource().payloads()
    let (seen, continuation) = AsyncStream.makeStream(of: String.self)
    let screen = Task { for await payload in payloads { continuation.yield(payload) } }
    let connection = try await transport.connection()
    connection.accept()
    var iterator = seen.makeAsyncIterator()
    for number in 1...20 {
      clock.advance(by: .milliseconds(500))
      connection.send("data: update \(number)\n\n")
      #expect(await iterator.next() == "update \(number)")
    }
    screen.cancel()
    await connection.closed()
  }

  @Test("a multi-field event arrives with all of its fields, however it is cut")
  func multiField() async throws {
    var events = makeSource().makeAsyncIterator()
    let transport = transport
    let server = Task {
      let connection = try await transport.connection()
      connection.accept()
      for byte in "event: tick\nid: 9\nretry: 700\ndata: one\ndata:\ndata: é\u{1F600}\n\n".utf8 {
        connection.send(.bytes([byte]))
      }
    }
    #expect(
      try await events.next()
        == ServerSentEvent(name: "tick", data: "one\n\né\u{1F600}", id: "9", retry: 700))
    try await server.value
  }

  @Test("resumes from a stored id and interval")
  func storedInterval() async throws {
    let policy = ReconnectionPolicy(.standard, initialDelay: .milliseconds(700))
    let source = makeSource(EventSourceConfiguration(policy: policy, lastEventID: "41"))
    let run = Task { for try await _ in source {} }
    let first = try await transport.connection()
    #expect(first.request.headers["Last-Event-ID"] == "41")
    first.accept()
    first.end()
    await clock.sleepers(1)
    #expect(clock.deadlines == [.milliseconds(700)])
    run.cancel()
    try await run.value
  }

  @Test("after one connection its last id and retry are there for a reconnection by hand")
  func manualReconnection() async throws {
    let source = makeSource(EventSourceConfiguration(mode: .oneShot))
    let run = Task { for try await _ in source {} }
    let connection = try await transport.connection()
    connection.accept("id: 8\nretry: 250\ndata: a\n\n")
    connection.end()
    try await run.value
    #expect(await source.lastEventID == "8")
    #expect(await source.retry == 250)
  }

  @Test("heartbeats within the inactivity timeout keep a connection; silence beyond it gives it up")
  func heartbeats() async throws {
    let coordinator = EventStreamCoordinator(
      EventStreamRequest(url: "http://host/"),
      environment: EventSourceEnvironment(transport: transport, clock: clock, jitter: { 0.5 }))
    let idle = try #require(EventStreamCoordinator.defaultConfiguration.idleTimeout)
    #expect(idle > .seconds(15) * 2)
    var events = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("a")
    let connection = try await transport.connection()
    connection.accept()
    for number in 0..<20 {
      connection.send(": heartbeat\n\ndata: \(number)\n\n")
      #expect(await events.next()?.data == "\(number)", "and the heartbeat is no event")
      clock.advance(by: .seconds(15))
      await clock.sleepers(1)
    }
    clock.advance(by: idle)
    await connection.closed()
  }

  @Test("the cached snapshot comes first, before any connection, then what is live")
  func snapshot() async throws {
    var values = makeSource().events(of: String.self, decode: { $0.data }).starting(with: "cached")
      .makeAsyncIterator()
    #expect(try await values.next() == "cached")
    let transport = transport
    let server = Task { try await transport.connection().accept("data: live\n\n") }
    #expect(try await values.next() == "live")
    try await server.value
    let nothing = AsyncStream<Int> { $0.finish() }.starting(with: nil)
    for await _ in nothing { Issue.record("there was nothing to start with") }
  }

  @Test("events are shown on the main actor by a loop of its own")
  @MainActor func mainActorLoop() async throws {
    let source = makeSource()
    var shown: [String] = []
    let server = Task { [transport] in try await transport.connection().accept("data: a\n\ndata: b\n\n") }
    for try await text in source.events(of: String.self, decode: { $0.data }) {
      MainActor.assertIsolated()
      shown.append(text)
      if shown.count == 2 { break }
    }
    #expect(shown == ["a", "b"])
    try await server.value
  }
}
