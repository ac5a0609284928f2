// Proof instead of samples. Let S(i) be the state after the first i bytes, fed one by one. If feeding the bytes i..<j
// to S(i) as one chunk always gives S(j), and the outputs that came between them, then by induction over its chunks
// every chunking gives the same states and outputs: all 2ⁿ⁻¹ of them. With the pieces of some windows only (see
// ProofReach.swift), the same holds for every chunking each of whose chunks lies within a window.
//
// How it grows: n²/2 pieces and n³/6 bytes for a whole body, 1.4 GB for 2 KiB; for windows of w bytes, n·w pieces and
// n·w²/2 bytes at most, so linearly in the body. No piece can be inferred from others: a parser is a black box, and one
// that looks at its whole chunk (a vector scan does) may fail at one length alone. So each piece is run, and what is
// kept low is the cost of a run: bytes are read in place, outputs compared without being made, places shared out
// among the processor's cores.
//
// What it rests on: that `==` compares everything that the future depends on, and that the parser is a function of its
// state and the chunk.

import ServerSentEvents

extension ChunkingCheck {
  /// About how many bytes the parser holds from place to place of a body, in steps of ``heldGrain``: those since the
  /// last output.
  mutating func heldBytes(in index: Int) -> [Int] {
    let bytes = bodies[index].bytes
    var parser = makeParser(bodies[index])
    var held = 0
    var all: [Int] = []
    for start in stride(from: 0, to: bytes.count, by: Self.heldGrain) {
      let chunk = Array(bytes[start..<min(start + Self.heldGrain, bytes.count)])
      held = parser.append(chunk).isEmpty ? held + chunk.count : 0
      all.append(held)
    }
    count(bytes.count)
    return all
  }

  static var heldGrain: Int { 64 }
}

extension ChunkingCheck where Parser: Equatable {
  /// Tries the induction over all bodies, as far as the budget allows.
  mutating func prove() -> (ChunkingCertainty, ChunkingFinding?) {
    prove({ OutputSubject(parser: $0) }, running: { segments in segments.map { $0.run() } })
  }

  private mutating func prove<Subject: ProofSubject>(
    _ subject: (Parser) -> Subject, running run: ([ProofSegment<Subject>]) -> [ProofResult]
  ) -> (ChunkingCertainty, ChunkingFinding?) {
    let held = streams.map { heldBytes(in: $0) }
    let reaches = ProofReach.affordable(
      streams.map { bodies[$0].bytes }, held: { held[$0][$1 / Self.heldGrain] }, budget: budget)
    guard let reaches else {
      return (
        .sampled(reason: "the streams, or their events, are too long for a proof within the budget"), nil
      )
    }
    var pieces = 0
    for (index, reach) in zip(streams, reaches) {
      let bytes = bodies[index].bytes
      let results = run(segments(of: index, from: subject(makeParser(bodies[index])), reach))
      for result in results {
        pieces += result.pieces
        count(result.bytesFed)
      }
      if let broken = results.lazy.compactMap(\.broken).first {
        // Neither another state nor outputs that come earlier or later are a fault by themselves: a parser may hold
        // back what it has. What the whole stream gives decides.
        let cuts = Array(1..<broken.lowerBound + 1) + Array(broken.upperBound..<bytes.count)
        if outputs(of: index, cutAt: cuts) == expected[index] {
          let place = "exchange \(bodies[index].exchange), bytes \(broken.lowerBound)–\(broken.upperBound)"
          return (.sampled(reason: "not proved: state depends on cuts (\(place))"), nil)
        }
        return (.sampled(reason: "not proved"), finding(in: index, singly: cuts))
      }
      // All chunkings agree with that of single bytes, so that one stands for them against what is expected.
      let single = Array(1..<max(bytes.count, 1))
      if outputs(of: index, cutAt: single) != expected[index] {
        return (.sampled(reason: "not proved"), finding(in: index, singly: single))
      }
    }
    return (certainty(of: reaches, pieces: pieces), nil)
  }

  private mutating func finding(in index: Int, singly cuts: [Int]) -> ChunkingFinding {
    finding(in: index, cutAt: cuts, by: .at(cuts.map { bases[index] + $0 }))
  }

