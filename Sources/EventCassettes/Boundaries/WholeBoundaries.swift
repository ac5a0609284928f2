// No cut at all: how an event stream looks to a client that reads the body in one go.

struct WholeBoundaries: BoundaryRule {
  static let syntax = "whole"
  static let summary = "one chunk for each exchange"

  func makeFinder() -> any BoundaryFinder { NoBoundaries() }
}

extension WholeBoundaries {
  init(_ argument: PlanArgument) {}
}

extension ChunkBoundaryPlan {
  /// Each exchange's body as one chunk.
  public static let whole = Self(WholeBoundaries())
}

/// Finds nothing.
struct NoBoundaries: BoundaryFinder {
  func begin(exchange: UInt64, after base: Int) {}
  func cuts(in chunk: ArraySlice<UInt8>, at position: Int) -> [Int] { [] }
}
