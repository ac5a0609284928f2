// A clock that stands still until a test moves it, so that no test sleeps and every order of timers is the test's own.
import Foundation
import ServerSentEvents

/// A clock for tests: sleeping tasks wake when ``advance(by:)`` passes their deadline, in the order of deadlines.
final class ManualClock: EventStreamClock, @unchecked Sendable {  // all state is behind `lock`
  private struct Sleeper {
    var id: Int
    var deadline: Duration
    var continuation: CheckedContinuation<Void, any Error>
  }
  private struct Watcher {
    var count: Int
    var continuation: CheckedContinuation<Void, Never>
  }

  private let lock = NSLock()
  private var time: Duration = .zero
  private var nextID = 0
  private var sleepers: [Sleeper] = []
  private var cancelled: Set<Int> = []
  private var watchers: [Watcher] = []

  var now: Duration { lock.withLock { time } }

  func sleep(until deadline: Duration) async throws {
    let id = lock.withLock {
      nextID += 1
      return nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let outcome: Result<Void, any Error>? = lock.withLock {
          if cancelled.remove(id) != nil || Task.isCancelled { return .failure(CancellationError()) }
          if deadline <= time { return .success(()) }
          sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return nil
        }
        if let outcome { continuation.resume(with: outcome) }
        notifyWatchers()
      }
    } onCancel: {
      let sleeper: Sleeper? = lock.withLock {
        guard let place = sleepers.firstIndex(where: { $0.id == id }) else {
          cancelled.insert(id)
          return nil
        }
        return sleepers.remove(at: place)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
      notifyWatchers()
    }
  }

  /// Moves the time on and wakes whoever is due on the way.
  func advance(by step: Duration) {
    let due = lock.withLock {
      time += step
      let due = sleepers.filter { $0.deadline <= time }.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
      sleepers.removeAll { $0.deadline <= time }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
    notifyWatchers()
  }

  /// The deadlines that tasks are sleeping for, in order.
  var deadlines: [Duration] { lock.withLock { sleepers.map(\.deadline).sorted() } }

  /// Returns once exactly so many tasks sleep.
  func sleepers(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isDone = lock.withLock {
        if sleepers.count == count { return true }
        watchers.append(Watcher(count: count, continuation: continuation))
        return false
      }
      if isDone { continuation.resume() }
    }
  }

  private func notifyWatchers() {
    let done = lock.withLock {
      let done = watchers.filter { $0.count == sleepers.count }
      watchers.removeAll { $0.count == sleepers.count }
      return done
    }
    for watcher in done { watcher.continuation.resume() }
  }
}
