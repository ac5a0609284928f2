// What a chunking check says: which plans ran and how fully, what was proved, and the finding. Plain data, so that a
// terminal, a test and JSON can each show it their way.

/// One plan that a check ran.
public struct PlanRun: Hashable, Sendable {
  /// The plan.
  public var plan: ChunkBoundaryPlan
  /// How many chunkings of it were tried: 1, but for `each`.
  public var replays: Int
  /// How many it stands for. More than `replays`: the budget allowed a sample only.
  public var possible: Int
  /// For `each` on a parser that goes on from its state: how far apart the further cuts were between which each split
  /// was tried. `nil` where a split was the only cut of its exchange.
  public var window: Int?

  /// Whether this was a sample.
  public var isSample: Bool { replays < possible }

  /// Creates a run.
  public init(plan: ChunkBoundaryPlan, replays: Int = 1, possible: Int = 1, window: Int? = nil) {
    self.plan = plan
    self.replays = replays
    self.possible = possible
    self.window = window
  }
}

/// A chunking under which a parser gave something else than it should.
public struct ChunkingFinding: Hashable, Sendable {
  /// The smallest failing split found: `whole` if it fails uncut, else an `at:` plan.
  public var split: ChunkBoundaryPlan
  /// The plan that found it.
  public var foundBy: ChunkBoundaryPlan
  /// The exchange in which it shows, from 1.
  public var exchange: Int
  /// How many outputs of that exchange came out right before it.
  public var index: Int
  /// What should have come, as a line of JSON; `nil` if nothing more should have.
  public var expected: String?
  /// What came under ``split``, as a line of JSON; `nil` if nothing more came.
  public var got: String?
  /// Whether it showed again when the same stream was tried a second time. If not, the parser depends on more than the
  /// stream, such as on those before it; the finding is then what was seen the first time, and is not made small.
  public var isRepeatable = true

  /// Creates a finding.
  public init(
    split: ChunkBoundaryPlan, foundBy: ChunkBoundaryPlan, exchange: Int, index: Int, expected: String?,
    got: String?
  ) {
    self.split = split
    self.foundBy = foundBy
    self.exchange = exchange
    self.index = index
    self.expected = expected
    self.got = got
  }
}

/// How much of "every chunking gives the same" is certain.
public enum ChunkingCertainty: Hashable, Sendable {
  /// All 2ⁿ⁻¹ chunkings of every exchange, by induction over `pieces` pieces.
  case proved(pieces: Int)
  /// By induction, all chunkings each of whose chunks lies within a window of an event and its two neighbours, or has at
  /// most `longestChunk` bytes; longer chunks by the plans that ran. There is a window for each event. `windows` of them
  /// are proved whole; in the others, which are too long for the budget, chunks of up to `longestChunk` bytes at least.
  case provedInWindows(windows: Int, of: Int, longestChunk: Int, pieces: Int)
  /// The plans that ran, nothing more; the reason why there is no proof.
  case sampled(reason: String)

  /// Whether all chunkings are proved equal.
  public var isProof: Bool {
    switch self {
    case .proved: true
    case .provedInWindows, .sampled: false
    }
  }
}

/// The result of a chunking check.
public struct ChunkingReport: Hashable, Sendable {
  /// The plans that ran, in order; it ends with the one that failed.
  public var runs: [PlanRun] = []
  /// What is certain. Says nothing if there is a ``finding``.
  public var certainty: ChunkingCertainty = .sampled(reason: "no proof was tried")
  /// The first failure, made small.
  public var finding: ChunkingFinding?
  /// How many bytes were fed to parsers.
  public var bytesFed = 0
  /// How many events the streams hold.
  public var events = 0

  /// Whether nothing was found.
  public var passed: Bool { finding == nil }

  /// Creates an empty report.
  public init() {}
}
