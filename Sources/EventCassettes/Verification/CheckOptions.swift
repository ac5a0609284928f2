// What a check is asked to do, with its defaults and their reasons.

/// Which plans a check runs, and how much it may cost.
public struct CheckOptions: Hashable, Sendable {
  /// The plans in order. `each` and a proof come within the budget.
  public var plans: [ChunkBoundaryPlan]
  /// How many bytes `each`, the proof and the search for the smallest split may feed to the parser, each of them. Plans that are
  /// one chunking always run.
  public var budget: Int
  /// The seed of what is drawn: the sample of `each`, and the default random plans.
  public var seed: UInt64
  /// Whether to try a proof (for Equatable parsers).
  public var proves: Bool

  /// Creates options.
  /// - Parameters:
  ///   - plans: recorded, whole, every byte, hostile, each and 20 random ones, if `nil`.
  ///   - budget: 64 MiB by default, a second or so.
  ///   - seed: 1 by default, so that a check is the same from run to run.
  ///   - proves: whether to try a proof.
  public init(
    plans: [ChunkBoundaryPlan]? = nil, budget: Int = 64 << 20, seed: UInt64 = 1, proves: Bool = true
  ) {
    self.plans = plans ?? Self.defaultPlans(seed: seed)
    self.budget = max(budget, 0)
    self.seed = seed
    self.proves = proves
  }

  /// What runs unless a caller says otherwise.
  public static func defaultPlans(seed: UInt64 = 1) -> [ChunkBoundaryPlan] {
    [.recorded, .whole, .bytes(1), .hostile, .each] + (0..<20).map { .random(seed: seed &+ $0) }
  }
}
