// `each` for parsers that are Equatable values. A split needs no run from the start to the end: it begins in the
// state before it, and is over once the state is again that of the undisturbed run, for equal states go on equally.

extension ChunkingCheck where Parser: Equatable {
  /// Runs single splits, each within a window of the body: from the state at the window's start, in two chunks instead
  /// of one, until the state is the undisturbed one again.
  ///
  /// Where the budget allows it, the window is the whole body, and the splits are just those of the plan. Else the
  /// undisturbed run has further cuts, at the windows' seams: `window` in the result says how far apart. Past that,
  /// it is the hostile places and then a seeded sample.
  mutating func runEachFromStates(seed: UInt64) -> (PlanRun, ChunkingFinding?) {
    let total = streams.reduce(0) { $0 + bodies[$1].bytes.count }
    var run = PlanRun(
      plan: .each, replays: 0, possible: streams.reduce(0) { $0 + max(bodies[$1].bytes.count - 1, 0) })
    guard total > 0 else { return (run, nil) }
    let longest = streams.map { bodies[$0].bytes.count }.max() ?? 0
    // Each split feeds one window, each seam two, and the undisturbed run goes through everything once. The state is
    // copied for each, with all that it holds.
    let held = streams.reduce(0) { $0 + heldBytes(in: $1).reduce(0, +) } / (total / Self.heldGrain + 1)
    let copying = held / (ProofReach.copiedForOneFed / 2)
    let window = min(max(budget / total - 2 - copying, Self.smallestWindow), longest)
    if window < longest { run.window = window }
    let chosen = splits(seed: seed) { min(window, bodies[$0].bytes.count) + copying }.sorted {
      ($0.body, $0.cut) < ($1.body, $1.cut)
    }
    let before = bytesFed
    var next = 0
    for index in streams {
      let start = next
      while next < chosen.count, chosen[next].body == index { next += 1 }
      if let finding = runSplits(chosen[start..<next].map(\.cut), of: index, window: window, &run) {
        return (run, finding)
      }
    }
    budget = max(budget - (bytesFed - before), 0)
    return (run, nil)
  }

  private static var smallestWindow: Int { 256 }

  private mutating func runSplits(
    _ cuts: [Int], of index: Int, window: Int, _ run: inout PlanRun
  ) -> ChunkingFinding? {
    let bytes = bodies[index].bytes
    let seams = Array(stride(from: window, to: bytes.count, by: window))
    var undisturbed: [Parser.Output] = []
    var state = makeParser(bodies[index])
    var next = 0
    for (number, start) in ([0] + seams).enumerated() {
      let end = number < seams.count ? seams[number] : bytes.count
      var after = state
      let outputs = feed(&after, bytes[start..<end])
      undisturbed += outputs
      let given = outputCounts(state, bytes[start..<end])
      while next < cuts.count, cuts[next] <= end, cuts[next] < bytes.count {
        let cut = cuts[next]
        next += 1
        run.replays += 1
        if cut < end {
          // As it nearly always is: the outputs are compared without being made.
          let first = outputs.prefix(given[cut - start])
          var split = state
          count(end - start)
          if split.append(bytes.span.extracting(start..<cut), gives: first),
            split.append(bytes.span.extracting(cut..<end), gives: outputs[first.endIndex...]), split == after
          {
            continue
          }
        }
        // A split at a seam is one of the two windows around it taken together.
        let stop = cut == end ? (number + 1 < seams.count ? seams[number + 1] : bytes.count) : end
        var whole = after
        var wanted = outputs
        if stop != end {
          whole = state
          wanted = feed(&whole, bytes[start..<stop])
        }
        var split = state
        var got = feed(&split, bytes[start..<cut])
        got += feed(&split, bytes[cut..<stop])
        // A different state is no fault by itself: the outputs to come decide.
        if got != wanted || (split != whole && differ(&split, &whole, bytes[stop...], index, window)) {
          let cuts = (seams.filter { $0 <= start || $0 >= stop } + [cut]).sorted()
          // The same outputs, only earlier or later, are no fault: a parser may hold back what it has.
          if self.outputs(of: index, cutAt: cuts) != expected[index] {
            return finding(in: index, cutAt: cuts, by: .each)
          }
        }
      }
      state = after
    }
    if undisturbed + state.end() == expected[index] { return nil }
    return finding(in: index, cutAt: seams, by: .each)
  }

  /// How many outputs a parser has given after 0, 1, 2 … of these bytes, fed one by one.
  private mutating func outputCounts(_ state: Parser, _ bytes: ArraySlice<UInt8>) -> [Int] {
    var parser = state
    count(bytes.count)
    var counts = [0]
    var sum = 0
    for byte in bytes {
      sum += parser.append([byte]).count
      counts.append(sum)
    }
    return counts
  }

  /// Whether two states give different outputs on the rest of the body, which stops where they meet.
  private mutating func differ(
    _ a: inout Parser, _ b: inout Parser, _ rest: ArraySlice<UInt8>, _ index: Int, _ window: Int
  ) -> Bool {
    var start = rest.startIndex
    while start < rest.endIndex {
      let end = min(start + window, rest.endIndex)
      if feed(&a, rest[start..<end]) != feed(&b, rest[start..<end]) { return true }
      if a == b { return false }
      start = end
    }
    return a.end() != b.end()
  }

  private mutating func feed(_ parser: inout Parser, _ bytes: ArraySlice<UInt8>) -> [Parser.Output] {
    count(bytes.count)
    return parser.append(Array(bytes))
  }
}
