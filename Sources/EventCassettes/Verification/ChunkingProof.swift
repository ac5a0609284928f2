// Proof instead of samples. Let S(i) be the state after the first i bytes, fed one by one. If feeding the bytes i..<j
// to S(i) as one chunk always gives S(j), and the outputs that came between them, then by induction over its chunks
// every chunking gives the same states and outputs: all 2ⁿ⁻¹ of them. With pieces up to a length L only, the same
// holds for every chunking whose chunks are no longer than L.
//
// What it costs: n·L pieces and n·L²/2 bytes (n³/6 bytes for L = n), and for each piece a copy and a comparison of the
// state. A parser is a black box, so no piece can be inferred from others: one that looks at its whole chunk (a vector
// scan does) may fail at one length alone.
//
// What it rests on: that `==` compares everything that the future depends on, and that the parser is a function of its
// state and the chunk.

/// What the induction found.
enum ChunkingProof {
  /// How long pieces may be for the budget; `nil` if not even short ones fit.
  ///
  /// - Parameter held: for each body the bytes that the parser holds, added up over all places.
  static func longestPiece(bodyLengths: [Int], held: [Int], budget: Int) -> Int? {
    func cost(_ piece: Int) -> Int {
      var sum = 0.0
      for (length, held) in zip(bodyLengths, held) {
        let n = Double(length)
        let l = Double(min(piece, length))
        // Pieces of every length k ≤ l from each of n − k + 1 states, and one pass byte by byte.
        sum += (n + 1) * l * (l + 1) / 2 - l * (l + 1) * (2 * l + 1) / 6 + n
        sum += Double(held) * (l + 1) / Double(copiedForOneFed)
      }
      return sum > 1e18 ? .max : Int(sum)
    }
    let longest = bodyLengths.max() ?? 0
    guard cost(min(shortest, longest)) <= budget else { return nil }
    var low = min(shortest, longest)
    var high = longest
    while low < high {
      let middle = (low + high + 1) / 2
      if cost(middle) <= budget { low = middle } else { high = middle - 1 }
    }
    return low
  }

  /// Shorter than this a proof says too little to be worth its while.
  private static let shortest = 16
  /// Copying and comparing so many bytes of state takes as long as parsing one.
  static let copiedForOneFed = 16
}

extension ChunkingCheck {
  /// About how many bytes the parser holds, added up over all places of a body: those since the last output.
  mutating func heldBytes(in index: Int) -> Int {
    let bytes = bodies[index].bytes
    var parser = makeParser(bodies[index])
    var held = 0
    var sum = 0
    for start in stride(from: 0, to: bytes.count, by: Self.grain) {
      let chunk = Array(bytes[start..<min(start + Self.grain, bytes.count)])
      held = parser.append(chunk).isEmpty ? held + chunk.count : 0
      let (product, overflow) = held.multipliedReportingOverflow(by: chunk.count)
      sum = overflow ? .max : sum.addingReportingOverflow(product).overflow ? .max : sum + product
    }
    count(bytes.count)
    return sum
  }

  private static var grain: Int { 64 }
}

extension ChunkingCheck where Parser: Equatable {
  /// Tries the induction over all bodies, with the longest pieces that the budget allows.
  mutating func prove() -> (ChunkingCertainty, ChunkingFinding?) {
    let lengths = streams.map { bodies[$0].bytes.count }
    let before = bytesFed
    let held = streams.map { heldBytes(in: $0) }
    guard let longest = ChunkingProof.longestPiece(bodyLengths: lengths, held: held, budget: budget) else {
      return (
        .sampled(reason: "the streams, or their events, are too long for a proof within the budget"), nil
      )
    }
    defer { budget = max(budget - (bytesFed - before), 0) }
    var pieces = 0
    for index in streams {
      switch induction(over: index, longestPiece: longest) {
      case .holds(let count): pieces += count
      case .stateDependsOnCuts(let place):
        return (
          .sampled(
            reason:
              "not proved: state depends on cuts (exchange \(bodies[index].exchange), bytes \(place.lowerBound)–\(place.upperBound))"
          ), nil
        )
      case .fails(let cuts):
        return (
          .sampled(reason: "not proved"),
          finding(in: index, cutAt: cuts, by: .at(cuts.map { bases[index] + $0 }))
        )
      }
    }
    let isWhole = lengths.allSatisfy { $0 <= longest }
    return (isWhole ? .proved(pieces: pieces) : .provedUpTo(longestChunk: longest, pieces: pieces), nil)
  }

  private enum Induction {
    case holds(pieces: Int)
    case stateDependsOnCuts(Range<Int>)
    case fails(cuts: [Int])
  }

  private mutating func induction(over index: Int, longestPiece: Int) -> Induction {
    let bytes = bodies[index].bytes
    // The states and outputs ahead of i, as far as the longest piece from i reaches.
    var states = [makeParser(bodies[index])]
    var outputs: [Parser.Output] = []
    var counts = [0]
    var first = 0
    var firstOutput = 0
    var pieces = 0
    for start in 0..<bytes.count {
      let reach = min(start + longestPiece, bytes.count)
      while first + states.count <= reach {
        let place = first + states.count - 1
        var next = states[states.count - 1]
        outputs += next.append([bytes[place]])
        states.append(next)
        counts.append(firstOutput + outputs.count)
      }
      let origin = states[start - first]
      let had = counts[start - first]
      count((reach - start) * (reach - start + 1) / 2 + 1)
      for end in start + 1..<reach + 1 where end > start + 1 {
        pieces += 1
        var piece = origin
        let want = outputs[had - firstOutput..<counts[end - first] - firstOutput]
        if !piece.append(bytes.span.extracting(start..<end), gives: want) || piece != states[end - first] {
          // Neither another state nor outputs that come earlier or later are a fault by themselves: a parser may
          // hold back what it has. What the whole stream gives decides.
          let cuts = Array(1..<start + 1) + Array(end..<bytes.count)
          return self.outputs(of: index, cutAt: cuts) == expected[index]
            ? .stateDependsOnCuts(start..<end) : .fails(cuts: cuts)
        }
      }
      // The window moves on in steps, so that dropping its beginning stays cheap.
      if start - first >= longestPiece {
        let passed = start - first
        outputs.removeFirst(counts[passed] - firstOutput)
        firstOutput = counts[passed]
        states.removeFirst(passed)
        counts.removeFirst(passed)
        first = start
      }
    }
    // All chunkings agree with that of single bytes, so that one stands for them against what is expected.
    let single = Array(1..<max(bytes.count, 1))
    return self.outputs(of: index, cutAt: single) == expected[index]
      ? .holds(pieces: pieces) : .fails(cuts: single)
  }
}
