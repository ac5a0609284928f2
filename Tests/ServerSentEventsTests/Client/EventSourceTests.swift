// The event source as apps use it, over a scripted transport and a clock that only the test moves.

import Foundation
import Testing

@testable import ServerSentEvents

@Suite("The event source", .timeLimit(.minutes(10)))
struct EventSourceTests {
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

  @Test("events come in order over a reconnect, and the sequence ends after 204")
  func reconnects() async throws {
    let source = makeSource()
    let collected = Task {
      var data: [String] = []
      for try await event in source { data.append(event.data) }
      return data
    }
    let first = try await transport.connection()
    #expect(first.request.headers["Last-Event-ID"] == nil)
    first.accept("retry: 1000\nid: 1\ndata: a\n\n")
    first.end()
    await clock.sleepers(1)
    #expect(clock.deadlines == [.seconds(1)])
    clock.advance(by: .seconds(1))
    let second = try await transport.connection()
    #expect(second.request.headers["Last-Event-ID"] == "1")
    second.accept("data: b\n\n")
    second.end(.reset)
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    try await transport.connection().send(.response(answer(204)))
    #expect(try await collected.value == ["a", "b"])
    #expect(await source.state == .closed(.noContent))
    #expect(await source.retry == 1000)
  }

  @Test("a fatal answer is thrown with its status and body, after the events before it")
  func fatal() async throws {
    let source = makeSource()
    var iterator = source.makeAsyncIterator()
    let transport = transport
    let script = Task {
      let connection = try await transport.connection()
      connection.send(.response(answer(418)))
      connection.send("short and stout")
      connection.end()
    }
    do {
      let event = try await iterator.next()
      Issue.record("got \(String(describing: event))")
    } catch let error as EventSourceError {
      #expect(error.code == .badStatus && error.status == 418)
      #expect(String(decoding: error.body, as: UTF8.self) == "short and stout")
    }
    #expect(try await iterator.next() == nil, "thrown once")
    try await script.value
  }

