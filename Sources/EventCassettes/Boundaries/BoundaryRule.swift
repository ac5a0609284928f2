// What a way to cut is. Each has a file of its own here, and all stand in one list; what a plan is to its users is in
// `ChunkBoundaryPlan.swift`.

/// A way to cut: how it is written, and where its cuts are.
protocol BoundaryRule: Hashable, Sendable {
  /// How it is written, such as `bytes:N`. What has a colon takes an argument.
  static var syntax: String { get }
  /// A plan that a reader can try at once, such as `bytes:1`.
  static var example: String { get }
  /// Where it cuts, in a few words, for help texts.
  static var summary: String { get }

  /// Reads the argument; it is empty for what takes none.
  init(_ argument: PlanArgument) throws(ChunkBoundaryPlanError)
  /// The argument as ``init(_:)`` reads it; empty where there is none.
  var argument: String { get }

  /// Finds the cuts in a session.
  func makeFinder() -> any BoundaryFinder
}

/// Finds the cuts in the body bytes of a session as they stream by, exchange after exchange.
protocol BoundaryFinder: Sendable {
  /// Goes on to an exchange.
  ///
  /// - Parameters:
  ///   - exchange: its number, from 0.
  ///   - base: how many body bytes the session has had before it.
  mutating func begin(exchange: UInt64, after base: Int)
  /// The cuts in the next recorded chunk, which begins at `position` in its exchange: offsets into it, in order. Offset 0
  /// is a cut between the chunk before and this one that could only be seen now; an offset equal to the count is a cut
  /// right after it.
  mutating func cuts(in chunk: ArraySlice<UInt8>, at position: Int) -> [Int]
}

extension ChunkBoundaryPlan {
  /// Every way to cut, in the order of help texts.
  static let rules: [any BoundaryRule.Type] = [
    RecordedBoundaries.self, WholeBoundaries.self, EvenBoundaries.self, RandomBoundaries.self,
    GivenBoundaries.self, HostileBoundaries.self, EachBoundary.self,
  ]
}

extension BoundaryRule {
  static var name: String { String(syntax.prefix { $0 != ":" }) }
  static var takesArgument: Bool { syntax.contains(":") }
  static var example: String { syntax }

  var argument: String { "" }
}

/// Cuts that don't depend on the bytes: each follows from the one before.
protocol SteppingBoundaryFinder: BoundaryFinder {
  /// The next cut as an offset into the exchange; `Int.max` for none.
  var upcoming: Int { get set }
  /// Moves `upcoming` on to the cut after it.
  mutating func advance()
}

extension SteppingBoundaryFinder {
  mutating func cuts(in chunk: ArraySlice<UInt8>, at position: Int) -> [Int] {
    var cuts: [Int] = []
    while upcoming <= position + chunk.count {
      cuts.append(upcoming - position)
      advance()
    }
    return cuts
  }
}
