// The coordinator as an app uses it: scenes, subscribers, credentials and the network, over a scripted transport and a
// clock that only the test moves.
import ServerSentEvents
import Testing

@Suite("The coordinator", .timeLimit(.minutes(10)))
struct CoordinatorTests {
  let transport = ScriptedTransport()
  let clock = ManualClock()

  func makeCoordinator(
    repeats: Int = 0, _ change: (inout EventSourceEnvironment) -> Void = { _ in }
  ) -> EventStreamCoordinator {
    var environment = EventSourceEnvironment(transport: transport, clock: clock, jitter: { 0.5 })
    change(&environment)
    return EventStreamCoordinator(
      EventStreamRequest(url: "http://host/orders"),
      configuration: EventSourceConfiguration(policy: .resilient),
      environment: environment, repeats: repeats)
  }

  /// Takes states up to the one that is waited for, and gives back all of them.
  func until(
    _ state: EventStreamConnectionState, _ states: AsyncStream<EventStreamConnectionState>
  ) async -> [EventStreamConnectionState] {
    var seen: [EventStreamConnectionState] = []
    for await next in states {
      seen.append(next)
      if next == state { break }
    }
    return seen
  }

  @Test(
    "one connection while at least one scene is active, closed in the background, resumed in the foreground")
  func scenes() async throws {
    let coordinator = makeCoordinator()
    let states = coordinator.states()
    var events = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("phone")
    coordinator.sceneActivated("car")
    let first = try await transport.connection()
    first.accept("id: 1\ndata: a\n\n")
    #expect(await events.next()?.data == "a")
    #expect(await until(.connected, states) == [.disconnected(.inactive), .connecting, .connected])
    coordinator.sceneDeactivated("phone")
    coordinator.sceneDeactivated("phone")
    coordinator.sceneDeactivated("nobody")
    first.send("id: 2\ndata: b\n\n")
    #expect(await events.next()?.data == "b", "the car still looks")
    coordinator.sceneDeactivated("car")
    await first.closed()
    #expect(await until(.disconnected(.inactive), states) == [.disconnected(.inactive)])
    coordinator.sceneActivated("phone")
    let second = try await transport.connection()
    #expect(second.request.headers["Last-Event-ID"] == "2")
    second.accept("id: 3\ndata: missed in the background\n\n")
    #expect(await events.next()?.data == "missed in the background")
    #expect(await until(.connected, states) == [.connecting, .connected])
  }

  @Test(
    "states are distinct, and observable by many; a loss is reconnecting until there is a connection again")
  func reconnecting() async throws {
    let coordinator = makeCoordinator()
    let watchers = (0..<3).map { _ in coordinator.states() }
    coordinator.sceneActivated("a")
    let first = try await transport.connection()
    first.accept()
    first.end(.reset)
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    try await transport.connection().accept()
    for watcher in watchers {
      #expect(await until(.connected, watcher).count == 3)
      #expect(await until(.connected, watcher) == [.reconnecting, .connected])
    }
  }

  @Test("pending reconnects are cancelled when the network goes; its return connects at once")
  func network() async throws {
    let coordinator = makeCoordinator()
    let states = coordinator.states()
    coordinator.sceneActivated("a")
    let first = try await transport.connection()
    first.accept()
    first.end(.truncated)
    await clock.sleepers(1)
    coordinator.networkLost()
    await clock.sleepers(0)
    _ = await until(.disconnected(.offline), states)
    coordinator.networkRestored()
    try await transport.connection().accept()
    #expect(await until(.connected, states) == [.connecting, .connected])
  }

