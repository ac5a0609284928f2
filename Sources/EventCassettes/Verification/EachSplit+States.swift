// `each` for parsers that are Equatable values. A split needs no run from the start to the end: it begins in the
// state before it, and is over once the state is again that of the undisturbed run, for equal states go on equally.

import ServerSentEvents

extension ChunkingCheck where Parser: Equatable {
  /// Runs single splits, each within a window of the body: from the state at the window's start, in two chunks instead
  /// of one, until the state is the undisturbed one again.
  ///
  /// Where the budget allows it, the window is the whole body, and the splits are just those of the plan. Else the
  /// undisturbed run has further cuts, at the windows' seams: `window` in the result says how far apart. Past that,
  /// it is the hostile places and then a seeded sample.
  mutating func runEachFromStates(seed: UInt64) -> (PlanRun, ChunkingFinding?) {
    runEach(seed, { OutputSubject(parser: $0) }, running: { segments in segments.map { $0.run() } })
  }

  private mutating func runEach<Subject: ProofSubject>(
    _ seed: UInt64, _ subject: (Parser) -> Subject, running run: ([SplitSegment<Subject>]) -> [[Int]]
  ) -> (PlanRun, ChunkingFinding?) {
    let total = streams.reduce(0) { $0 + bodies[$1].bytes.count }
    var result = PlanRun(
      plan: .each, replays: 0, possible: streams.reduce(0) { $0 + max(bodies[$1].bytes.count - 1, 0) })
    guard total > 0 else { return (result, nil) }
    let longest = streams.map { bodies[$0].bytes.count }.max() ?? 0
    // Each split feeds one window, each seam two, and the undisturbed run goes through everything once. The state is
    // copied for each, with all that it holds.
    let held = streams.reduce(0) { $0 + heldBytes(in: $1).reduce(0, +) } / (total / Self.heldGrain + 1)
    let copying = held / (ProofReach.copiedForOneFed / 2)
    let window = min(max(budget / total - 2 - copying, Self.smallestWindow), longest)
    if window < longest { result.window = window }
    let chosen = splits(seed: seed) { min(window, bodies[$0].bytes.count) + copying }.sorted {
      ($0.body, $0.cut) < ($1.body, $1.cut)
    }
    let before = bytesFed
    var next = 0
    for index in streams {
      let start = next
      while next < chosen.count, chosen[next].body == index { next += 1 }
      let cuts = chosen[start..<next].map(\.cut)
      if let finding = runSplits(cuts, of: index, window: window, &result, subject, running: run) {
        return (result, finding)
      }
    }
    budget = max(budget - (bytesFed - before), 0)
    return (result, nil)
  }

  private static var smallestWindow: Int { 256 }

  private mutating func runSplits<Subject: ProofSubject>(
    _ cuts: [Int], of index: Int, window: Int, _ result: inout PlanRun, _ subject: (Parser) -> Subject,
    running run: ([SplitSegment<Subject>]) -> [[Int]]
  ) -> ChunkingFinding? {
    let bytes = bodies[index].bytes
    let seams = Array(stride(from: window, to: bytes.count, by: window))
    var undisturbed: [Parser.Output] = []
    var state = makeParser(bodies[index])
    var rest = cuts[...]
    for (number, start) in ([0] + seams).enumerated() {
      let end = number < seams.count ? seams[number] : bytes.count
      let before = state
      undisturbed += feed(&state, bytes[start..<end])
      let inside = rest.prefix { $0 < end }
      let atSeam = rest.dropFirst(inside.count).prefix { $0 == end && $0 < bytes.count }
      let odd = run(SplitSegment.segments(of: bytes, start..<end, from: subject(before), cutAt: inside))
        .joined()
      count((inside.count + 2) * (end - start))
      for cut in odd + atSeam {
        // A split at a seam is one of the two windows around it taken together.
        let stop = cut < end ? end : number + 1 < seams.count ? seams[number + 1] : bytes.count
        if let finding = examine(cut, of: index, from: before, start..<stop, seams) {
          result.replays += rest.prefix { $0 <= cut }.count
          return finding
        }
      }
      result.replays += inside.count + atSeam.count
      rest = rest.dropFirst(inside.count + atSeam.count)
    }
    if undisturbed + state.end() == expected[index] { return nil }
    return finding(in: index, cutAt: seams, by: .each)
  }