  private func certainty(of reaches: [ProofReach], pieces: Int) -> ChunkingCertainty {
    let partial = reaches.filter { !$0.isWhole }
    guard let everywhere = partial.map(\.everywhere).min() else { return .proved(pieces: pieces) }
    return .provedInWindows(
      windows: partial.reduce(0) { $0 + $1.wholeWindows }, of: partial.reduce(0) { $0 + $1.windows },
      longestChunk: everywhere, pieces: pieces)
  }

  /// A body's places, shared out: each segment begins with the state there, and is short enough that its states don't
  /// take much memory.
  private func segments<Subject: ProofSubject>(
    of index: Int, from start: Subject, _ reach: ProofReach
  ) -> [ProofSegment<Subject>] {
    let bytes = bodies[index].bytes
    let step = min(max(bytes.count / 64, 32), 4096)
    var state = start
    var record = Subject.Record()
    var segments: [ProofSegment<Subject>] = []
    for start in bytes.indices {
      if start % step == 0 {
        let places = start..<min(start + step, bytes.count)
        segments.append(ProofSegment(bytes: bytes, places: places, state: state, reach: reach))
      }
      state.append(bytes.span.extracting(start..<start + 1), to: &record)
    }
    return segments
  }
}

extension ChunkingCheck where Parser: Equatable & Sendable {
  /// Tries the induction as ``prove()`` does, on all cores.
  mutating func proveConcurrently() -> (ChunkingCertainty, ChunkingFinding?) {
    prove({ OutputSubject(parser: $0) }, running: { onAllCores($0) { $0.run() } })
  }
}

extension ChunkingCheck where Parser == EventStreamParser {
  /// Tries the induction for our parser, on all cores.
  mutating func proveOwn() -> (ChunkingCertainty, ChunkingFinding?) {
    prove({ TranscriptSubject(parser: $0) }, running: { onAllCores($0) { $0.run() } })
  }
}

/// What some pieces came to.
private struct ProofResult: Sendable {
  var pieces = 0
  var bytesFed = 0
  /// The first piece that gives another state or other outputs than its single bytes.
  var broken: Range<Int>?
}

/// The pieces that begin at some places of a body.
private struct ProofSegment<Subject: ProofSubject> {
  let bytes: [UInt8]
  let places: Range<Int>
  /// The state before the first place.
  let state: Subject
  let reach: ProofReach

  func run() -> ProofResult {
    var result = ProofResult()
    let reachEnd = reach.ends(from: places.lowerBound)
    let span = bytes.span
    // The places ahead, as far as the longest piece reaches.
    var ahead = [ProofPlace(state: state, outputs: 0)]
    var record = Subject.Record()
    let first = places.lowerBound
    var piece = state  // one after the other, in the same storage
    for start in places {
      let last = reachEnd(start)
      while first + ahead.count <= last {
        let place = first + ahead.count - 1
        var next = ahead[place - first].state
        next.append(span.extracting(place..<place + 1), to: &record)
        ahead.append(ProofPlace(state: next, outputs: record.count))
      }
      let from = ahead[start - first]
      result.bytesFed += (last - start) * (last - start + 1) / 2 + 1
      for end in start + 1..<last + 1 where end > start + 1 {
        result.pieces += 1
        let to = ahead[end - first]
        piece.become(from.state)
        let isSame = piece.append(
          span.extracting(start..<end), gives: record, from.outputs..<to.outputs)
        if !isSame || !piece.isEqual(to: to.state) {
          result.broken = start..<end
          return result
        }
      }
    }
    return result
  }
}

/// What single bytes have come to at a place. A class, since what it holds is looked at for each piece: a state that lay
/// in an array would be copied for that, and all that it refers to counted.
private final class ProofPlace<Subject: ProofSubject> {
  let state: Subject
  /// How much of the record came before it.
  let outputs: Int

  init(state: Subject, outputs: Int) {
    self.state = state
    self.outputs = outputs
  }
}

extension ProofSegment: Sendable where Subject: Sendable {}
