// The chunks as they were recorded: what happened, once more.

struct RecordedBoundaries: BoundaryRule {
  static let syntax = "recorded"
  static let summary = "the chunks as they came"

  func makeFinder() -> any BoundaryFinder { Finder() }

  private struct Finder: BoundaryFinder {
    func begin(exchange: UInt64, after base: Int) {}
    func cuts(in chunk: ArraySlice<UInt8>, at position: Int) -> [Int] { [chunk.count] }
  }
}

extension RecordedBoundaries {
  init(_ argument: PlanArgument) {}
}

extension ChunkBoundaryPlan {
  /// The chunks as they were recorded.
  public static let recorded = Self(RecordedBoundaries())
}
