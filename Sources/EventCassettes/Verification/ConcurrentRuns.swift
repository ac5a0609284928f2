// Work that is shared out among the processor's cores: runs of a check that need nothing of each other.

import Dispatch

/// Runs a closure on each piece of work, on as many cores as there are, and gives the results in order.
func onAllCores<Work: Sendable, Result: Sendable>(
  _ work: [Work], _ run: @Sendable (Work) -> Result
) -> [Result] {
  let results = ConcurrentResults<Result>(count: work.count)
  DispatchQueue.concurrentPerform(iterations: work.count) { results.set(run(work[$0]), at: $0) }
  return results.all
}

/// What the cores found.
private final class ConcurrentResults<Result: Sendable>: @unchecked Sendable {
  // @unchecked: the variable is touched on the queue, nowhere else.
  private let queue = DispatchQueue(label: "ConcurrentResults")
  private var results: [Result?]

  init(count: Int) { results = Array(repeating: nil, count: count) }

  var all: [Result] { queue.sync { results.compactMap(\.self) } }

  func set(_ result: Result, at index: Int) { queue.sync { results[index] = result } }
}
