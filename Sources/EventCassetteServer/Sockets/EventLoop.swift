// One thread that waits for all sockets and timers of a server and runs the server's actors. It is their executor and,
// where the system can do that (`task`), the one of everything they await, so a server goes on working while the
// program's own code blocks every thread of the concurrency pool, as synchronous tests do; and what the actors hold needs
// no other lock. The only lock guards the lists below, since jobs, waits and cancellations come from any thread.
//
// UNSAFE, and why: an executor passes itself to its jobs by an unowned reference, as the concurrency library wants it.
// Jobs run only while the loop is alive: its thread and its actors hold it.

import Dispatch
import EventCassettes
import ServerSentEvents

final class EventLoop: SerialExecutor {
  private struct Wait {
    var entry: PollEntry
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct Timer {
    var deadline: Duration
    var continuation: CheckedContinuation<Bool, Never>
  }

  private enum Phase { case running, stopping, ended }

  private struct State {
    var phase = Phase.running
    var jobs: [UnownedJob] = []
    var waits: [UInt64: Wait] = [:]
    var timers: [UInt64: Timer] = [:]
    /// Waits that were cancelled before they were registered.
    var cancelled: Set<UInt64> = []
    var lastNumber: UInt64 = 0
    /// Who waits for the thread's end, and whether it has come.
    var stopping: [CheckedContinuation<Void, Never>] = []
    var isGone = false
    /// Whether the thread may be asleep, so that a change needs the pipe.
    var isPolling = false
  }

  private let state = Locked(State())
  /// For what is left to do when the thread has ended.
  private let queue = DispatchQueue(label: "EventCassetteServer.EventLoop")
  private let pipe: WakePipe
  private let clock = SystemEventStreamClock()

  /// Starts the thread. It holds the loop until `stop()`.
  init() throws(SystemError) {
    let pipe = try WakePipe()
    self.pipe = pipe
    do throws(SystemError) {
      try startThread { self.run() }
    } catch {
      pipe.close()
      throw error
    }
  }

  /// Ends the thread and waits for its end; waits that are left end as cancelled. Not to be called on the loop itself.
  /// Actors of the loop keep working afterwards, on the queue alone.
  func stop() async {
    await withCheckedContinuation { continuation in
      let isGone = change { state in
        if state.phase == .running { state.phase = .stopping }
        if !state.isGone { state.stopping.append(continuation) }
        return state.isGone
      }
      if isGone { continuation.resume() }
    }
  }

  /// Starts a task whose steps all run here, unless they belong to somebody else's actor.
  @discardableResult
  func task(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    // Older systems resume a task by way of the pool even where it goes on with one of our actors.
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      return Task(executorPreference: self) { await body() }
    }
    return Task { await body() }
  }

  func enqueue(_ job: UnownedJob) {
    let isTaken = change { state in
      guard state.phase != .ended else { return false }
      state.jobs.append(job)
      return true
    }
    // The thread runs nothing once the phase is `ended`, and the queue is serial: actors stay one at a time.
    if !isTaken { queue.async { self.execute(job) } }
  }

  /// Waits until `socket` can be read or written, or has come to its end. False if the task was cancelled or the socket
  /// forgotten.
  func wait(for interest: PollEntry.Interest, on socket: Socket) async -> Bool {
    await suspend { number, continuation, state in
      state.waits[number] = Wait(
        entry: PollEntry(socket: socket, interest: interest), continuation: continuation)
    }
  }

  /// Waits until `deadline` of `SystemEventStreamClock`. False if the task was cancelled before.
  func wait(until deadline: Duration) async -> Bool {
    if deadline <= clock.now { return !Task.isCancelled }
    return await suspend { number, continuation, state in
      state.timers[number] = Timer(deadline: deadline, continuation: continuation)
    }
  }

  /// Ends all waits on a socket that is about to be closed, so that none can wake for the next one of that number.
  func forget(_ socket: Socket) {
    let ended = change { state in
      let numbers = state.waits.filter { $0.value.entry.socket == socket }.map(\.key)
      return numbers.compactMap { state.waits.removeValue(forKey: $0)?.continuation }
    }
    for continuation in ended { continuation.resume(returning: false) }
  }

