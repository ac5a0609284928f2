// Chunks of lengths that a seed draws: the same bytes are cut the same way everywhere and forever.

struct RandomBoundaries: BoundaryRule {
  static let syntax = "random:SEED"
  static let example = "random:1"
  static let summary = "chunks of random lengths, the same for the same seed"

  let seed: UInt64

  var argument: String { "\(seed)" }

  func makeFinder() -> any BoundaryFinder { Finder(seed: seed) }

  /// Draws the length of each chunk so: `k` = a number below 11, then length = 1 + a number below 2ᵏ; so half of all
  /// chunks are up to 8 bytes or so, and the longest have 1,024. The generator starts anew with each exchange, from the
  /// seed and the exchange's number, so that a change in one exchange moves no cut in another.
  private struct Finder: SteppingBoundaryFinder {
    let seed: UInt64
    var upcoming = 0
    private var generator = SplitMix64(seed: 0)

    init(seed: UInt64) { self.seed = seed }

    mutating func begin(exchange: UInt64, after base: Int) {
      var seeds = SplitMix64(seed: seed)
      generator = SplitMix64(seed: seeds.next() ^ (exchange &* 0xD1B5_4A32_D192_ED03))
      upcoming = 0
      advance()
    }

    mutating func advance() {
      let exponent = generator.next(below: 11)
      upcoming += 1 + Int(generator.next(below: 1 << exponent))
    }
  }
}

extension RandomBoundaries {
  init(_ argument: PlanArgument) throws(ChunkBoundaryPlanError) {
    guard let seed: UInt64 = PlanArgument.number(argument.text) else {
      throw .init(
        .invalidNumber,
        "‘\(argument.text)’ in plan ‘\(argument.plan)’ is no seed: random:SEED takes 0 to \(UInt64.max)")
    }
    self.seed = seed
  }
}

extension ChunkBoundaryPlan {
  /// Chunks of seeded random lengths. The same seed cuts the same bytes the same way everywhere and forever: the
  /// generator is ``SplitMix64``, begun anew for each exchange from the seed and the exchange's number, and the length of
  /// a chunk is 1 + a number below 2ᵏ, for a `k` drawn from 0 to 10.
  public static func random(seed: UInt64) -> Self { Self(RandomBoundaries(seed: seed)) }
}
