// One check of one parser over the bodies of a session: run a plan, compare with what is expected, make a failure
// small. The parser is a black box here: every run starts it anew. Going on from states is EachSplit+States.swift and
// ChunkingProof.swift.

import ServerSentEvents

/// Runs a parser over bodies under plans. A value that counts what it fed.
struct ChunkingCheck<Parser: EventStreamParsing> {
  /// The bodies, all of the session's in order, so that offsets of plans fit.
  let bodies: [ExchangeBody]
  /// The body offset of each exchange in the session.
  let bases: [Int]
  let makeParser: (ExchangeBody) -> Parser
  /// What must come, for each body; empty for those that are no event stream.
  let expected: [[Parser.Output]]
  /// A line of JSON for an output.
  let describe: (Parser.Output) -> String
  /// How many bytes may still be fed by `each`, a proof or the search for the smallest split.
  var budget: Int
  private(set) var bytesFed = 0

  /// Outputs that aren't given are those of the parser itself, uncut.
  init(
    bodies: [ExchangeBody], expected: [[Parser.Output]]? = nil, budget: Int,
    describe: @escaping (Parser.Output) -> String, makeParser: @escaping (ExchangeBody) -> Parser
  ) {
    self.bodies = bodies
    self.makeParser = makeParser
    self.describe = describe
    self.budget = budget
    var base = 0
    bases = bodies.map { body in
      defer { base += body.bytes.count }
      return base
    }
    self.expected =
      expected
      ?? bodies.map { body in
        guard body.isEventStream else { return [] }
        var parser = makeParser(body)
        var outputs = parser.append(body.bytes)
        outputs += parser.end()
        return outputs
      }
  }

  /// Notes that bytes were fed elsewhere.
  mutating func count(_ bytes: Int) { bytesFed += bytes }

  /// The bodies that count, by index.
  var streams: [Int] { bodies.indices.filter { bodies[$0].isEventStream } }

  /// What the parser gives for one body under cuts.
  mutating func outputs(of index: Int, cutAt cuts: [Int]) -> [Parser.Output] {
    let body = bodies[index]
    bytesFed += body.bytes.count
    var parser = makeParser(body)
    var outputs: [Parser.Output] = []
    for piece in body.bytes.pieces(cutAt: cuts) { outputs += parser.append(piece) }
    return outputs + parser.end()
  }

  /// Runs a plan that stands for one chunking. Outputs are compared as they come, and none is kept.
  mutating func run(_ plan: ChunkBoundaryPlan) -> (PlanRun, ChunkingFinding?) {
    var scanner = BoundaryScanner(plan)
    for (index, body) in bodies.enumerated() {
      let before = scanner
      var seen = 0
      var difference: Difference?
      if body.isEventStream {
        let expected = expected[index]
        func compare(_ outputs: [Parser.Output]) {
          if difference == nil, !expected.dropFirst(seen).starts(with: outputs) {
            difference = self.difference(expected.dropFirst(seen), outputs[...], after: seen)
          }
          seen += outputs.count
        }
        var parser = makeParser(body)
        scanner.forEachPiece(ofBody: body.bytes, recordedLengths: body.chunkLengths) {
          compare(parser.append($0))
        }
        compare(parser.end())
        count(body.bytes.count)
        if difference == nil, seen < expected.count {
          difference = self.difference(expected.dropFirst(seen), [], after: seen)
        }
      } else {
        _ = scanner.cuts(inBody: body.bytes, recordedLengths: body.chunkLengths)
      }
      if let difference {
        scanner = before
        let cuts = scanner.cuts(inBody: body.bytes, recordedLengths: body.chunkLengths)
        return (PlanRun(plan: plan), finding(in: index, cutAt: cuts, by: plan, seen: difference))
      }
    }
    return (PlanRun(plan: plan), nil)
  }

  /// Runs single splits, each from the start: all of them if the budget allows, else the hostile places and then a
  /// seeded sample.
  mutating func runEach(seed: UInt64) -> (PlanRun, ChunkingFinding?) {
    var run = PlanRun(
      plan: .each, replays: 0, possible: streams.reduce(0) { $0 + max(bodies[$1].bytes.count - 1, 0) })
    var spent = 0
    for (index, cut) in splits(seed: seed, cost: { bodies[$0].bytes.count }) {
      let cost = bodies[index].bytes.count
      if spent + cost > budget { break }
      spent += cost
      run.replays += 1
      let got = outputs(of: index, cutAt: [cut])
      if got != expected[index] {
        let difference = difference(expected[index][...], got[...], after: 0)
        return (run, finding(in: index, cutAt: [cut], by: .each, seen: difference))
      }
    }
    budget -= spent
    return (run, nil)
  }