  @Test("signals come in one order: open, comment, event, error, reconnecting, closed")
  func signals() async throws {
    let source = makeSource()
    let collected = Task {
      var signals: [EventSourceSignal] = []
      for await signal in source.signals { signals.append(signal) }
      return signals
    }
    let first = try await transport.connection()
    first.accept(": hi\ndata: a\n\n")
    first.end()
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    try await transport.connection().send(.response(answer(204)))
    #expect(
      await collected.value == [
        .open(accepted), .comment(" hi"), .event(event("a")), .error(EventSourceError(.streamEnded)),
        .reconnecting(after: .seconds(3)), .error(EventSourceError(.noContent)), .closed(.noContent),
      ])
  }

  @Test("an ID is stored when the consumer comes back, not before")
  func store() async throws {
    let store = MemoryLastEventIDStore("40")
    let source = makeSource { $0.store = store }
    let consumer = Task {
      var iterator = source.makeAsyncIterator()
      _ = try await iterator.next()
      let afterFirst = await source.lastEventID
      _ = try await iterator.next()
      return (afterFirst, await source.lastEventID)
    }
    let connection = try await transport.connection()
    #expect(connection.request.headers["Last-Event-ID"] == "40")
    connection.accept("id: 41\ndata: a\n\nid: 42\ndata: b\n\n")
    let (afterFirst, afterSecond) = try await consumer.value
    #expect(afterFirst == "40" && afterSecond == "41")
    await connection.closed()
    #expect(await store.load() == "41")
  }

  @Test("leaving the loop closes the connection, and the next iteration goes on after what was processed")
  func breaks() async throws {
    let source = makeSource()
    let firstRun = Task {
      for try await event in source where event.data == "b" { break }
    }
    let first = try await transport.connection()
    first.accept("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n")
    try await firstRun.value
    await first.closed()
    let secondRun = Task { try await source.first { _ in true }?.data }
    let second = try await transport.connection()
    #expect(second.request.headers["Last-Event-ID"] == "1", "b was never come back from")
    second.accept("id: 2\ndata: b\n\n")
    #expect(try await secondRun.value == "b")
  }

  @Test("cancelling the task closes the connection and ends the sequence")
  func cancels() async throws {
    let source = makeSource()
    let run = Task {
      for try await _ in source {}
    }
    let connection = try await transport.connection()
    connection.accept()
    run.cancel()
    await connection.closed()
    try await run.value
    #expect(await source.state == .closed(.cancelled))
  }

  @Test("cancelling one shot throws: half an answer is never taken for a whole one")
  func cancelsOneShot() async throws {
    let source = makeSource(EventSourceConfiguration(mode: .oneShot))
    let run = Task {
      for try await _ in source {}
    }
    let connection = try await transport.connection()
    connection.accept("data: half\n\n")
    run.cancel()
    await #expect(throws: CancellationError.self) { try await run.value }
    await connection.closed()
  }

  @Test("one shot ends with its answer, and throws when it breaks off")
  func oneShot() async throws {
    for (end, isFine) in [(ConnectionEnd.complete, true), (.truncated, false)] {
      let source = makeSource(EventSourceConfiguration(mode: .oneShot))
      let run = Task {
        var data: [String] = []
        do {
          for try await event in source { data.append(event.data) }
        } catch let error as EventSourceError {
          data.append(error.code.description)
        }
        return data
      }
      let connection = try await transport.connection()
      connection.accept("data: x\n\n")
      connection.end(end)
      #expect(try await run.value == (isFine ? ["x"] : ["x", "truncated"]))
    }
  }

  @Test("closing gives up what waits, also where the stream had already ended with an error")
  func closesAfterTheEnd() async throws {
    let source = makeSource(EventSourceConfiguration(mode: .oneShot))
    let (states, transport) = (await source.states(), transport)
    let script = Task {
      let connection = try await transport.connection()
      connection.accept("id: 1\ndata: a\n\nid: 2\ndata: b\n\n")
      connection.end(.truncated)
    }
    var iterator = source.makeAsyncIterator()
    #expect(try await iterator.next()?.data == "a")
    for await state in states where state == .closed(.oneShot) { break }
    await source.close()
    #expect(try await iterator.next() == nil)
    try await script.value
  }

  @Test(
    "an event counts once the loop came back from it, and closing takes back what was handed over with it")
  func closesInTheMidst() async throws {
    let source = makeSource()
    let transport = transport
    let script = Task {
      try await transport.connection().accept("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\n")
    }
    var iterator = source.makeAsyncIterator()
    #expect(try await iterator.next()?.data == "a")
    #expect(await source.lastEventID == "")
    #expect(try await iterator.next()?.data == "b")
    #expect(await source.lastEventID == "1")
    await source.close()
    #expect(try await iterator.next() == nil)
    #expect(await source.lastEventID == "1", "b was in hand, and its loop came back too late")
    try await script.value
  }

  @Test("the event that was in hand when its task was cancelled counts, because the loop came back from it")
  func cancelledInTheBody() async throws {
    let source = makeSource()
    let (inBody, body) = AsyncStream.makeStream(of: Void.self)
    let run = Task {
      for try await _ in source {
        body.finish()
        for await _ in AsyncStream<Void>(Void.self, { _ in }) {}  // ends with the task
      }
    }
    let connection = try await transport.connection()
    connection.accept("id: 1\ndata: a\n\nid: 2\ndata: b\n\n")
    for await _ in inBody {}
    run.cancel()
    try await run.value
    await connection.closed()
    #expect(await source.lastEventID == "1")
  }

  @Test("dropping the iterator closes the connection")
  func drops() async throws {
    let source = makeSource()
    let asking = Task {
      var iterator = source.makeAsyncIterator()
      return try await iterator.next()?.data
    }
    let connection = try await transport.connection()
    connection.accept("data: a\n\n")
    #expect(try await asking.value == "a")
    await connection.closed()
  }

  @Test("a new iteration ends the one before")
  func supersedes() async throws {
    let source = makeSource()
    let first = Task {
      for try await _ in source {}
    }
    let old = try await transport.connection()
    let second = Task { try await source.first { _ in true }?.data }
    let new = try await transport.connection()
    await old.closed()
    try await first.value
    new.accept("data: a\n\n")
    #expect(try await second.value == "a")
  }

  @Test("a slow consumer loses nothing: the connection is given up and resumed when it has caught up")
  func slowConsumer() async throws {
    let source = makeSource(EventSourceConfiguration(buffer: .init(events: 3)))
    let (transport, hasOverflowed) = (transport, AsyncStream.makeStream(of: Void.self))
    let script = Task {
      let connection = try await transport.connection()
      connection.accept((1...9).map { "id: \($0)\ndata: \($0)\n\n" }.joined())
      await connection.closed()
      hasOverflowed.continuation.finish()
      let resumed = try await transport.connection()
      resumed.accept("id: 4\ndata: 4\n\n")
      return resumed.request.headers["Last-Event-ID"]
    }
    var data: [String] = []
    for try await event in source {
      data.append(event.data)
      if data.count == 1 { for await _ in hasOverflowed.stream {} }
      if data.count == 4 { break }
    }
    #expect(data == ["1", "2", "3", "4"])
    #expect(try await script.value == "3")
  }

  @Test("states are distinct, start with the present one, and any number may watch")
  func states() async throws {
    let source = makeSource()
    var watchers: [Task<[EventSourceState], Never>] = []
    for _ in 1...3 {
      let states = await source.states()
      watchers.append(
        Task {
          var seen: [EventSourceState] = []
          for await state in states {
            seen.append(state)
            if case .closed = state { break }
          }
          return seen
        })
    }
    let run = Task {
      for try await _ in source {}
    }
    let connection = try await transport.connection()
    connection.accept()
    connection.end()
    await clock.sleepers(1)
    await source.networkLost()
    await source.networkRestored()
    try await transport.connection().send(.response(answer(204)))
    try await run.value
    for watcher in watchers {
      #expect(
        await watcher.value == [
          .idle, .connecting, .open, .reconnecting(at: .seconds(3)), .suspended(.offline), .connecting,
          .closed(.noContent),
        ])
    }
  }

  @Test("background and foreground, told before the start and meanwhile")
  func foreground() async throws {
    let source = makeSource()
    await source.enteredBackground()
    let run = Task { try await source.first { _ in true }?.data }
    var states = await source.states().makeAsyncIterator()
    while let state = await states.next(), state != .suspended(.background) {}
    await source.enteredForeground()
    let first = try await transport.connection()
    first.accept()
    await source.enteredBackground()
    await first.closed()
    await source.enteredForeground()
    try await transport.connection().accept("data: back\n\n")
    #expect(try await run.value == "back")
  }

  @Test("each request is prepared afresh; preparing that throws is a connection that failed")
  func prepares() async throws {
    let tokens = Tokens()
    let source = makeSource { environment in
      environment.prepareRequest = { request in
        var request = request
        request.headers["Authorization"] = try await tokens.next()
        return request
      }
    }
    let run = Task {
      for try await _ in source {}
    }
    let first = try await transport.connection()
    #expect(first.request.headers["Authorization"] == "token 1")
    first.end(.reset)
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))  // the second throws, so this leads to another wait
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    #expect(try await transport.connection().request.headers["Authorization"] == "token 3")
    run.cancel()
    try await run.value
  }

  @Test("401 asks for new credentials once and connects with them; when there are none it's signed out")
  func credentials() async throws {
    let tokens = Tokens()
    let source = makeSource(EventSourceConfiguration(policy: .resilient)) { environment in
      environment.refreshCredentials = { _ = try await tokens.next() }
    }
    let run = Task { try await source.first { _ in true }?.data }
    try await transport.connection().send(.response(answer(401)))
    let second = try await transport.connection()
    second.accept()
    await source.credentialsChanged()
    await second.closed()
    try await transport.connection().send(.response(answer(401)))  // token 2 throws
    var states = await source.states().makeAsyncIterator()
    while let state = await states.next(), state != .suspended(.signedOut) {}
    await source.credentialsChanged()
    try await transport.connection().accept("data: in\n\n")
    #expect(try await run.value == "in")
  }

  @Test("idle time closes a silent connection")
  func idle() async throws {
    let source = makeSource(EventSourceConfiguration(idleTimeout: .seconds(10)))
    let run = Task {
      for try await _ in source {}
    }
    let first = try await transport.connection()
    await clock.sleepers(1)
    clock.advance(by: .seconds(10))
    await first.closed()
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    _ = try await transport.connection()
    run.cancel()
    try await run.value
    await clock.sleepers(0)
  }

  @Test("a transport that ends without its last fact has ended all the same")
  func silentEnd() async throws {
    let source = makeSource(EventSourceConfiguration(mode: .oneShot))
    let run = Task {
      for try await _ in source {}
    }
    let connection = try await transport.connection()
    connection.accept()
    connection.finish()
    await #expect(throws: EventSourceError(.unknown)) { try await run.value }
  }

  @Test("measurements tell what happened, in numbers and causes")
  func metrics() async throws {
    let metrics = RecordedMetrics()
    let source = makeSource { $0.metrics = metrics }
    let run = Task {
      for try await _ in source {}
    }
    let first = try await transport.connection()
    first.accept("data: a\n\n")
    first.end(.truncated)
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    let second = try await transport.connection()
    await source.enteredBackground()
    await second.closed()
    clock.advance(by: .seconds(60))
    await source.enteredForeground()
    let third = try await transport.connection()
    clock.advance(by: .seconds(2))
    third.accept("data: b\n\n")
    third.send(.ended(.complete, detail: ""))
    await clock.sleepers(1)
    run.cancel()
    try await run.value
    #expect(
      metrics.all == [
        .connectionAttempt(number: 1), .response(status: 200, after: .zero), .eventHandled(latency: .zero),
        .connectionEnded(.truncated, status: 200, after: .zero),
        .reconnect(.connectionLost, delay: .seconds(3)), .connectionAttempt(number: 2),
        .connectionEnded(.cancelled, status: nil, after: .zero), .reconnect(.foreground, delay: .zero),
        .connectionAttempt(number: 3), .response(status: 200, after: .seconds(2)),
        .firstEventAfterForeground(after: .seconds(2)), .eventHandled(latency: .zero),
        .connectionEnded(.complete, status: 200, after: .seconds(2)),
        .reconnect(.cleanEnd, delay: .seconds(3)),
      ])
  }

  @Test("nothing is kept alive by an event source that was let go")
  func noCycles() async throws {
    weak var driver: EventSourceDriver?
    do {
      let source = makeSource()
      driver = source.driver
      let run = Task {
        for try await _ in source {}
      }
      let connection = try await transport.connection()
      connection.accept("data: a\n\n")
      connection.end()
      await clock.sleepers(1)
      run.cancel()
      try await run.value
    }
    await clock.sleepers(0)
    for _ in 1...1000 where driver != nil { await Task.yield() }
    #expect(driver == nil)
  }

  /// Hands out "token 1", throws, "token 3", throws …
  actor Tokens {
    private var count = 0

    func next() throws -> String {
      count += 1
      if count % 2 == 0 { throw CancellationError() }
      return "token \(count)"
    }
  }
}

/// Measurements in the order in which they came.
final class RecordedMetrics: EventSourceMetrics, @unchecked Sendable {  // all state is behind `lock`
  private let lock = NSLock()
  private var metrics: [EventSourceMetric] = []

  var all: [EventSourceMetric] { lock.withLock { metrics } }
  func record(_ metric: EventSourceMetric) { lock.withLock { metrics.append(metric) } }
}
