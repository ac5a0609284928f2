// How far a reader may be ahead of a writer: what keeps a fast server and a slow client from filling memory between them.

import EventCassettes

/// Bytes that were read and not yet passed on, held below a bound.
final class SendingCredit: Sendable {
  private struct State {
    var outstanding = 0
    var isOver = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  /// Notes that bytes were read, and waits while too many are on their way.
  func spend(_ bytes: Int) async {
    state.withLock { $0.outstanding += bytes }
    while !Task.isCancelled {
      let isFree = state.withLock { $0.outstanding < limit || $0.isOver }
      if isFree { return }
      await withCheckedContinuation { continuation in
        let mustWait = state.withLock { state in
          guard state.outstanding >= limit, !state.isOver else { return false }
          state.waiting.append(continuation)
          return true
        }
        if !mustWait { continuation.resume() }
      }
    }
  }

  /// Notes that bytes were passed on.
  func refund(_ bytes: Int) { wake { $0.outstanding -= bytes } }

  /// Nobody passes anything on any more: no wait goes on.
  func end() { wake { $0.isOver = true } }

  private func wake(_ change: (inout State) -> Void) {
    let waiting = state.withLock { state in
      change(&state)
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}
