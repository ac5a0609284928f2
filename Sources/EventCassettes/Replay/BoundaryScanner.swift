// Where a plan cuts, found while the bytes stream by. It holds no bytes (that is ChunkCutter) and works the same on a
// whole body in one call and on any pieces of it.

/// Finds the cuts of one plan in the body bytes of a session, exchange after exchange.
///
/// `random:SEED` draws the length of each chunk so: `k` = a number below 11, then length = 1 + a number below 2ᵏ; so half of
/// all chunks are up to 8 bytes or so, and the longest have 1,024. The generator starts anew with each exchange, from the seed and the
/// exchange's number, so that a change in one exchange moves no cut in another.
struct BoundaryScanner: Sendable {
  private let plan: ChunkBoundaryPlan
  /// Bytes of this exchange seen so far.
  private var position = 0
  /// Body bytes of the session before this exchange.
  private var base = 0
  private var exchange: UInt64 = 0
  /// The next cut as an offset into this exchange (`bytes`, `random`, `at`); `Int.max` for none.
  private var upcoming = Int.max
  private var generator = SplitMix64(seed: 0)
  private var offsetIndex = 0
  private var hostile = HostileBoundaries()

  /// A scanner that stands before the first exchange's first byte. `each` by itself cuts nowhere: its variants do.
  init(_ plan: ChunkBoundaryPlan) {
    self.plan = plan
    begin()
  }

  /// Whether each recorded chunk is a piece: then nobody needs to ask for its cuts.
  var cutsAsRecorded: Bool { if case .recorded = plan { true } else { false } }

  /// Goes on to the next exchange.
  mutating func endExchange() {
    base += position
    position = 0
    exchange += 1
    begin()
  }

  /// Takes the next recorded chunk and gives its cuts: offsets into it, in order. Offset 0 is a cut between the chunk
  /// before and this one that could only be seen now; an offset equal to the count is a cut right after it.
  mutating func cuts(in chunk: ArraySlice<UInt8>) -> [Int] {
    defer { position += chunk.count }
    switch plan {
    case .recorded: return [chunk.count]
    case .whole, .each: return []
    case .hostile: return hostile.cuts(in: chunk).flatMap { [$0, $0] }
    case .bytes, .random, .at:
      var cuts: [Int] = []
      let end = position + chunk.count
      while upcoming <= end {
        cuts.append(upcoming - position)
        advance()
      }
      return cuts
    }
  }

  private mutating func begin() {
    upcoming = 0
    switch plan {
    case .recorded, .whole, .each: upcoming = .max
    case .hostile: hostile = HostileBoundaries()
    case .random(let seed):
      var seeds = SplitMix64(seed: seed)
      generator = SplitMix64(seed: seeds.next() ^ (exchange &* 0xD1B5_4A32_D192_ED03))
      advance()
    case .bytes: advance()
    case .at(let offsets):
      // A cut at the seam of two exchanges cuts nothing: the seam itself parts them.
      while offsetIndex < offsets.count, offsets[offsetIndex] <= base { offsetIndex += 1 }
      upcoming = offsetIndex < offsets.count ? offsets[offsetIndex] - base : .max
    }
  }

  // The cut at `upcoming` is made: finds the one after it. Sums that overflow mean "no further cut".
  private mutating func advance() {
    switch plan {
    case .bytes(let count):
      let (sum, overflow) = upcoming.addingReportingOverflow(max(count, 1))
      upcoming = overflow ? .max : sum
    case .random:
      let exponent = generator.next(below: 11)
      upcoming += 1 + Int(generator.next(below: 1 << exponent))
    case .at(let offsets):
      offsetIndex += 1
      upcoming = offsetIndex < offsets.count ? offsets[offsetIndex] - base : .max
    case .recorded, .whole, .hostile, .each: upcoming = .max
    }
  }
}
