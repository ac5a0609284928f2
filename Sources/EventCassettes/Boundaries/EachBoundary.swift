// Every single split point: not one way to cut but as many as there are places.

struct EachBoundary: BoundaryRule {
  static let syntax = "each"
  static let summary = "every single split point, one run each"

  /// By itself it cuts nowhere: its variants do.
  func makeFinder() -> any BoundaryFinder { NoBoundaries() }
}

extension EachBoundary {
  init(_ argument: PlanArgument) {}
}

extension ChunkBoundaryPlan {
  /// Every single split point of each exchange, one replay each; see ``variants(bodyLengths:)``.
  public static let each = Self(EachBoundary())

  /// The single chunkings that the plan stands for: `each` is one `at:` plan for every split point inside an
  /// exchange, in order; any other plan is itself. They are made as they are asked for.
  /// - Parameter bodyLengths: the body length of each exchange in bytes, in order.
  public func variants(bodyLengths: [Int]) -> some Sequence<ChunkBoundaryPlan> & Sendable {
    var spans: [Range<Int>] = []
    var start = 0
    if self == .each {
      for length in bodyLengths {
        // A body of one byte, or none, has no inner split point.
        if length > 1 { spans.append(start + 1..<start + length) }
        start += length
      }
    }
    return PlanVariants(plan: self, spans: spans)
  }
}

private struct PlanVariants: Sequence, Sendable {
  let plan: ChunkBoundaryPlan
  let spans: [Range<Int>]

  func makeIterator() -> AnyIterator<ChunkBoundaryPlan> {
    guard plan == .each else { return AnyIterator(CollectionOfOne(plan).makeIterator()) }
    var offsets = spans.lazy.joined().makeIterator()
    return AnyIterator { offsets.next().map { .at([$0]) } }
  }
}
