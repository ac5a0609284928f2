// From a finding of a check to the smallest stream that shows it.

public import ServerSentEvents

extension ParserCheck {
  /// A finding made small.
  public struct Minimized: Hashable, Sendable {
    /// The chunks, what should come and what came.
    public var reproduction: Reproduction
    /// The stream's bytes.
    public var bytes: [UInt8]
    /// Where it is cut.
    public var cuts: [Int]
    /// How it fails, which is how the finding failed.
    public var kind: FailureKind
  }

  /// How a stream fails: what stays the same while it is made small.
  public struct FailureKind: Hashable, Sendable, CustomStringConvertible {
    /// How the events first differ.
    public var difference: Reproduction.Difference
    /// Whether it fails in one piece, too: a fault of cutting must stay one.
    public var isUncut: Bool
    /// Where it is cut, if it was one place that showed it.
    public var cut: CutPlace?
    /// Whether it takes an empty chunk.
    public var hasEmptyChunk = false
    /// The type of the first wrong event, where it tells of a fault of the parser as a whole.
    public var fault: String?

    /// The kind in a few words, such as “data: its end is lost, when cut inside a character”.
    public var description: String {
      let what = fault.map { "fault ‘\($0)’" } ?? difference.description
      if isUncut { return what + ", however it is cut" }
      return what + (hasEmptyChunk ? ", when an empty chunk comes" : ", when cut")
        + (cut.map { " \($0)" } ?? "")
    }
  }

  /// The smallest stream and cuts that fail as a finding does.
  ///
  /// - Parameters:
  ///   - finding: what a check found.
  ///   - bodies: the bodies that it was given.
  ///   - fields: what of each event is compared.
  ///   - tries: how many streams may be tried.
  ///   - faults: types of events that stand for a fault of the parser as a whole (a crash, a hang), each a kind of its own.
  ///   - smaller: told of each smaller stream that fails so, by how many bytes it has.
  ///   - makeParser: makes a parser at the start of a stream.
  /// - Returns: `nil` where the finding doesn't show again, as with a parser that depends on something else.
  public static func minimized<Parser: EventStreamParsing>(
    _ finding: ChunkingFinding, in bodies: [ExchangeBody], comparing fields: ComparedFields = .all,
    tries: Int = 20_000,
    faults: Set<String> = [], smaller: @escaping (_ bytes: Int) -> Void = { _ in },
    makeParser: @escaping () -> Parser
  ) -> Minimized? where Parser.Output == ServerSentEvent {
    guard let index = bodies.firstIndex(where: { $0.exchange == finding.exchange }) else { return nil }
    let base = bodies[..<index].reduce(0) { $0 + $1.bytes.count }
    var cuts: [Int] = []
    if let offsets = finding.split.offsets { cuts = offsets.map { $0 - base } }

    func outputs(_ chunks: [[UInt8]]) -> [ServerSentEvent] {
      var parser = ComparedParser(base: makeParser(), fields: fields)
      return chunks.flatMap { parser.append($0) } + parser.end()
    }
    func expected(_ bytes: [UInt8]) -> [ServerSentEvent] {
      EventStreamParser.events(in: bytes).map(fields.keep)
    }

    let hasOnePlace = Set(cuts).count == 1
    var smallest: (kind: FailureKind, bytes: Int)?
    func kind(_ candidate: StreamMinimizer<FailureKind>.Candidate) -> FailureKind? {
      let want = expected(candidate.bytes)
      let got = outputs(candidate.chunks)
      guard let difference = Reproduction.Difference(expected: want, got: got) else { return nil }
      let isUncut = candidate.cuts.isEmpty || outputs([candidate.bytes]) != want
      let place =
        hasOnePlace && !isUncut ? candidate.cuts.first.map { CutPlace(of: $0, in: candidate.bytes) } : nil
      let kind = FailureKind(
        difference: difference, isUncut: isUncut, cut: place,
        hasEmptyChunk: !isUncut && Set(candidate.cuts).count < candidate.cuts.count,
        fault: got.first { faults.contains($0.type) }?.type)
      // The first one is the stream itself, whose kind is kept.
      if smallest == nil || (smallest?.kind == kind && candidate.bytes.count < smallest?.bytes ?? 0) {
        smallest = (kind, candidate.bytes.count)
        smaller(candidate.bytes.count)
      }
      return kind
    }
    var start = StreamMinimizer<FailureKind>.Candidate(bytes: bodies[index].bytes, cuts: cuts)
    // Empty chunks only where nothing else shows it.
    var plain = start
    plain.cuts = Set(cuts).sorted()
    if plain != start, kind(plain) != nil {
      start = plain
      smallest = nil
    }
    var minimizer = StreamMinimizer(tries: tries, kind: kind)
    guard let small = minimizer.minimized(start), let failure = kind(small) else { return nil }
    let reproduction = Reproduction(
      chunks: small.chunks, expected: expected(small.bytes), got: outputs(small.chunks))
    return Minimized(reproduction: reproduction, bytes: small.bytes, cuts: small.cuts, kind: failure)
  }
}
