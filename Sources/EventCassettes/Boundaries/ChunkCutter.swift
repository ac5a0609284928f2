// Recorded chunks in, the plan's chunks out, as a stream: what is held back is one piece that isn't complete yet.

/// One piece of a body, as a plan delivers it.
package struct DeliveredChunk: Hashable, Sendable {
  /// When the recorded chunk that held its last byte came, on the clock of the times put in.
  package var at: Duration
  /// The bytes; empty where the plan asks for empty chunks.
  package var bytes: [UInt8]

  /// Creates a piece.
  package init(at: Duration, bytes: [UInt8]) {
    self.at = at
    self.bytes = bytes
  }
}

/// Cuts the chunks of a session anew, as a plan says.
///
/// Memory: the longest piece of the plan, so an exchange's whole body for `whole` (and for `each`, which by itself cuts
/// nowhere: replay its ``ChunkBoundaryPlan/variants(bodyLengths:)`` one by one).
package struct ChunkCutter: Sendable {
  private var scanner: BoundaryScanner
  private var held: [UInt8] = []
  private var heldAt: Duration = .zero

  /// A cutter that stands before the first exchange of a session.
  package init(plan: ChunkBoundaryPlan) { scanner = BoundaryScanner(plan) }

  /// Whether a recorded chunk is a piece as it is. It then needn't be taken in.
  func passes(_ chunk: [UInt8]) -> Bool { scanner.cutsAsRecorded && held.isEmpty && !chunk.isEmpty }

  /// Takes the next recorded chunk of the exchange and gives the pieces that are now complete, in order.
  package mutating func append(_ chunk: [UInt8], at: Duration) -> [DeliveredChunk] {
    if passes(chunk) { return [DeliveredChunk(at: at, bytes: chunk)] }
    var pieces: [DeliveredChunk] = []
    var start = 0
    var previous: Int?
    for cut in scanner.cuts(in: chunk[...]) {
      // A cut right before this chunk: the piece was complete when the chunk before came.
      let time = cut > 0 || pieces.isEmpty && held.isEmpty ? at : heldAt
      if held.isEmpty {
        if cut > start || cut == previous {
          pieces.append(DeliveredChunk(at: time, bytes: Array(chunk[start..<cut])))
        }
      } else {
        held += chunk[start..<cut]
        pieces.append(DeliveredChunk(at: time, bytes: held))
        held = []
      }
      start = cut
      previous = cut
    }
    if start < chunk.count {
      held += chunk[start...]
      heldAt = at
    }
    return pieces
  }

  /// Gives what is held as a piece, before its end has come; the plan's next cut stays where it is.
  package mutating func flush() -> DeliveredChunk? {
    guard !held.isEmpty else { return nil }
    defer { held = [] }
    return DeliveredChunk(at: heldAt, bytes: held)
  }

  /// Ends the exchange: gives the last piece, if bytes are left, and stands before the next exchange.
  package mutating func endExchange() -> DeliveredChunk? {
    scanner.endExchange()
    return flush()
  }
}

extension ChunkBoundaryPlan {
  /// Where the plan cuts one body that lies in memory whole: offsets in order, 0 and the count left out; one that is
  /// there twice stands for an empty chunk.
  /// - Parameters:
  ///   - body: the body of the only exchange.
  ///   - recordedLengths: the lengths of its recorded chunks, which only ``recorded`` asks for.
  public func cuts(in body: [UInt8], recordedLengths: [Int] = []) -> [Int] {
    var scanner = BoundaryScanner(self)
    return scanner.cuts(inBody: body, recordedLengths: recordedLengths)
  }
}

extension BoundaryScanner {
  /// So many bytes of a chunk are scanned in one go: cut at every byte, the list of the cuts is eight times as long.
  private static var stretch: Int { 16 << 10 }

  /// Cuts the whole body of the next exchange, piece by piece, and goes on to the one after it. Nothing is held but the
  /// piece and the cuts in a stretch.
  mutating func forEachPiece(ofBody body: [UInt8], recordedLengths: [Int], _ take: ([UInt8]) -> Void) {
    var start = 0
    var chunkStart = 0
    for length in recordedLengths.isEmpty ? [body.count] : recordedLengths {
      let chunkEnd = min(chunkStart + length, body.count)
      while chunkStart < chunkEnd {
        let end = cutsAsRecorded ? chunkEnd : min(chunkStart + Self.stretch, chunkEnd)
        for cut in cuts(in: body[chunkStart..<end])
        where chunkStart + cut > 0 && chunkStart + cut < body.count {
          take(Array(body[start..<chunkStart + cut]))
          start = chunkStart + cut
        }
        chunkStart = end
      }
    }
    if start < body.count { take(Array(body[start...])) }
    endExchange()
  }

  /// Scans the whole body of the next exchange and goes on to the one after it.
  mutating func cuts(inBody body: [UInt8], recordedLengths: [Int]) -> [Int] {
    defer { endExchange() }
    var cuts: [Int] = []
    var start = 0
    for length in recordedLengths.isEmpty ? [body.count] : recordedLengths {
      let end = min(start + length, body.count)
      for cut in self.cuts(in: body[start..<end])
      where start + cut > 0 && start + cut < body.count {
        cuts.append(start + cut)
      }
      start = end
    }
    return cuts
  }
}