  @Test("different resources together: each subscriber gets its own events, all from one connection")
  func multicast() async throws {
    let coordinator = makeCoordinator()
    var orders = coordinator.events(where: { $0.type == "order" }).makeAsyncIterator()
    var chats = coordinator.events(where: { $0.type == "chat" }).makeAsyncIterator()
    var all = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("a")
    let connection = try await transport.connection()
    connection.accept("event: order\ndata: 1\n\nevent: chat\ndata: 2\n\n: beat\n\nevent: order\ndata: 3\n\n")
    #expect(await orders.next()?.data == "1")
    #expect(await orders.next()?.data == "3")
    #expect(await chats.next()?.data == "2")
    for expected in ["1", "2", "3"] { #expect(await all.next()?.data == expected) }
  }

  @Test("a screen takes events only while its scene is active, and learns how many it missed")
  func hidden() async throws {
    let coordinator = makeCoordinator()
    let (misses, continuation) = AsyncStream.makeStream(of: EventStreamMiss.self)
    let screen = coordinator.events(in: "phone", onMiss: { continuation.yield($0) })
    var phone = screen.makeAsyncIterator()
    var car = coordinator.events(in: "car").makeAsyncIterator()
    coordinator.sceneActivated("phone")
    coordinator.sceneActivated("car")
    let connection = try await transport.connection()
    connection.accept("data: 1\n\n")
    #expect(await phone.next()?.data == "1")
    #expect(await car.next()?.data == "1")
    coordinator.sceneDeactivated("phone")
    let states = coordinator.states()
    for await _ in states { break }  // facts are taken in order: the phone's screen is hidden now
    connection.send("data: 2\n\ndata: 3\n\n")
    for expected in ["2", "3"] { #expect(await car.next()?.data == expected) }
    let returning = Task { await screen.first { _ in true }?.data }
    coordinator.sceneActivated("phone")
    var iterator = misses.makeAsyncIterator()
    #expect(await iterator.next() == .hidden(count: 2))
    connection.send("data: 4\n\n")
    #expect(await returning.value == "4")
  }

  @Test("a slow subscriber's buffer is bounded: the oldest are dropped and counted, others lose nothing")
  func bounded() async throws {
    let coordinator = makeCoordinator()
    let (misses, continuation) = AsyncStream.makeStream(of: EventStreamMiss.self)
    var slow = coordinator.events(capacity: 2, onMiss: { continuation.yield($0) }).makeAsyncIterator()
    var fast = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("a")
    try await transport.connection().accept(
      (1...5).map { "data: \($0)\n\n" }.joined() + "event: end\ndata: 6\n\n")
    for number in 1...6 { #expect(await fast.next()?.data == "\(number)") }
    // Whichever subscriber is handed an event first: the sixth is in both inboxes before anybody asks for a seventh.
    while await slow.next()?.data != "6" {}
    continuation.finish()
    var missed = 0
    for await miss in misses { if case .overflow(let count) = miss { missed += count } }
    #expect(missed >= 3)
  }

  @Test(
    "login, logout and token refresh make the connection anew; another account knows nothing of the last one's ID"
  )
  func credentials() async throws {
    let store = MemoryLastEventIDStore("40")
    let coordinator = makeCoordinator { $0.store = store }
    let states = coordinator.states()
    var events = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("a")
    let first = try await transport.connection()
    #expect(first.request.headers["Last-Event-ID"] == "40")
    first.accept("id: 41\ndata: a\n\n")
    _ = await events.next()
    coordinator.credentialsChanged(.tokenRefreshed)
    await first.closed()
    let second = try await transport.connection()
    #expect(second.request.headers["Last-Event-ID"] == "41", "the same account goes on where it was")
    second.accept()
    coordinator.credentialsChanged(.loggedOut)
    await second.closed()
    _ = await until(.disconnected(.signedOut), states)
    while await store.load() != "" { await Task.yield() }
    coordinator.sceneDeactivated("a")
    coordinator.sceneActivated("a")  // nobody is logged in: no connection
    coordinator.credentialsChanged(.loggedIn)
    let third = try await transport.connection()
    #expect(third.request.headers["Last-Event-ID"] == nil)
    third.accept("id: 1\ndata: b\n\n")
    #expect(await events.next()?.data == "b")
    coordinator.credentialsChanged(.loggedIn)
    await third.closed()
    #expect(try await transport.connection().request.headers["Last-Event-ID"] == nil)
  }

  @Test("expiry: 401 gets new credentials once, then signed out, until the app logs in")
  func expiry() async throws {
    let coordinator = makeCoordinator { $0.refreshCredentials = {} }
    let states = coordinator.states()
    coordinator.sceneActivated("a")
    try await transport.connection().send(.response(answer(401)))
    try await transport.connection().send(.response(answer(401)))
    #expect(await until(.disconnected(.signedOut), states).contains(.reconnecting))
    coordinator.credentialsChanged(.loggedIn)
    try await transport.connection().accept()
    _ = await until(.connected, states)
  }

  @Test("without a way to refresh them, 401 is signed out at once")
  func noRefresh() async throws {
    let coordinator = makeCoordinator()
    let states = coordinator.states()
    coordinator.sceneActivated("a")
    try await transport.connection().send(.response(answer(401)))
    _ = await until(.disconnected(.signedOut), states)
  }

  @Test("403 is blocked until credentials change: the foreground doesn't ask again")
  func blocked() async throws {
    let coordinator = makeCoordinator()
    let states = coordinator.states()
    coordinator.sceneActivated("a")
    try await transport.connection().send(.response(answer(403)))
    _ = await until(.disconnected(.blocked), states)
    coordinator.sceneDeactivated("a")
    coordinator.sceneActivated("a")
    coordinator.networkLost()
    coordinator.networkRestored()
    coordinator.credentialsChanged(.tokenRefreshed)
    let connection = try await transport.connection()
    connection.accept()
    #expect(await until(.connected, states) == [.connecting, .connected], "nothing in between")
  }

  @Test("429 and 503 wait as asked; neither the foreground nor the network comes before")
  func busy() async throws {
    let coordinator = makeCoordinator()
    coordinator.sceneActivated("a")
    let response = EventStreamResponse(status: 503, headers: [HeaderField("Retry-After", "120")])
    try await transport.connection().send(.response(response))
    await clock.sleepers(1)
    let due = try #require(clock.deadlines.first)
    #expect(due >= .seconds(120))
    coordinator.sceneDeactivated("a")
    await clock.sleepers(0)
    coordinator.sceneActivated("a")
    await clock.sleepers(1)
    #expect(clock.deadlines == [due])
    clock.advance(by: due)
    try await transport.connection().accept()
  }

  @Test("204 and fatal answers close for good, until the app asks again")
  func closed() async throws {
    let coordinator = makeCoordinator()
    let states = coordinator.states()
    coordinator.sceneActivated("a")
    try await transport.connection().send(.response(answer(204)))
    _ = await until(.disconnected(.noContent), states)
    coordinator.sceneDeactivated("a")
    coordinator.sceneActivated("a")
    coordinator.restart()
    let second = try await transport.connection()
    second.send(.response(answer(404)))
    second.end()
    #expect(await until(.disconnected(.refused), states) == [.connecting, .disconnected(.refused)])
    coordinator.credentialsChanged(.loggedIn)
    try await transport.connection().accept()
    _ = await until(.connected, states)
  }

  @Test("every connection gets a fresh request")
  func freshRequest() async throws {
    actor Counter {
      var count = 0
      func next() -> Int {
        count += 1
        return count
      }
    }
    let counter = Counter()
    let coordinator = makeCoordinator { environment in
      environment.prepareRequest = { request in
        var request = request
        request.headers["Authorization"] = "Bearer \(await counter.next())"
        return request
      }
    }
    coordinator.sceneActivated("a")
    let first = try await transport.connection()
    #expect(first.request.headers["Authorization"] == "Bearer 1")
    coordinator.credentialsChanged(.tokenRefreshed)
    #expect(try await transport.connection().request.headers["Authorization"] == "Bearer 2")
  }

  @Test("duplicates are left out if asked for")
  func duplicates() async throws {
    let coordinator = makeCoordinator(repeats: 8)
    var events = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("a")
    let first = try await transport.connection()
    first.accept("id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: no ID of its own\n\n")
    first.end(.reset)
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    try await transport.connection().accept("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n")
    for expected in ["a", "b", "no ID of its own", "c"] { #expect(await events.next()?.data == expected) }
  }

  @Test("what a burst of events and its duplicates say changed is fetched once for each resource")
  func refreshes() async throws {
    let coordinator = makeCoordinator()
    let (fetched, continuation) = AsyncStream.makeStream(of: String.self)
    let gate = RefreshGate<String, Void>(clock: clock) {
      continuation.yield($0)
    } apply: { _ in
    }
    let screen = Task { [events = coordinator.events(where: { $0.type == "changed" })] in
      for await event in events { await gate.signal(event.data) }
    }
    coordinator.sceneActivated("a")
    let connection = try await transport.connection()
    connection.accept("event: changed\ndata: 1\n\nevent: changed\ndata: 1\n\nevent: changed\ndata: 2\n\n")
    await clock.sleepers(2)
    clock.advance(by: .seconds(1))
    var iterator = fetched.makeAsyncIterator()
    let keys = [await iterator.next(), await iterator.next()]
    #expect(Set(keys) == ["1", "2"])
    await clock.sleepers(0)
    screen.cancel()
  }

  @MainActor final class Screen {
    var data: [String] = []
    let seen: AsyncStream<Void>.Continuation
    var token: EventStreamSubscriptionToken?

    init(_ seen: AsyncStream<Void>.Continuation) { self.seen = seen }

    func take(_ event: ServerSentEvent) {
      MainActor.assertIsolated()
      data.append(event.data)
      seen.yield()
    }
  }

  @Test("events come on the main actor when asked, and a subscription does not keep its screen alive")
  @MainActor func mainActor() async throws {
    let coordinator = makeCoordinator()
    let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
    var screen: Screen? = Screen(continuation)
    weak let weakScreen = screen
    if let screen {
      screen.token = coordinator.subscribe(screen) { $0.take($1) }
    }
    coordinator.sceneActivated("a")
    let connection = try await transport.connection()
    connection.accept("data: 1\n\ndata: 2\n\n")
    var iterator = seen.makeAsyncIterator()
    await iterator.next()
    await iterator.next()
    #expect(screen?.data == ["1", "2"])
    screen = nil
    #expect(weakScreen == nil)
    connection.send("data: 3\n\n")
    var others = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("b")
    connection.send("data: 4\n\n")
    while await others.next()?.data != "4" {}
  }

  @Test("a token that is cancelled or dropped ends its handler")
  @MainActor func token() async throws {
    let coordinator = makeCoordinator()
    let (seen, continuation) = AsyncStream.makeStream(of: Void.self)
    let screen = Screen(continuation)
    let token = coordinator.subscribe(screen) { $0.take($1) }
    coordinator.sceneActivated("a")
    let connection = try await transport.connection()
    connection.accept("data: 1\n\n")
    var iterator = seen.makeAsyncIterator()
    await iterator.next()
    token.cancel()
    var others = coordinator.events().makeAsyncIterator()
    connection.send("data: 2\n\n")
    while await others.next()?.data != "2" {}
    #expect(screen.data == ["1"])
  }

  @Test("dropping the coordinator closes the connection and ends subscriptions and states")
  func dropped() async throws {
    var coordinator: EventStreamCoordinator? = makeCoordinator()
    var events = coordinator?.events().makeAsyncIterator()
    let states = try #require(coordinator?.states())
    coordinator?.sceneActivated("a")
    let connection = try await transport.connection()
    connection.accept()
    coordinator = nil
    await connection.closed()
    #expect(await events?.next() == nil)
    for await _ in states {}
  }

  @Test("a coordinator that is let go lets go of what the app gave it")
  func noLeak() async throws {
    final class Session: Sendable {}
    weak var weakSession: Session?
    do {
      let session = Session()
      weakSession = session
      let coordinator = makeCoordinator { environment in
        environment.prepareRequest = { request in withExtendedLifetime(session) { request } }
      }
      var events = coordinator.events().makeAsyncIterator()
      coordinator.sceneActivated("a")
      let connection = try await transport.connection()
      connection.accept("data: 1\n\n")
      #expect(await events.next()?.data == "1")
      connection.end()
      await clock.sleepers(1)
    }
    await clock.sleepers(0)
    for _ in 1...10_000 where weakSession != nil { await Task.yield() }
    #expect(weakSession == nil)
  }

  @Test("cancelling a subscriber's task ends its loop and nobody else's")
  func cancelled() async throws {
    let coordinator = makeCoordinator()
    let loop = Task { [events = coordinator.events()] in for await _ in events {} }
    var other = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("a")
    let connection = try await transport.connection()
    connection.accept("data: 1\n\n")
    loop.cancel()
    await loop.value
    connection.send("data: 2\n\n")
    for expected in ["1", "2"] { #expect(await other.next()?.data == expected) }
  }

  @Test("a gap in the stream is told to every subscriber")
  func gap() async throws {
    let environment = EventSourceEnvironment(transport: transport, clock: clock)
    let coordinator = EventStreamCoordinator(
      EventStreamRequest(url: "http://host/"),
      configuration: EventSourceConfiguration(limits: .init(line: 64, event: 64, policy: .skipEvent)),
      environment: environment)
    let (misses, continuation) = AsyncStream.makeStream(of: EventStreamMiss.self)
    var events = coordinator.events(onMiss: { continuation.yield($0) }).makeAsyncIterator()
    coordinator.sceneActivated("a")
    let long = String(repeating: "x", count: 100)
    try await transport.connection().accept("data: a\n\ndata: \(long)\n\ndata: b\n\n")
    #expect(await events.next()?.data == "a")
    #expect(await events.next()?.data == "b")
    continuation.finish()
    var seen: [EventStreamMiss] = []
    for await miss in misses { seen.append(miss) }
    #expect(seen == [.gap])
  }

  @Test("measurements hold attempts, latency to the handler and time to the first event, and no payload")
  func metrics() async throws {
    let metrics = RecordedMetrics()
    let coordinator = makeCoordinator { $0.metrics = metrics }
    let subscription = coordinator.events()
    var observer = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("a")
    let connection = try await transport.connection()
    clock.advance(by: .seconds(2))
    connection.accept("event: secret-name\nid: secret-id\ndata: secret-data\n\n")
    _ = await observer.next()
    clock.advance(by: .seconds(3))
    var events = subscription.makeAsyncIterator()
    _ = await events.next()
    #expect(metrics.all.contains(.connectionAttempt(number: 1)))
    #expect(metrics.all.contains(.response(status: 200, after: .seconds(2))))
    #expect(metrics.all.contains(.firstEventAfterForeground(after: .seconds(2))))
    #expect(metrics.all.filter { $0 == .eventHandled(latency: .seconds(3)) }.count == 1)
    #expect(!"\(metrics.all)".contains("secret"))
  }
}
