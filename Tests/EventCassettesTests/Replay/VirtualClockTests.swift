// The virtual clock: order of wake-ups, cancellation, and that time only moves when asked.

import EventCassettes
import Testing

private actor Log {
  var entries: [String] = []
  func add(_ entry: String) { entries.append(entry) }
}

@Suite("The virtual clock")
struct VirtualClockTests {
  @Test("sleepers wake in the order of their deadlines, each at its own time")
  func order() async {
    let clock = VirtualClock()
    let log = Log()
    let tasks = [30, 10, 20].map { seconds in
      Task {
        try await clock.sleep(until: .seconds(seconds))
        await log.add("\(seconds) at \(clock.now)")
      }
    }
    await clock.advance(by: .seconds(25))
    #expect(await log.entries == ["10 at 10.0 seconds", "20 at 20.0 seconds"])
    #expect(clock.now == .seconds(25))
    await clock.advance(by: .seconds(5))
    #expect(await log.entries.count == 3)
    for task in tasks { _ = await task.result }
  }

  @Test("a sleep chained to a sleep is met within one advance")
  func chained() async {
    let clock = VirtualClock()
    let log = Log()
    let task = Task {
      for step in 1...1_000 {
        try await clock.sleep(until: .seconds(step))
        await log.add("\(step)")
      }
    }
    await clock.advance(to: .seconds(1_000))
    #expect(await log.entries.count == 1_000)
    _ = await task.result
  }

  @Test("a deadline in the past returns at once, and a cancelled sleeper throws")
  func pastAndCancelled() async throws {
    let clock = VirtualClock(start: .seconds(5))
    try await clock.sleep(until: .seconds(5))
    let task = Task { try await clock.sleep(until: .seconds(50)) }
    await clock.settle()
    #expect(clock.sleeperCount == 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.sleeperCount == 0)
    let early = Task {
      // Cancelled before it sleeps, whichever of the two gets here first.
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(until: .seconds(50))
    }
    early.cancel()
    await #expect(throws: CancellationError.self) { try await early.value }
  }

  @Test("run goes from deadline to deadline and stops at its limit")
  func run() async {
    let clock = VirtualClock()
    let task = Task { while true { try await clock.sleep(until: clock.now + .seconds(15)) } }
    await clock.run(limit: .seconds(100)) { false }
    #expect(clock.now == .seconds(90))
    task.cancel()
    _ = await task.result
  }
}
