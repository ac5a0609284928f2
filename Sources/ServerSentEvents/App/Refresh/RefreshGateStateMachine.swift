// What decides when a resource is fetched again: a pure value, facts in and actions out. The actor that carries the
// actions out is RefreshGate.swift. Time comes in with each fact; nothing here waits.

/// Decides which refreshes run, and when, for any number of keys that know nothing of each other.
///
/// ```
///             signal                     timer due                  finished
///   (none) ───────────▶ waiting ────────────────────▶ running ─────────────────▶ (none)
///                       │     ▲ │                     │     ▲ │
///                       └─────┘ │ cancel              └─────┘ │ finished, after a signal meanwhile
///                        signal ▼                      signal ▼
///                     (moves the deadline)                 waiting, or running again if already due
/// ```
///
/// A key is in `running` until its refresh has returned, even when it has been cancelled: so never are two refreshes
/// of one key under way. How a refresh ended makes no difference here: a failure unlocks the key as a success does.
public struct RefreshGateStateMachine<Key: Hashable & Sendable>: Equatable, Sendable {
  /// How long signals are collected before a refresh runs.
  public struct Debounce: Hashable, Sendable {
    /// A refresh waits until no signal for its key has come for so long.
    public var quiet: Duration
    /// But not longer than this after the first signal, or a busy resource would never be refreshed.
    public var longest: Duration

    /// Creates a debounce: by default 250 ms of quiet, 2 s at most.
    public init(quiet: Duration = .milliseconds(250), longest: Duration = .seconds(2)) {
      self.quiet = quiet
      self.longest = longest
    }
  }

  /// What the owner of the machine has to do.
  public enum Action: Hashable, Sendable {
    /// Call ``RefreshGateStateMachine/timerFired(key:timer:at:)`` with these values at the time given.
    case schedule(key: Key, timer: UInt64, at: Duration)
    /// This timer is not needed any more.
    case cancelTimer(UInt64)
    /// Run the refresh of this key and call ``RefreshGateStateMachine/finished(key:generation:at:)`` when it has returned.
    case run(key: Key, generation: UInt64)
    /// Cancel the run with this generation; it still has to report that it has finished.
    case cancelRun(generation: UInt64)
  }

  private struct Pending: Equatable, Sendable {
    var first: Duration
    var deadline: Duration
  }

  private enum KeyState: Equatable, Sendable {
    case waiting(Pending, timer: UInt64)
    case running(generation: UInt64, isStale: Bool, next: Pending?)
  }

  private let debounce: Debounce
  private var keys: [Key: KeyState] = [:]
  // One counter for timers and generations of all keys: a number is never used twice, so nothing is kept for idle keys.
  private var lastNumber: UInt64 = 0

  /// Creates a machine without signals.
  public init(debounce: Debounce = Debounce()) {
    self.debounce = debounce
  }

  /// The keys that have a refresh waiting or running.
  public var busyKeys: Set<Key> { Set(keys.keys) }

  /// A signal came: the key's resource may have changed.
  public mutating func signal(_ key: Key, at now: Duration) -> [Action] {
    switch keys[key] {
    case nil:
      return wait(key, pending(after: nil, at: now))
    case .waiting(let pending, let timer):
      // The timer that runs is left alone; when it fires too early it is set again, once for any number of signals.
      keys[key] = .waiting(self.pending(after: pending, at: now), timer: timer)
      return []
    case .running(let generation, let isStale, let next):
      keys[key] = .running(generation: generation, isStale: isStale, next: pending(after: next, at: now))
      return []
    }
  }

  /// A timer that ``Action/schedule(key:timer:at:)`` asked for fired. One that was cancelled changes nothing.
  public mutating func timerFired(key: Key, timer: UInt64, at now: Duration) -> [Action] {
    guard case .waiting(let pending, timer: timer) = keys[key] else { return [] }
    return start(key, pending, at: now)
  }

  /// Whether the result of a run may be used: it runs, and is not stale. Ask before ``finished(key:generation:at:)``.
  public func isCurrent(key: Key, generation: UInt64) -> Bool {
    if case .running(generation: generation, isStale: false, next: _) = keys[key] { true } else { false }
  }

  /// A run returned and its result was used or dropped. How it ended makes no difference.
  public mutating func finished(key: Key, generation: UInt64, at now: Duration) -> [Action] {
    guard case .running(generation: generation, isStale: _, let next) = keys[key] else { return [] }
    keys[key] = nil
    guard let next else { return [] }
    return start(key, next, at: now)
  }

  /// Something newer than what a run under way will bring is known already: that run's result is stale.
  ///
  /// A refresh that waits still runs, for it will bring what is newer still.
  ///
  /// - Returns: the generation of the newer state, above that of every run started so far.
  public mutating func supersede(_ key: Key) -> UInt64 {
    if case .running(let generation, _, let next) = keys[key] {
      keys[key] = .running(generation: generation, isStale: true, next: next)
    }
    return newNumber()
  }

  /// Nobody wants the key's refresh any more: what waits is dropped, what runs is cancelled and its result is stale.
  public mutating func cancel(_ key: Key) -> [Action] {
    switch keys[key] {
    case nil:
      return []
    case .waiting(_, let timer):
      keys[key] = nil
      return [.cancelTimer(timer)]
    case .running(let generation, _, _):
      keys[key] = .running(generation: generation, isStale: true, next: nil)
      return [.cancelRun(generation: generation)]
    }
  }

  private func pending(after earlier: Pending?, at now: Duration) -> Pending {
    let first = earlier?.first ?? now
    return Pending(first: first, deadline: min(now + debounce.quiet, first + debounce.longest))
  }

  private mutating func start(_ key: Key, _ pending: Pending, at now: Duration) -> [Action] {
    guard pending.deadline <= now else { return wait(key, pending) }
    let generation = newNumber()
    keys[key] = .running(generation: generation, isStale: false, next: nil)
    return [.run(key: key, generation: generation)]
  }

  private mutating func wait(_ key: Key, _ pending: Pending) -> [Action] {
    let timer = newNumber()
    keys[key] = .waiting(pending, timer: timer)
    return [.schedule(key: key, timer: timer, at: pending.deadline)]
  }

  private mutating func newNumber() -> UInt64 {
    lastNumber += 1  // 2^64 of them take longer than any process runs
    return lastNumber
  }
}
