// While a test records, a server that isn't there must not be asked for ever: the client of a test reconnects as it does in
// the app, and the test would hang without a word.

import EventCassettes
import ServerSentEvents

/// A transport around the one that is recorded: a connection that ends without an answer, before there was any, is answered
/// with a 404 that says so, as a replay does where it has no answer. That is fatal to a client under every policy.
struct FirstAnswerTransport: EventStreamTransport {
  private enum State {
    case awaited
    case came
    case missing(NoAnswer)
  }

  /// A connection that nobody answered.
  struct NoAnswer {
    var url: String
    /// Why, as far as is known.
    var reason: String
  }

  private let base: any EventStreamTransport
  private let state = Locked<State>(.awaited)

  init(around base: any EventStreamTransport) { self.base = base }

  /// The connection that was not answered, if that is how it ended.
  var noAnswer: NoAnswer? {
    state.withLock { if case .missing(let connection) = $0 { connection } else { nil } }
  }

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let facts = base.connect(request)
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let task = Task {
      for await fact in facts {
        for fact in passed(fact, of: request) { continuation.yield(fact) }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  private func passed(_ fact: StampedTransportFact, of request: EventStreamRequest) -> [StampedTransportFact]
  {
    state.withLock { state in
      switch (fact.fact, state) {
      case (.ended(let cause, let detail), .awaited) where cause != .cancelled:
        let reason = cause.words(detail)
        state = .missing(NoAnswer(url: request.url, reason: reason))
        let text = "no answer came from \(request.url) (\(reason)), so nothing can be recorded"
        return [
          EventStreamTransportFact.response(EventStreamResponse(status: 404)), .bytes(Array(text.utf8)),
          .ended(.complete, detail: text),
        ].map { StampedTransportFact(at: fact.at, $0) }
      case (.response, .awaited), (.redirect, .awaited):
        state = .came
        return [fact]
      default: return [fact]
      }
    }
  }
}