  /// The splits to try: every one in order if they cost no more than the budget together; otherwise hostile places
  /// first, then drawn ones, as many as the budget allows.
  func splits(seed: UInt64, cost: (Int) -> Int) -> [(body: Int, cut: Int)] {
    var total = 0
    for index in streams {
      let (product, overflow) = bodies[index].bytes.count.multipliedReportingOverflow(by: max(cost(index), 1))
      total = overflow ? .max : total.addingReportingOverflow(product).overflow ? .max : total + product
    }
    let lengths = streams.map { ($0, bodies[$0].bytes.count) }.filter { $0.1 > 1 }
    if total <= budget {
      return lengths.flatMap { index, length in (1..<length).map { (index, $0) } }
    }
    var generator = SplitMix64(seed: seed)
    var chosen: [(body: Int, cut: Int)] = []
    var room = budget
    func take(_ index: Int, _ cut: Int) -> Bool {
      room -= max(cost(index), 1)
      if room < 0 { return false }
      chosen.append((index, cut))
      return true
    }
    // Where not even the hostile ones all fit, a seeded choice of them; one more than can fit is as good as all.
    let mostThatFit = budget / (streams.map { max(cost($0), 1) }.min() ?? 1)
    let hostile = hostilePlaces(atMost: mostThatFit + 1, &generator)
    for (index, cut) in hostile { if !take(index, cut) { return chosen } }
    var taken = Set(hostile.map { bases[$0.0] + $0.1 })
    let all = lengths.reduce(0) { $0 + $1.1 - 1 }
    // Drawn with few misses up to half of all places; more than that is no sample worth drawing.
    while taken.count < max(all / 2, hostile.count) {
      var place = Int(generator.next(below: UInt64(all)))
      for (index, length) in lengths {
        if place >= length - 1 { place -= length - 1; continue }
        if taken.insert(bases[index] + place + 1).inserted, !take(index, place + 1) { return chosen }
        break
      }
    }
    return chosen
  }

  /// So many of the hostile places in all bodies, each as likely as the next, in a drawn order. (A reservoir: in a
  /// large body there are far more of them than are wanted.)
  private func hostilePlaces(atMost most: Int, _ generator: inout SplitMix64) -> [(body: Int, cut: Int)] {
    var places: [(body: Int, cut: Int)] = []
    var seen: UInt64 = 0
    for index in streams {
      let bytes = bodies[index].bytes
      var scanner = HostilePlaces()
      for start in stride(from: 0, to: bytes.count, by: 64 << 10) {
        for cut in scanner.cuts(in: bytes[start..<min(start + (64 << 10), bytes.count)]) {
          seen += 1
          if places.count < most {
            places.append((index, start + cut))
          } else if case let place = Int(generator.next(below: seen)), place < most {
            places[place] = (index, start + cut)
          }
        }
      }
    }
    for place in places.indices.reversed() where place > 0 {
      places.swapAt(place, Int(generator.next(below: UInt64(place + 1))))
    }
    return places
  }

  /// The finding for a body that fails under cuts, with the smallest split that the budget lets us find.
  ///
  /// - Parameter seen: what differed when the plan ran, in case it does not do so again.
  mutating func finding(
    in index: Int, cutAt cuts: [Int], by plan: ChunkBoundaryPlan, seen: Difference? = nil
  ) -> ChunkingFinding {
    let size = max(bodies[index].bytes.count, 1)
    let check = self
    var shrinker = SplitShrinker(budget: max(budget, size * 64), cost: size) { cuts in
      var attempt = check
      return attempt.outputs(of: index, cutAt: cuts) != check.expected[index]
    }
    let before = shrinker.budget
    let smallest = shrinker.smallest(of: cuts)
    bytesFed += before - shrinker.budget
    let got = outputs(of: index, cutAt: smallest)
    guard got == expected[index], let seen else {
      return finding(
        in: index, cutAt: smallest, by: plan, difference(expected[index][...], got[...], after: 0))
    }
    var finding = finding(in: index, cutAt: cuts, by: plan, seen)
    finding.isRepeatable = false
    return finding
  }

  private func finding(
    in index: Int, cutAt cuts: [Int], by plan: ChunkBoundaryPlan, _ difference: Difference
  ) -> ChunkingFinding {
    ChunkingFinding(
      split: cuts.isEmpty ? .whole : .at(cuts.map { bases[index] + $0 }), foundBy: plan,
      exchange: bodies[index].exchange, index: difference.index, expected: difference.expected,
      got: difference.got)
  }

  /// Where outputs begin to differ, as a finding tells it.
  struct Difference {
    var index: Int
    var expected: String?
    var got: String?
  }

  private func difference(
    _ want: ArraySlice<Parser.Output>, _ got: ArraySlice<Parser.Output>, after count: Int
  ) -> Difference {
    let same = zip(want, got).prefix { $0 == $1 }.count
    return Difference(
      index: count + same, expected: want.dropFirst(same).first.map(describe),
      got: got.dropFirst(same).first.map(describe))
  }
}