  /// Whether a split that doesn't give the same at once is at fault.
  private mutating func examine(
    _ cut: Int, of index: Int, from state: Parser, _ window: Range<Int>, _ seams: [Int]
  ) -> ChunkingFinding? {
    let bytes = bodies[index].bytes
    var whole = state
    let wanted = feed(&whole, bytes[window])
    var split = state
    var got = feed(&split, bytes[window.lowerBound..<cut])
    got += feed(&split, bytes[cut..<window.upperBound])
    // A different state is no fault by itself: the outputs to come decide.
    let rest = bytes[window.upperBound...]
    guard got != wanted || (split != whole && differ(&split, &whole, rest, index, window.count)) else {
      return nil
    }
    let cuts = (seams.filter { $0 <= window.lowerBound || $0 >= window.upperBound } + [cut]).sorted()
    // The same outputs, only earlier or later, are no fault: a parser may hold back what it has.
    guard outputs(of: index, cutAt: cuts) != expected[index] else { return nil }
    return finding(in: index, cutAt: cuts, by: .each)
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

extension ChunkingCheck where Parser: Equatable & Sendable {
  /// Runs single splits as ``runEachFromStates(seed:)`` does, on all cores.
  mutating func runEachConcurrently(seed: UInt64) -> (PlanRun, ChunkingFinding?) {
    runEach(seed, { OutputSubject(parser: $0) }, running: { onAllCores($0) { $0.run() } })
  }
}

extension ChunkingCheck where Parser == EventStreamParser {
  /// Runs single splits for our parser, on all cores.
  mutating func runOwnEach(seed: UInt64) -> (PlanRun, ChunkingFinding?) {
    runEach(seed, { TranscriptSubject(parser: $0) }, running: { onAllCores($0) { $0.run() } })
  }
}

/// Some splits of a window.
private struct SplitSegment<Subject: ProofSubject> {
  let bytes: [UInt8]
  let window: Range<Int>
  let cuts: ArraySlice<Int>
  /// The states around the window, taken as one chunk.
  let before: Subject
  let after: Subject
  /// What the window gives as one chunk.
  let record: Subject.Record
  /// How much of that has come after each of its bytes, fed one by one; first the beginning.
  let counts: [Int]

  /// The splits of a window, shared out.
  static func segments(
    of bytes: [UInt8], _ window: Range<Int>, from before: Subject, cutAt cuts: ArraySlice<Int>
  ) -> [SplitSegment] {
    guard !cuts.isEmpty else { return [] }
    let span = bytes.span
    var after = before
    var record = Subject.Record()
    after.append(span.extracting(window), to: &record)
    var state = before
    var singly = Subject.Record()
    var counts = [0]
    for index in window {
      state.append(span.extracting(index..<index + 1), to: &singly)
      counts.append(min(singly.count, record.count))
    }
    let share = max(cuts.count / 64, 64)
    return stride(from: cuts.startIndex, to: cuts.endIndex, by: share).map { start in
      SplitSegment(
        bytes: bytes, window: window, cuts: cuts[start..<min(start + share, cuts.endIndex)], before: before,
        after: after, record: record, counts: counts)
    }
  }

  /// Those that don't give the same at once: other outputs, some of them earlier or later, or another state.
  func run() -> [Int] {
    let span = bytes.span
    var odd: [Int] = []
    var split = before  // one after the other, in the same storage
    for cut in cuts {
      let given = counts[cut - window.lowerBound]
      split.become(before)
      let isSame =
        split.append(span.extracting(window.lowerBound..<cut), gives: record, 0..<given)
        && split.append(span.extracting(cut..<window.upperBound), gives: record, given..<record.count)
      if !isSame || !split.isEqual(to: after) { odd.append(cut) }
    }
    return odd
  }
}

extension SplitSegment: Sendable where Subject: Sendable, Subject.Record: Sendable {}
