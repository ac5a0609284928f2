// Carries out what RefreshGateStateMachine decides: timers on the given clock, refreshes as tasks. No decision here.

/// Turns a flood of "this changed" signals into few refreshes: debounced, one at a time per key, none forgotten.
///
/// An event stream that says *what* changed, not *to what*, makes an app fetch the resource. This gate stands between
/// the two: give it every signal, and it calls your closure
/// - once for signals that come close together (``RefreshGateStateMachine/Debounce``),
/// - never twice at a time for one key, and once more afterwards if a signal came meanwhile,
/// - independently for each key,
/// - and goes on after a failure as after a success: a key is unlocked when the closure returns or throws, so
///   completion can't be forgotten.
///
/// The outcome goes to `apply` unless it has become stale by ``supersede(_:)`` or ``cancel(_:)``. What `apply` gets
/// carries a generation, a number that grows: a model that remembers the generation of what it shows, and refuses
/// lower ones, can't be overwritten by something older whatever the order in which its actor gets to it.
public actor RefreshGate<Key: Hashable & Sendable, Value: Sendable> {
  /// What a refresh brought.
  public struct Outcome: Sendable {
    /// The key that was refreshed.
    public let key: Key
    /// Grows with every run of the gate; later is newer.
    public let generation: UInt64
    /// The value, or what the refresh threw.
    public let result: Result<Value, any Error>
  }

  private var machine: RefreshGateStateMachine<Key>
  private let clock: any EventStreamClock
  private let refresh: @Sendable (Key) async throws -> Value
  private let apply: @Sendable (Outcome) async -> Void
  private var timers: [UInt64: Task<Void, Never>] = [:]
  private var runs: [UInt64: Task<Void, Never>] = [:]

  /// Creates a gate.
  ///
  /// - Parameters:
  ///   - debounce: how long signals are collected.
  ///   - clock: the time to wait on.
  ///   - refresh: fetches a key's resource. It runs as its own task; ``cancel(_:)`` cancels it.
  ///   - apply: takes what is not stale. The key's next refresh doesn't start before it returns.
  public init(
    debounce: RefreshGateStateMachine<Key>.Debounce = .init(),
    clock: any EventStreamClock = SystemEventStreamClock(),
    refresh: @escaping @Sendable (Key) async throws -> Value,
    apply: @escaping @Sendable (Outcome) async -> Void
  ) {
    self.machine = RefreshGateStateMachine(debounce: debounce)
    self.clock = clock
    self.refresh = refresh
    self.apply = apply
  }

  deinit {
    for task in timers.values { task.cancel() }
    for task in runs.values { task.cancel() }
  }

  /// Says that a key's resource may have changed.
  public func signal(_ key: Key) {
    perform(machine.signal(key, at: clock.now))
  }

  /// Says that the app has something newer than what a refresh under way will bring, an event's own payload for
  /// instance: that refresh's outcome is dropped. Call it before showing what is newer, and keep the generation.
  @discardableResult
  public func supersede(_ key: Key) -> UInt64 {
    machine.supersede(key)
  }

  /// Says that nobody waits for a key any more, its screen was left for instance.
  ///
  /// A refresh under way is cancelled, and its outcome is dropped. The key stays locked until the closure has returned.
  public func cancel(_ key: Key) {
    perform(machine.cancel(key))
  }

  /// Cancels every key, after logout for instance.
  public func cancelAll() {
    for key in machine.busyKeys { cancel(key) }
  }

  private func perform(_ actions: [RefreshGateStateMachine<Key>.Action]) {
    for action in actions {
      switch action {
      case .schedule(let key, let timer, let deadline):
        // Only the clock is held while waiting: a gate that nobody holds any more must be able to go.
        timers[timer] = Task { [clock, weak self] in
          guard (try? await clock.sleep(until: deadline)) != nil else { return }
          await self?.timerFired(key: key, timer: timer)
        }
      case .cancelTimer(let timer):
        timers.removeValue(forKey: timer)?.cancel()
      case .run(let key, let generation):
        runs[generation] = Task { [refresh, weak self] in
          let result: Result<Value, any Error>
          do { result = .success(try await refresh(key)) } catch { result = .failure(error) }
          await self?.returned(Outcome(key: key, generation: generation, result: result))
        }
      case .cancelRun(let generation):
        runs[generation]?.cancel()
      }
    }
  }

  private func timerFired(key: Key, timer: UInt64) {
    timers[timer] = nil
    perform(machine.timerFired(key: key, timer: timer, at: clock.now))
  }

  private func returned(_ outcome: Outcome) async {
    if machine.isCurrent(key: outcome.key, generation: outcome.generation) { await apply(outcome) }
    runs[outcome.generation] = nil
    perform(machine.finished(key: outcome.key, generation: outcome.generation, at: clock.now))
  }
}
