// The refresh gate: the pure machine step by step and under random inputs, and the actor that carries it out.
import ServerSentEvents
import Testing

@Suite("Refresh gate, decisions") struct RefreshGateStateMachineTests {
  typealias Machine = RefreshGateStateMachine<String>

  func makeMachine(quiet: Int = 100, longest: Int = 1000) -> Machine {
    Machine(debounce: .init(quiet: .milliseconds(quiet), longest: .milliseconds(longest)))
  }

  @Test("signals for one key are debounced into one refresh")
  func debounced() {
    var machine = makeMachine()
    #expect(machine.signal("a", at: .zero) == [.schedule(key: "a", timer: 1, at: .milliseconds(100))])
    #expect(machine.signal("a", at: .milliseconds(60)) == [])
    #expect(machine.signal("a", at: .milliseconds(90)) == [])
    #expect(
      machine.timerFired(key: "a", timer: 1, at: .milliseconds(100))
        == [.schedule(key: "a", timer: 2, at: .milliseconds(190))])
    #expect(
      machine.timerFired(key: "a", timer: 2, at: .milliseconds(190)) == [.run(key: "a", generation: 3)])
    #expect(machine.finished(key: "a", generation: 3, at: .milliseconds(300)) == [])
    #expect(machine.busyKeys.isEmpty)
  }

  @Test("a resource that never falls quiet is refreshed all the same")
  func longest() {
    var machine = makeMachine(quiet: 100, longest: 250)
    var (now, deadline, timer, runs) = (0, 0, UInt64(0), 0)
    while now < 1000 {
      for action in machine.signal("a", at: .milliseconds(now)) {
        if case .schedule(_, let number, let at) = action {
          (timer, deadline) = (number, Int(at / .milliseconds(1)))
        }
      }
      now += 50
      guard now >= deadline else { continue }
      for action in machine.timerFired(key: "a", timer: timer, at: .milliseconds(now)) {
        switch action {
        case .schedule(_, let number, let at): (timer, deadline) = (number, Int(at / .milliseconds(1)))
        case .run(_, let generation):
          runs += 1
          _ = machine.finished(key: "a", generation: generation, at: .milliseconds(now))
        case .cancelTimer, .cancelRun: Issue.record("nothing was cancelled")
        }
      }
    }
    #expect(runs == 4)  // once every 250 ms
  }

  @Test("a signal that arrives during a refresh runs after it, once")
  func trailing() {
    var machine = makeMachine(quiet: 0)
    _ = machine.signal("a", at: .zero)
    #expect(machine.timerFired(key: "a", timer: 1, at: .zero) == [.run(key: "a", generation: 2)])
    #expect(machine.signal("a", at: .milliseconds(1)) == [])
    #expect(machine.signal("a", at: .milliseconds(2)) == [])
    #expect(machine.isCurrent(key: "a", generation: 2))
    #expect(
      machine.finished(key: "a", generation: 2, at: .milliseconds(3)) == [.run(key: "a", generation: 3)])
    #expect(machine.finished(key: "a", generation: 3, at: .milliseconds(4)) == [])
  }

  @Test("the refresh that runs after still waits for quiet")
  func trailingDebounced() {
    var machine = makeMachine(quiet: 100)
    _ = machine.signal("a", at: .zero)
    _ = machine.timerFired(key: "a", timer: 1, at: .milliseconds(100))
    _ = machine.signal("a", at: .milliseconds(150))
    #expect(
      machine.finished(key: "a", generation: 2, at: .milliseconds(160))
        == [.schedule(key: "a", timer: 3, at: .milliseconds(250))])
  }

  @Test("keys are independent")
  func independent() {
    var machine = makeMachine(quiet: 0)
    _ = machine.signal("a", at: .zero)
    _ = machine.timerFired(key: "a", timer: 1, at: .zero)
    #expect(machine.signal("b", at: .zero) == [.schedule(key: "b", timer: 3, at: .zero)])
    #expect(machine.timerFired(key: "b", timer: 3, at: .zero) == [.run(key: "b", generation: 4)])
    #expect(machine.cancel("a") == [.cancelRun(generation: 2)])
    #expect(machine.isCurrent(key: "b", generation: 4))
  }

  @Test("a stale result never overwrites a newer one")
  func stale() {
    var machine = makeMachine(quiet: 0)
    _ = machine.signal("a", at: .zero)
    _ = machine.timerFired(key: "a", timer: 1, at: .zero)
    #expect(machine.isCurrent(key: "a", generation: 2))
    #expect(machine.supersede("a") == 3)
    #expect(!machine.isCurrent(key: "a", generation: 2))
    _ = machine.finished(key: "a", generation: 2, at: .zero)
    _ = machine.signal("a", at: .zero)
    let actions = machine.timerFired(key: "a", timer: 4, at: .zero)
    #expect(actions == [.run(key: "a", generation: 5)])
    #expect(!machine.isCurrent(key: "a", generation: 2))
    #expect(machine.finished(key: "a", generation: 2, at: .zero) == [])
    #expect(machine.isCurrent(key: "a", generation: 5))
  }

  @Test("a cancelled refresh keeps its key locked until it has returned")
  func cancelled() {
    var machine = makeMachine(quiet: 0)
    _ = machine.signal("a", at: .zero)
    _ = machine.timerFired(key: "a", timer: 1, at: .zero)
    #expect(machine.cancel("a") == [.cancelRun(generation: 2)])
    #expect(!machine.isCurrent(key: "a", generation: 2))
    #expect(machine.signal("a", at: .zero) == [])
    #expect(machine.finished(key: "a", generation: 2, at: .zero) == [.run(key: "a", generation: 3)])
    #expect(machine.cancel("b") == [])
    _ = machine.signal("b", at: .zero)
    #expect(machine.cancel("b") == [.cancelTimer(4)])
    #expect(machine.timerFired(key: "b", timer: 4, at: .zero) == [])
  }

  @Test(
    "random inputs: never two runs of a key, and no signal is forgotten", arguments: 0..<20 as Range<UInt64>)
  func invariants(seed: UInt64) throws {
    var random = SplitMix(seed)
    var machine = makeMachine(quiet: 5, longest: 12)
    var now: Duration = .zero
    var timers: [UInt64: (key: String, at: Duration)] = [:]
    var runs: [UInt64: String] = [:]
    var unserved: Set<String> = []  // keys signalled since their last run began
    func carryOut(_ actions: [Machine.Action]) throws {
      for action in actions {
        switch action {
        case .schedule(let key, let timer, let at):
          try #require(!timers.values.contains { $0.key == key }, "two timers for \(key)")
          timers[timer] = (key, at)
        case .cancelTimer(let timer): try #require(timers.removeValue(forKey: timer) != nil)
        case .run(let key, let generation):
          try #require(!runs.values.contains(key), "two runs of \(key)")
          runs[generation] = key
          unserved.remove(key)
        case .cancelRun(let generation): try #require(runs[generation] != nil)
        }
      }
    }
    for _ in 0..<10_000 {
      let key = ["a", "b", "c"][Int(random.next() % 3)]
      switch random.next() % 8 {
      case 0...2:
        unserved.insert(key)
        try carryOut(machine.signal(key, at: now))
      case 3:
        unserved.remove(key)
        try carryOut(machine.cancel(key))
      case 4:
        _ = machine.supersede(key)
      case 5:
        if let (generation, key) = runs.min(by: { $0.key < $1.key }) {
          runs[generation] = nil
          try carryOut(machine.finished(key: key, generation: generation, at: now))
        }
      default:
        now += .milliseconds(Int(random.next() % 8))
        for (timer, entry) in timers.sorted(by: { $0.key < $1.key }) where entry.at <= now {
          timers[timer] = nil
          try carryOut(machine.timerFired(key: entry.key, timer: timer, at: now))
        }
      }
    }
    // Let everything run out: each signal must have been followed by a run that began after it.
    while !timers.isEmpty || !runs.isEmpty {
      now += .milliseconds(20)
      for (timer, entry) in timers {
        timers[timer] = nil
        try carryOut(machine.timerFired(key: entry.key, timer: timer, at: now))
      }
      for (generation, key) in runs {
        runs[generation] = nil
        try carryOut(machine.finished(key: key, generation: generation, at: now))
      }
    }
    #expect(unserved.isEmpty)
    #expect(machine.busyKeys.isEmpty)
  }
}

