// Time that stands still until it is told to move. Replays and tests of every module run on it. Dispatch is imported
// for the lock alone (`now` must answer without waiting for an actor); the concurrency runtime links it anyway.

import Dispatch
public import ServerSentEvents

/// A clock that moves only when asked to, so a minute's wait takes no time and every run is the same.
///
/// With `advancesItself` nobody needs to ask: as soon as all who use it sleep, it moves to the earliest deadline. Who
/// works without sleeping, and must not be overtaken, takes a ``Hold``.
///
/// Sleepers wake in the order of their deadlines, those with equal deadlines in the order in which they fell asleep;
/// while one wakes, ``now`` is its deadline. Between two of them the clock lets the woken tasks run until they
/// sleep again or wait for something else (it gives way to them a fixed number of times, and starts over when one
/// of them used the clock).
///
/// What is `Sendable` here: all state is read and written on one serial queue.
public final class VirtualClock: EventStreamClock, @unchecked Sendable {
  private struct Sleeper {
    let id: UInt64
    let deadline: Duration
    let continuation: CheckedContinuation<Void, any Error>
  }

  private let queue = DispatchQueue(label: "VirtualClock")
  private var time: Duration
  private var sleepers: [Sleeper] = []
  private var cancelledBeforeSleeping: Set<UInt64> = []
  private var nextID: UInt64 = 0
  /// Counts what others did with the clock, so that settling can see whether anybody still runs.
  private var uses: UInt64 = 0
  private var holds = 0
  private var isPumping = false
  private let advancesItself: Bool

  /// Creates a clock.
  /// - Parameters:
  ///   - start: what it shows at first.
  ///   - advancesItself: whether it moves to the next deadline whenever all who use it sleep. Somebody who sleeps again
  ///     and again then keeps it running until they are cancelled.
  public init(start: Duration = .zero, advancesItself: Bool = false) {
    time = start
    self.advancesItself = advancesItself
  }

  /// Keeps a clock that advances itself where it is, until it is released or goes away.
  public final class Hold: Sendable {
    private let clock: VirtualClock
    private let token: Token

    // A class of its own for the flag: read and written on the clock's queue alone.
    private final class Token: @unchecked Sendable { var isHeld = true }

    fileprivate init(_ clock: VirtualClock) {
      self.clock = clock
      token = Token()
    }

    deinit { release() }

    /// Lets the clock go on.
    public func release() {
      let (clock, token) = (clock, token)
      clock.queue.sync {
        guard token.isHeld else { return }
        token.isHeld = false
        clock.holds -= 1
        clock.uses += 1
      }
      clock.pump()
    }

    /// Stops it again.
    public func take() {
      clock.queue.sync {
        guard !token.isHeld else { return }
        token.isHeld = true
        clock.holds += 1
        clock.uses += 1
      }
    }
  }

  /// Keeps the clock where it is while somebody works.
  public func hold() -> Hold {
    queue.sync {
      holds += 1
      uses += 1
    }
    return Hold(self)
  }

  /// The time the clock shows.
  public var now: Duration { queue.sync { time } }

  /// The earliest deadline that somebody sleeps for.
  public var nextDeadline: Duration? { queue.sync { sleepers.map(\.deadline).min() } }

  /// How many tasks sleep on the clock.
  public var sleeperCount: Int { queue.sync { sleepers.count } }

  /// Sleeps until the clock is moved to `deadline`. Throws `CancellationError` if the task is cancelled.
  public func sleep(until deadline: Duration) async throws {
    let id = queue.sync {
      nextID += 1
      uses += 1
      return nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = queue.sync {
          if cancelledBeforeSleeping.remove(id) != nil { return .failure(CancellationError()) }
          if deadline <= time { return .success(()) }
          sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) } else { pump() }
      }
    } onCancel: {
      let sleeper: Sleeper? = queue.sync {
        uses += 1
        guard let index = sleepers.firstIndex(where: { $0.id == id }) else {
          cancelledBeforeSleeping.insert(id)
          return nil
        }
        return sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
    // A cancellation that came after the wake-up left its mark for nobody.
    queue.sync { _ = cancelledBeforeSleeping.remove(id) }
  }

  /// Moves the clock to `deadline` (never back), waking sleepers on the way.
  public func advance(to deadline: Duration) async {
    await settle()
    while await wakeNext(upTo: deadline) {}
    queue.sync { time = max(time, deadline) }
  }

  /// Moves the clock on by `duration`, waking sleepers on the way.
  public func advance(by duration: Duration) async { await advance(to: now + duration) }

  /// Moves the clock to the earliest deadline there is, no further than `limit`.
  /// - Returns: whether anybody was woken; `false` also leaves the clock where it is.
  @discardableResult
  public func advanceToNextDeadline(limit: Duration? = nil) async -> Bool {
    await settle()
    return await wakeNext(upTo: limit)
  }

  /// Moves the clock from deadline to deadline, until nobody sleeps any more.
  /// - Parameters:
  ///   - limit: the clock goes no further than this, whoever sleeps.
  ///   - isDone: asked before each move; it stops when this says so.
  public func run(limit: Duration? = nil, until isDone: () async -> Bool) async {
    await settle()
    while !(await isDone()), await wakeNext(upTo: limit) {}
  }

  /// Sees to it that a clock that advances itself does, as long as anybody sleeps and nobody holds it.
  private func pump() {
    let starts = queue.sync {
      guard advancesItself, !isPumping, holds == 0, !sleepers.isEmpty else { return false }
      isPumping = true
      return true
    }
    guard starts else { return }
    Task.detached { [self] in
      while true {
        await settle()
        let goesOn = queue.sync {
          if holds == 0, !sleepers.isEmpty { return true }
          isPumping = false
          return false
        }
        guard goesOn else { return }
        _ = await wakeNext(upTo: nil, unlessHeld: true)
      }
    }
  }

  private func wakeNext(upTo limit: Duration?, unlessHeld: Bool = false) async -> Bool {
    let sleeper: Sleeper? = queue.sync {
      if unlessHeld, holds > 0 { return nil }
      let earliest = sleepers.indices.min { a, b in
        (sleepers[a].deadline, sleepers[a].id) < (sleepers[b].deadline, sleepers[b].id)
      }
      guard let earliest else { return nil }
      if let limit, sleepers[earliest].deadline > limit { return nil }
      let sleeper = sleepers.remove(at: earliest)
      time = max(time, sleeper.deadline)
      return sleeper
    }
    guard let sleeper else { return false }
    sleeper.continuation.resume()
    await settle()
    return true
  }

  /// Gives way until nobody has used the clock for a while. Tasks that wait for real input (a socket, a thread of
  /// their own) can't be seen from here: a virtual clock is for tasks that don't.
  public func settle() async {
    var seen = queue.sync { uses }
    var quiet = 0
    while quiet < 8 {
      // A turn in the queue of each priority, behind whatever was ready to run there.
      for priority in [TaskPriority.high, .medium, .low] {
        await Task.detached(priority: priority) { for _ in 0..<8 { await Task.yield() } }.value
      }
      let current = queue.sync { uses }
      quiet = current == seen ? quiet + 1 : 0
      seen = current
    }
  }
}
