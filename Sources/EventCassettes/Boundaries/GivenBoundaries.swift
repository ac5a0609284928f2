// Cuts at given places: how a finding says where it was cut, and how it is run again.

struct GivenBoundaries: BoundaryRule {
  static let syntax = "at:OFFSET,…"
  static let example = "at:5,17"
  static let summary = "cuts at these offsets into the body bytes"

  let offsets: [Int]

  var argument: String { offsets.map(String.init).joined(separator: ",") }

  func makeFinder() -> any BoundaryFinder { Finder(offsets: offsets) }

  private struct Finder: SteppingBoundaryFinder {
    let offsets: [Int]
    var upcoming = Int.max
    private var index = 0
    private var base = 0

    init(offsets: [Int]) { self.offsets = offsets }

    mutating func begin(exchange: UInt64, after base: Int) {
      self.base = base
      // A cut at the seam of two exchanges cuts nothing: the seam itself parts them.
      while index < offsets.count, offsets[index] <= base { index += 1 }
      takeUpcoming()
    }

    mutating func advance() {
      index += 1
      takeUpcoming()
    }

    private mutating func takeUpcoming() { upcoming = index < offsets.count ? offsets[index] - base : .max }
  }
}

extension GivenBoundaries {
  init(_ argument: PlanArgument) throws(ChunkBoundaryPlanError) {
    var offsets: [Int] = []
    for item in argument.text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let offset: Int = PlanArgument.number(item), offset >= 1 else {
        throw .init(
          .invalidNumber,
          "‘\(item)’ in plan ‘\(argument.plan)’ is no offset: at: takes offsets from 1, separated by commas")
      }
      if let last = offsets.last, offset < last {
        throw .init(
          .unorderedOffsets, "offset \(offset) in plan ‘\(argument.plan)’ comes after \(last): sort them")
      }
      offsets.append(offset)
    }
    self.offsets = offsets
  }
}

extension ChunkBoundaryPlan {
  /// Cuts at these offsets into the session's body bytes (all exchanges one after the other), from 1 and in order. An
  /// offset that stands there again puts an empty chunk at that place.
  public static func at(_ offsets: [Int]) -> Self { Self(GivenBoundaries(offsets: offsets)) }

  /// The offsets of a plan that is made of them; `nil` for any other.
  public var offsets: [Int]? { (rule as? GivenBoundaries)?.offsets }
}