  private func suspend(
    _ register: (UInt64, CheckedContinuation<Bool, Never>, inout State) -> Void
  ) async -> Bool {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isRegistered = change { state in
          guard state.phase == .running, !state.cancelled.contains(number) else { return false }
          register(number, continuation, &state)
          return true
        }
        if !isRegistered { continuation.resume(returning: false) }
      }
    } onCancel: {
      let continuation = change { state in
        if let wait = state.waits.removeValue(forKey: number) { return wait.continuation as Optional }
        if let timer = state.timers.removeValue(forKey: number) { return timer.continuation }
        state.cancelled.insert(number)
        return nil
      }
      continuation?.resume(returning: false)
    }
    state.withLock { _ = $0.cancelled.remove(number) }
    return result
  }

  /// Changes the lists and wakes the thread if it may be asleep.
  @discardableResult
  private func change<Result>(_ body: (inout State) -> Result) -> Result {
    state.withLock { state in
      let result = body(&state)
      // One byte is enough until the thread has been round again. Written under the lock, so that the pipe can't be
      // closed in between.
      if state.isPolling {
        state.isPolling = false
        pipe.wake()
      }
      return result
    }
  }

  // MARK: The thread

  private func run() {
    while true {
      let jobs = state.withLock { state in
        let jobs = state.jobs
        state.jobs = []
        return jobs
      }
      for job in jobs { execute(job) }
      guard let plan = planPoll() else { break }
      var entries = plan.entries
      PollEntry.poll(&entries, milliseconds: plan.milliseconds)
      if entries[0].isReady { pipe.drain() }
      resumeReady(zip(plan.numbers, entries.dropFirst()))
    }
    pipe.close()
    let waiting = state.withLock { state in
      state.isGone = true
      defer { state.stopping = [] }
      return state.stopping
    }
    for continuation in waiting { continuation.resume() }
  }

  private func execute(_ job: UnownedJob) {
    if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
      unsafe job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    } else {
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
    }
  }

  private struct PollPlan {
    var entries: [PollEntry]
    var numbers: [UInt64]
    var milliseconds: Int32
  }

  /// What to wait for next; `nil` when the loop is over.
  private func planPoll() -> PollPlan? {
    var left: [CheckedContinuation<Bool, Never>] = []
    let plan: PollPlan? = state.withLock { state in
      if state.phase == .stopping {
        left = state.waits.values.map(\.continuation) + state.timers.values.map(\.continuation)
        state.waits = [:]
        state.timers = [:]
        if left.isEmpty, state.jobs.isEmpty {
          state.phase = .ended
          return nil
        }
      }
      let isBusy = !state.jobs.isEmpty || !left.isEmpty
      state.isPolling = !isBusy
      return PollPlan(
        entries: [PollEntry(socket: pipe.reading, interest: .reading)] + state.waits.values.map(\.entry),
        numbers: Array(state.waits.keys),
        milliseconds: isBusy ? 0 : milliseconds(until: state.timers.values.map(\.deadline).min()))
    }
    for continuation in left { continuation.resume(returning: false) }
    return plan
  }

  private func resumeReady(_ entries: some Sequence<(UInt64, PollEntry)>) {
    let now = clock.now
    let ready = state.withLock { state in
      state.isPolling = false
      var ready = entries.filter(\.1.isReady).compactMap {
        state.waits.removeValue(forKey: $0.0)?.continuation
      }
      // In the order of their deadlines, so that two sleepers wake in theirs.
      let due = state.timers.filter { $0.value.deadline <= now }.sorted {
        $0.value.deadline < $1.value.deadline
      }
      for (number, timer) in due {
        state.timers.removeValue(forKey: number)
        ready.append(timer.continuation)
      }
      return ready
    }
    for continuation in ready { continuation.resume(returning: true) }
  }

  /// The time that `poll` may sleep, rounded up so that no timer is early.
  private func milliseconds(until deadline: Duration?) -> Int32 {
    guard let deadline else { return -1 }
    let rest = (deadline - clock.now).components
    if rest.seconds < 0 || (rest.seconds == 0 && rest.attoseconds <= 0) { return 0 }
    if rest.seconds > 1_000_000 { return 1_000_000_000 }
    return Int32(rest.seconds * 1000 + (rest.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension EventLoop: TaskExecutor {}
