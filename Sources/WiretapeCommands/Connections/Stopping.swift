// What ends a verb that would go on for ever: its work is done, a signal, a limit. One place waits for all of them, so
// that every such verb ends in the same orderly way.

import ServerSentEvents

/// Why a long-running verb came to its end.
enum StopReason: Hashable, Sendable {
  /// There was nothing more to do.
  case ended
  case signal
  case maxEvents
  case maxBytes
  case maxDuration

  /// As `listen --json` spells it.
  var name: String {
    switch self {
    case .ended: "ended"
    case .signal: "signal"
    case .maxEvents: "maxEvents"
    case .maxBytes: "maxBytes"
    case .maxDuration: "maxDuration"
    }
  }
}

/// Does work until it ends, a signal comes, time is up, or the work itself asks to stop; then cancels it and waits until
/// it is gone.
///
/// - Throws: what the work threw, cancellation left out.
func runUntilStopped(
  in context: CommandContext, maxDuration: Duration?,
  _ work: @escaping @Sendable (_ stop: @escaping @Sendable (StopReason) -> Void) async throws -> Void
) async throws -> StopReason {
  let (reasons, continuation) = AsyncStream.makeStream(of: StopReason.self)
  let signals = context.signals()
  let clock = context.clock
  let deadline = maxDuration.map { clock.now + $0 }
  let worker = Task {
    defer { continuation.yield(.ended) }
    try await work { continuation.yield($0) }
  }
  let watcher = Task {
    for await _ in signals { continuation.yield(.signal) }
  }
  let timer = Task {
    guard let deadline else { return }
    try await clock.sleep(until: deadline)
    continuation.yield(.maxDuration)
  }
  var reason = StopReason.ended
  for await first in reasons {
    reason = first
    break
  }
  worker.cancel()
  watcher.cancel()
  timer.cancel()
  do { try await worker.value } catch is CancellationError {}
  return reason
}
