// Where a plan cuts, found while the bytes stream by. It holds no bytes (that is ChunkCutter) and works the same on a
// whole body in one call and on any pieces of it.

/// Finds the cuts of one plan in the body bytes of a session, exchange after exchange.
struct BoundaryScanner: Sendable {
  /// Whether each recorded chunk is a piece: then nobody needs to ask for its cuts.
  let cutsAsRecorded: Bool
  private var finder: any BoundaryFinder
  /// Bytes of this exchange seen so far.
  private var position = 0
  /// Body bytes of the session before this exchange.
  private var base = 0
  private var exchange: UInt64 = 0

  /// A scanner that stands before the first exchange's first byte. `each` by itself cuts nowhere: its variants do.
  init(_ plan: ChunkBoundaryPlan) {
    cutsAsRecorded = plan == .recorded
    finder = plan.rule.makeFinder()
    finder.begin(exchange: 0, after: 0)
  }

  /// Goes on to the next exchange.
  mutating func endExchange() {
    base += position
    position = 0
    exchange += 1
    finder.begin(exchange: exchange, after: base)
  }

  /// Takes the next recorded chunk and gives its cuts: offsets into it, in order. Offset 0 is a cut between the chunk
  /// before and this one that could only be seen now; an offset equal to the count is a cut right after it.
  mutating func cuts(in chunk: ArraySlice<UInt8>) -> [Int] {
    defer { position += chunk.count }
    return finder.cuts(in: chunk, at: position)
  }
}
