// Chunks of one length. One byte at a time is the hardest test that is cheap.

struct EvenBoundaries: BoundaryRule {
  static let syntax = "bytes:N"
  static let example = "bytes:1"
  static let summary = "chunks of N bytes"

  let count: Int

  var argument: String { "\(count)" }

  func makeFinder() -> any BoundaryFinder { Finder(count: max(count, 1)) }

  private struct Finder: SteppingBoundaryFinder {
    let count: Int
    var upcoming = 0

    mutating func begin(exchange: UInt64, after base: Int) { upcoming = count }

    mutating func advance() {
      let (sum, overflow) = upcoming.addingReportingOverflow(count)
      upcoming = overflow ? .max : sum
    }
  }
}

extension EvenBoundaries {
  init(_ argument: PlanArgument) throws(ChunkBoundaryPlanError) {
    guard let count: Int = PlanArgument.number(argument.text), count >= 1 else {
      throw .init(
        .invalidNumber,
        "‘\(argument.text)’ in plan ‘\(argument.plan)’ is no chunk length: bytes:N takes an N from 1")
    }
    self.count = count
  }
}

extension ChunkBoundaryPlan {
  /// Chunks of this many bytes, at least 1; the last of an exchange may be shorter.
  public static func bytes(_ count: Int) -> Self { Self(EvenBoundaries(count: count)) }
}
