// A clock that stands still until a test moves it.

import EventCassettes
import ServerSentEvents

final class ManualClock: EventStreamClock {
  private struct Sleeper {
    var deadline: Duration
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var now = Duration.zero
    var lastNumber = 0
    var sleepers: [Int: Sleeper] = [:]
    var cancelled: Set<Int> = []
    var watchers: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  var now: Duration { state.withLock { $0.now } }

  func sleep(until deadline: Duration) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let isDue = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let (answer, watchers): (Bool?, [CheckedContinuation<Void, Never>]) = state.withLock { state in
          if state.cancelled.contains(number) { return (false, []) }
          if state.now >= deadline { return (true, []) }
          state.sleepers[number] = Sleeper(deadline: deadline, continuation: continuation)
          defer { state.watchers = [] }
          return (nil, state.watchers)
        }
        if let answer { continuation.resume(returning: answer) }
        for watcher in watchers { watcher.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.cancelled.insert(number)
        return state.sleepers.removeValue(forKey: number)
      }
      sleeper?.continuation.resume(returning: false)
    }
    if !isDue { throw CancellationError() }
  }

  /// Waits until somebody sleeps, then moves on to `moment` and wakes who is due.
  func advance(to moment: Duration) async {
    await withCheckedContinuation { continuation in
      let isAsleep = state.withLock { state in
        if state.sleepers.isEmpty { state.watchers.append(continuation) }
        return !state.sleepers.isEmpty
      }
      if isAsleep { continuation.resume() }
    }
    let due = state.withLock { state in
      state.now = moment
      let due = state.sleepers.filter { $0.value.deadline <= moment }
      for number in due.keys { state.sleepers.removeValue(forKey: number) }
      return due.values.map(\.continuation)
    }
    for continuation in due { continuation.resume(returning: true) }
  }
}
