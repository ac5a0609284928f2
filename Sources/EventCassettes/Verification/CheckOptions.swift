// What a check is asked to do, with its defaults and their reasons.

/// Which plans a check runs, and how much it may cost.
public struct CheckOptions: Hashable, Sendable {
  /// The plans in order. `each` and a proof come within the budget.
  public var plans: [ChunkBoundaryPlan]
  /// How many bytes `each` and the search for the smallest split may feed to the parser, each of them. Plans that are one
  /// chunking always run.
  public var budget: Int
  /// How many bytes the proof may feed to the parser. A body of n bytes that is proved whole takes n³/6.
  public var proofBudget: Int
  /// About how much memory a check may take, in bytes: it holds the bodies and what comes out of them. Past it a check is
  /// an error before it begins.
  public var memory: Int
  /// The seed of what is drawn: the sample of `each`, and the default random plans.
  public var seed: UInt64
  /// Whether to try a proof (for Equatable parsers).
  public var proves: Bool

  /// Creates options.
  /// - Parameters:
  ///   - plans: recorded, whole, every byte, hostile, each and 20 random ones, if `nil`.
  ///   - budget: 64 MiB by default, a second or so.
  ///   - proofBudget: unless given 24 times `budget`, 1.5 GiB by default, which is enough for a body of 2 KiB: a proof's
  ///     bytes are read in place and cost less than those of replays. In a build without optimization it is `budget`.
  ///   - seed: 1 by default, so that a check is the same from run to run.
  ///   - proves: whether to try a proof.
  ///   - memory: 4 GiB by default.
  public init(
    plans: [ChunkBoundaryPlan]? = nil, budget: Int = 64 << 20, proofBudget: Int? = nil, seed: UInt64 = 1,
    proves: Bool = true, memory: Int = 4 << 30
  ) {
    self.plans = plans ?? Self.defaultPlans(seed: seed)
    self.budget = max(budget, 0)
    let factor = Self.isOptimized ? 24 : 1
    self.proofBudget = max(proofBudget ?? (self.budget > .max / factor ? .max : self.budget * factor), 0)
    self.seed = seed
    self.proves = proves
    self.memory = memory
  }

  /// Whether the checks run fast: an assertion is only there in a build without optimization.
  private static var isOptimized: Bool {
    var isOptimized = true
    assert(
      {
        isOptimized = false
        return true
      }())
    return isOptimized
  }

  /// What runs unless a caller says otherwise.
  public static func defaultPlans(seed: UInt64 = 1) -> [ChunkBoundaryPlan] {
    [.recorded, .whole, .bytes(1), .hostile, .each] + (0..<20).map { .random(seed: seed &+ $0) }
  }
}
