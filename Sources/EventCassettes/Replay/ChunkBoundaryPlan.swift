// The plan as a value and as text: what `--boundaries` takes, what a finding prints, and nothing of how it is carried
// out (that is BoundaryScanner). Parsing is strict and printing is its exact inverse, so a split that a check printed
// can always be pasted back.

/// Where a replay cuts the body bytes of a session into chunks.
///
/// A plan says nothing about time: a piece is delivered when its last byte was. Each exchange is cut by itself: a
/// chunk never spans two of them, nor, in a replay, a note.
public enum ChunkBoundaryPlan: Hashable, Sendable {
  /// The chunks as they were recorded.
  case recorded
  /// Each exchange's body as one chunk.
  case whole
  /// Chunks of this many bytes, at least 1; the last of an exchange may be shorter.
  case bytes(Int)
  /// Chunks of seeded random lengths. The same seed cuts the same bytes the same way everywhere and forever: the
  /// generator is ``SplitMix64``, begun anew for each exchange from the seed and the exchange's number, and the length of
  /// a chunk is 1 + a number below 2ᵏ, for a `k` drawn from 0 to 10.
  case random(seed: UInt64)
  /// Cuts at these offsets into the session's body bytes (all exchanges one after the other), from 1 and in order. An
  /// offset that stands there again puts an empty chunk at that place.
  case at([Int])
  /// A cut inside every CRLF, between the two line ends of a blank line, inside every UTF-8 sequence and the BOM,
  /// after every colon and inside every field name, with an empty chunk at each cut.
  case hostile
  /// Every single split point of each exchange, one replay each; see ``variants(bodyLengths:)``.
  case each
}

extension ChunkBoundaryPlan: CustomStringConvertible {
  /// The plan's text; ``init(parsing:)`` reads it back.
  public var description: String {
    switch self {
    case .recorded: "recorded"
    case .whole: "whole"
    case .bytes(let count): "bytes:\(count)"
    case .random(let seed): "random:\(seed)"
    case .at(let offsets): "at:" + offsets.map(String.init).joined(separator: ",")
    case .hostile: "hostile"
    case .each: "each"
    }
  }
}

extension ChunkBoundaryPlan {
  /// What a plan may look like, for messages and help.
  public static let syntax = "recorded, whole, bytes:N, random:SEED, at:OFFSET,…, hostile or each"

  /// Reads a plan's text: `recorded`, `whole`, `bytes:N`, `random:SEED`, `at:OFFSET,OFFSET,…`, `hostile` or `each`.
  ///
  /// Numbers are plain decimal digits without leading zeros.
  /// - Throws: ``ChunkBoundaryPlanError``, which names the part that can't be read and what may stand there.
  public init(parsing text: String) throws(ChunkBoundaryPlanError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let argument = parts.count == 2 ? parts[1] : nil
    switch (parts[0], argument) {
    case ("recorded", nil): self = .recorded
    case ("whole", nil): self = .whole
    case ("hostile", nil): self = .hostile
    case ("each", nil): self = .each
    case ("bytes", let argument?):
      guard let count: Int = Self.number(argument), count >= 1 else {
        throw .init(
          .invalidNumber, "‘\(argument)’ in plan ‘\(text)’ is no chunk length: bytes:N takes an N from 1")
      }
      self = .bytes(count)
    case ("random", let argument?):
      guard let seed: UInt64 = Self.number(argument) else {
        throw .init(
          .invalidNumber, "‘\(argument)’ in plan ‘\(text)’ is no seed: random:SEED takes 0 to \(UInt64.max)")
      }
      self = .random(seed: seed)
    case ("at", let argument?):
      self = .at(try Self.offsets(argument, in: text))
    case ("bytes", nil), ("random", nil), ("at", nil):
      let example = ["bytes": "bytes:1", "random": "random:7", "at": "at:5,17"][String(parts[0])] ?? ""
      throw .init(.missingArgument, "plan ‘\(text)’ lacks its number: write it like \(example)")
    case ("recorded", _?), ("whole", _?), ("hostile", _?), ("each", _?):
      throw .init(
        .unexpectedArgument, "plan ‘\(text)’: ‘\(parts[0])’ takes nothing after it; write \(parts[0])")
    default:
      throw .init(.unknownPlan, "‘\(text)’ is no boundary plan: use \(Self.syntax)")
    }
  }

  private static func offsets(_ list: Substring, in text: String) throws(ChunkBoundaryPlanError) -> [Int] {
    var offsets: [Int] = []
    for item in list.split(separator: ",", omittingEmptySubsequences: false) {
      guard let offset: Int = number(item), offset >= 1 else {
        throw .init(
          .invalidNumber,
          "‘\(item)’ in plan ‘\(text)’ is no offset: at: takes offsets from 1, separated by commas")
      }
      if let last = offsets.last, offset < last {
        throw .init(
          .unorderedOffsets, "offset \(offset) in plan ‘\(text)’ comes after \(last): sort them")
      }
      offsets.append(offset)
    }
    return offsets
  }

  // Swift's own initializers take signs; a plan has one spelling only.
  private static func number<N: FixedWidthInteger>(_ text: Substring) -> N? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      text.utf8.count == 1 || text.utf8.first != 0x30
    else { return nil }
    return N(text)
  }
}

extension ChunkBoundaryPlan {
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

/// A boundary plan that can't be read. Errors are equal when their codes are.
public struct ChunkBoundaryPlanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// No plan has this name.
    public static let unknownPlan = Code(name: "unknownPlan")
    /// The plan needs a number or a list after a colon.
    public static let missingArgument = Code(name: "missingArgument")
    /// The plan takes nothing after its name.
    public static let unexpectedArgument = Code(name: "unexpectedArgument")
    /// A number is malformed or out of range.
    public static let invalidNumber = Code(name: "invalidNumber")
    /// The offsets are not in increasing order.
    public static let unorderedOffsets = Code(name: "unorderedOffsets")
  }

  /// What kind of mistake it is.
  public let code: Code
  /// The part that can't be read and what may stand there, for people.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// Whether both have the same code.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
