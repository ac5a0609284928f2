// What an event source tells beside its events, to whoever watches.

import ServerSentEvents
import Testing

@Suite("Notices of the event source", .timeLimit(.minutes(10)))
struct NoticesTests {
  @Test("everything but the events comes in order to each who watches")
  func everythingButEvents() async throws {
    let (transport, clock) = (ScriptedTransport(), ManualClock())
    let source = EventSource(
      EventStreamRequest(url: "http://host/"),
      environment: EventSourceEnvironment(transport: transport, clock: clock, jitter: { 0.5 }))
    let watchers = [await source.notices(), await source.notices()].map { notices in
      Task {
        var seen: [EventSourceSignal] = []
        for await notice in notices {
          seen.append(notice)
          if case .closed = notice { break }
        }
        return seen
      }
    }
    let events = Task {
      var data: [String] = []
      for try await event in source { data.append(event.data) }
      return data
    }
    let first = try await transport.connection()
    first.accept(": beat\ndata: a\n\n")
    first.end(.reset)
    await clock.sleepers(1)
    clock.advance(by: .seconds(3))
    try await transport.connection().send(.response(answer(204)))
    #expect(try await events.value == ["a"])
    for watcher in watchers {
      let seen = await watcher.value
      #expect(seen.prefix(2) == [.open(accepted), .comment(" beat")])
      let kinds = seen.dropFirst(2).map { notice in
        switch notice {
        case .error: "error"
        case .reconnecting(let delay): "reconnecting \(delay)"
        case .closed(let reason): "closed \(reason)"
        default: "\(notice)"
        }
      }
      #expect(kinds == ["error", "reconnecting 3.0 seconds", "error", "closed noContent"])
    }
  }
}