@Suite("Refresh gate") struct RefreshGateTests {
  struct Refused: Error {}

  /// A refresh that a test answers by hand: `started` tells which key is being fetched, `answer` lets it return.
  actor Backend {
    private var waiting: [(key: String, continuation: CheckedContinuation<String, any Error>)] = []
    private var watchers: [CheckedContinuation<Void, Never>] = []
    private(set) var running: [String: Int] = [:]
    private(set) var most = 0
    private(set) var fetches: [String] = []

    func fetch(_ key: String) async throws -> String {
      running[key, default: 0] += 1
      most = max(most, running[key, default: 0])
      fetches.append(key)
      defer { running[key, default: 0] -= 1 }
      return try await withCheckedThrowingContinuation { continuation in
        waiting.append((key, continuation))
        for watcher in watchers { watcher.resume() }
        watchers = []
      }
    }

    func answer(_ key: String, _ result: Result<String, any Error>) async {
      while true {
        if let place = waiting.firstIndex(where: { $0.key == key }) {
          return waiting.remove(at: place).continuation.resume(with: result)
        }
        await withCheckedContinuation { watchers.append($0) }
      }
    }
  }

  typealias Gate = RefreshGate<String, String>

  func makeGate() -> (Gate, ManualClock, Backend, AsyncStream<Gate.Outcome>.Iterator) {
    let (clock, backend) = (ManualClock(), Backend())
    let (outcomes, continuation) = AsyncStream.makeStream(of: Gate.Outcome.self)
    let gate = Gate(
      debounce: .init(quiet: .milliseconds(100), longest: .seconds(1)), clock: clock,
      refresh: { try await backend.fetch($0) }, apply: { continuation.yield($0) })
    return (gate, clock, backend, outcomes.makeAsyncIterator())
  }

