// A transport that shows somebody every connection and every fact on its way, and gives up a connection on which
// nothing comes. What is done with the facts (recording, counting) is the observer's business.

import ServerSentEvents

/// Looks on while another transport works.
struct ObservedTransport: EventStreamTransport {
  /// What becomes of a connection after a fact.
  enum Verdict: Hashable, Sendable {
    /// It goes on.
    case goOn
    /// The fact is handed on and nothing after it; the connection stays until it is cancelled.
    case hold
    /// The fact is not handed on, and the connection ends.
    case stop
  }

  let base: any EventStreamTransport
  let clock: any EventStreamClock
  /// How long nothing may come before the connection ends as timed out.
  var idleTimeout: Duration?
  /// Is told of each connection before it is made; false prevents it.
  var began: @Sendable (EventStreamRequest, Duration) async -> Bool = { _, _ in true }
  /// Is told of each fact before it is handed on.
  let observed: @Sendable (StampedTransportFact) async -> Verdict

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let work = Task {
      defer { continuation.finish() }
      let start = clock.now
      guard await began(request, start) else { return }
      for await fact in limited(base.connect(request), from: start) {
        switch await observed(fact) {
        case .goOn: continuation.yield(fact)
        case .hold:
          continuation.yield(fact)
          for await _ in AsyncStream<Never>.silent {}
        case .stop: return
        }
      }
    }
    continuation.onTermination = { _ in work.cancel() }
    return stream
  }

  /// The facts until nothing came for the idle timeout; then a last one that says so.
  private func limited(
    _ facts: AsyncStream<StampedTransportFact>, from start: Duration
  ) -> AsyncStream<StampedTransportFact> {
    guard let idleTimeout else { return facts }
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let watch = IdleWatch(last: start)
    let pump = Task {
      for await fact in facts {
        guard await watch.note(clock.now) else { break }
        continuation.yield(fact)
      }
      if await watch.note(.seconds(Int32.max)) { continuation.finish() }
    }
    let dog = Task {
      while true {
        let deadline = await watch.last + idleTimeout
        try await clock.sleep(until: deadline)
        guard await watch.expire(lastBefore: deadline - idleTimeout) else { continue }
        let (seconds, attoseconds) = idleTimeout.components
        let text = attoseconds == 0 ? "\(seconds)" : "\(Double(seconds) + Double(attoseconds) / 1e18)"
        continuation.yield(
          StampedTransportFact(at: clock.now, .ended(.timedOut, detail: "nothing came for \(text) s")))
        continuation.finish()
        pump.cancel()
        return
      }
    }
    continuation.onTermination = { _ in
      pump.cancel()
      dog.cancel()
    }
    return stream
  }
}

extension AsyncStream where Element == Never {
  /// A stream that nothing ever comes on, and that ends when its consumer is cancelled.
  static var silent: AsyncStream<Never> { AsyncStream { _ in } }
}

/// When something came last, and whether it is too late.
private actor IdleWatch {
  private(set) var last: Duration
  private var isExpired = false

  init(last: Duration) { self.last = last }

  /// Something came; false if it came too late.
  func note(_ now: Duration) -> Bool {
    last = max(last, now)
    return !isExpired
  }

  /// Whether nothing came since; from then on nothing counts.
  func expire(lastBefore moment: Duration) -> Bool {
    guard last <= moment, !isExpired else { return false }
    isExpired = true
    return true
  }
}