  @Test("a failed refresh unlocks its key, and a good one follows")
  func failureUnlocks() async throws {
    var (gate, clock, backend, outcomes) = makeGate()
    await gate.signal("order-1")
    await gate.signal("order-1")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(100))
    await backend.answer("order-1", .failure(Refused()))
    let failed = try #require(await outcomes.next())
    #expect(throws: Refused.self) { try failed.result.get() }
    await gate.signal("order-1")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(100))
    await backend.answer("order-1", .success("shipped"))
    let good = try #require(await outcomes.next())
    #expect(try good.result.get() == "shipped")
    #expect(good.generation > failed.generation)
    #expect(await backend.fetches == ["order-1", "order-1"])
  }

  @Test("a signal during a refresh runs after it; other keys don't wait")
  func trailing() async throws {
    var (gate, clock, backend, outcomes) = makeGate()
    await gate.signal("order-1")
    await gate.signal("order-2")
    await clock.sleepers(2)
    clock.advance(by: .milliseconds(100))
    await backend.answer("order-2", .success("two"))
    #expect(try #require(await outcomes.next()).key == "order-2")
    await gate.signal("order-1")
    clock.advance(by: .milliseconds(100))
    await backend.answer("order-1", .success("old"))
    #expect(try #require(await outcomes.next()).result.get() == "old")
    await backend.answer("order-1", .success("new"))
    #expect(try #require(await outcomes.next()).result.get() == "new")
    #expect(await backend.most == 1)
  }

  @Test("leaving during a refresh drops its result, and coming back fetches anew")
  func leaving() async throws {
    var (gate, clock, backend, outcomes) = makeGate()
    await gate.signal("order-1")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(100))
    while await backend.fetches.isEmpty { await Task.yield() }
    await gate.cancel("order-1")
    await gate.signal("order-1")
    clock.advance(by: .milliseconds(100))
    await backend.answer("order-1", .success("nobody looks"))
    await backend.answer("order-1", .success("seen"))
    #expect(try #require(await outcomes.next()).result.get() == "seen")
  }

  @Test("a result that was superseded while it was fetched is dropped")
  func superseded() async throws {
    var (gate, clock, backend, outcomes) = makeGate()
    await gate.signal("order-1")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(100))
    while await backend.fetches.isEmpty { await Task.yield() }
    let newer = await gate.supersede("order-1")
    await gate.signal("order-1")
    clock.advance(by: .milliseconds(100))
    await backend.answer("order-1", .success("stale"))
    await backend.answer("order-1", .success("newest"))
    let outcome = try #require(await outcomes.next())
    #expect(try outcome.result.get() == "newest")
    #expect(outcome.generation > newer)
  }

  @Test("a gate that nobody holds goes, and its timers with it")
  func released() async {
    let (clock, backend) = (ManualClock(), Backend())
    var gate: Gate? = Gate(clock: clock, refresh: { try await backend.fetch($0) }, apply: { _ in })
    weak let weakGate = gate
    await gate?.signal("order-1")
    await clock.sleepers(1)
    gate = nil
    await clock.sleepers(0)
    #expect(weakGate == nil)
    #expect(await backend.fetches.isEmpty)
  }
}
