// The regression check of one cassette, as pure logic: bodies through the parser under every chunking, the session
// through the client under every plan, events against the golden ones. Files are the caller's business.

public import ServerSentEvents

/// Checks a cassette.
public enum CassetteVerifier {
  /// What a check says.
  public struct Report: Hashable, Sendable {
    /// The events of the client's run, the chunks as recorded.
    public var events: [GoldenEvent] = []
    /// How the parser took every plan, and what is proved.
    public var chunking = ChunkingReport()
    /// A plan under which the client's run gives other events.
    public var clientFinding: ChunkingFinding?
    /// Where the client of the replay and the recorded one part ways.
    public var replayFindings: [ReplayFinding] = []
    /// Whether those count: they do if the cassette's header names a client, for then it was one of ours.
    public var replayFindingsCount = true
    /// The first difference to the golden events; `nil` if there is none, or no golden file.
    public var goldenDifference: GoldenDifference?
    /// Whether there were golden events to compare with.
    public var hasGolden = false
    /// Whether the recording was finished.
    public var isFinished = true

    /// Whether nothing was found.
    public var passed: Bool {
      finding == nil && goldenDifference == nil && (replayFindings.isEmpty || !replayFindingsCount)
    }

    /// What a chunking broke, in the parser or else in the client.
    public var finding: ChunkingFinding? { chunking.finding ?? clientFinding }
    /// Whether every chunking of every exchange is proved to give the same.
    public var isProved: Bool { passed && chunking.certainty.isProof }
  }

  /// The first place where events and golden file differ.
  public struct GoldenDifference: Hashable, Sendable {
    /// The number of the event, from 1; the line of the golden file.
    public var line: Int
    /// The golden event; `nil` if there are no more.
    public var expected: GoldenEvent?
    /// The event that came; `nil` if no more came.
    public var got: GoldenEvent?
  }

  /// Checks a cassette in memory.
  ///
  /// - Parameters:
  ///   - cassette: the cassette.
  ///   - golden: the events it must give; `nil` if there is no golden file.
  ///   - options: the plans and the budget.
  ///   - replay: the client's settings; the plan in it is not used.
  /// - Throws: ``CassetteError`` `overLimit` where the check would take more memory than the options allow.
  public static func check(
    _ cassette: Cassette, golden: [GoldenEvent]? = nil, options: CheckOptions = CheckOptions(),
    replay: ReplayOptions = ReplayOptions()
  ) throws(CassetteError) -> Report {
    let bodies = cassette.bodies(limits: replay.limits)
    try bodies.requireMemory(limits: replay.limits, options: options)
    var report = Report()
    report.isFinished = cassette.isFinished
    report.replayFindingsCount = cassette.headers.allSatisfy { $0.client != nil }
    (report.events, report.replayFindings) = try run(cassette, replay, .recorded)
    if let golden {
      report.hasGolden = true
      report.goldenDifference = difference(report.events, golden)
    }
    report.chunking = ParserCheck.check(bodies, limits: replay.limits, options: options)
    report.chunking.events = report.events.count
    guard report.chunking.finding == nil else { return report }
    let plans = options.plans.filter { $0 != .each && $0 != .recorded }
    let differences = onAllCores(plans) { [events = report.events] plan in
      Result { () throws(CassetteError) in try difference(cassette, replay, plan, from: events) }
    }
    for (plan, result) in zip(plans, differences) {
      guard let difference = try result.get() else { continue }
      report.clientFinding = try finding(cassette, replay, plan, report.events, difference)
      break
    }
    return report
  }

  /// The events of the client's run over a cassette.
  ///
  /// - Throws: ``CassetteError``.
  public static func events(
    of cassette: Cassette, replay: ReplayOptions = ReplayOptions()
  ) throws(CassetteError) -> [GoldenEvent] {
    try run(cassette, replay, replay.plan).events
  }

  /// The first place where events differ from golden ones.
  public static func difference(_ events: [GoldenEvent], _ golden: [GoldenEvent]) -> GoldenDifference? {
    let same = zip(events, golden).prefix { $0 == $1 }.count
    if same == events.count, same == golden.count { return nil }
    return GoldenDifference(
      line: same + 1, expected: same < golden.count ? golden[same] : nil,
      got: same < events.count ? events[same] : nil)
  }

  private static func run(
    _ cassette: Cassette, _ replay: ReplayOptions, _ plan: ChunkBoundaryPlan
  ) throws(CassetteError) -> (events: [GoldenEvent], findings: [ReplayFinding]) {
    var options = replay
    options.plan = plan
    var replayer = CassetteReplayer(cassette, options: options)
    var events: [GoldenEvent] = []
    var findings: [ReplayFinding] = []
    while let output = try replayer.next() {
      switch output.what {
      case .signal(.event(let event)): events.append(GoldenEvent(exchange: output.exchange, event))
      case .finding(let finding): findings.append(finding)
      case .signal, .state: break
      }
    }
    return (events, findings)
  }

  /// The first place where the events of the client's run differ from those they should be. None is kept.
  private static func difference(
    _ cassette: Cassette, _ replay: ReplayOptions, _ plan: ChunkBoundaryPlan, from expected: [GoldenEvent]
  ) throws(CassetteError) -> GoldenDifference? {
    var options = replay
    options.plan = plan
    var replayer = CassetteReplayer(cassette, options: options)
    var seen = 0
    while let output = try replayer.next() {
      guard case .signal(.event(let event)) = output.what else { continue }
      let got = GoldenEvent(exchange: output.exchange, event)
      let want = seen < expected.count ? expected[seen] : nil
      seen += 1
      if got != want { return GoldenDifference(line: seen, expected: want, got: got) }
    }
    return seen < expected.count ? GoldenDifference(line: seen + 1, expected: expected[seen], got: nil) : nil
  }

  /// The parser passed, the client did not: the smallest set of cuts for the whole session.
  private static func finding(
    _ cassette: Cassette, _ replay: ReplayOptions, _ plan: ChunkBoundaryPlan, _ expected: [GoldenEvent],
    _ difference: GoldenDifference
  ) throws(CassetteError) -> ChunkingFinding {
    var scanner = BoundaryScanner(plan)
    var base = 0
    var cuts: [Int] = []
    for exchange in cassette.exchanges {
      let body = exchange.body
      cuts += scanner.cuts(inBody: body, recordedLengths: exchange.chunks.map(\.bytes.count)).map {
        $0 + base
      }
      base += body.count
    }
    var shrinker = SplitShrinker(budget: 32 * max(base, 1), cost: max(base, 1)) { cuts in
      let events = try? run(cassette, replay, cuts.isEmpty ? .whole : .at(cuts)).events
      return events.map { self.difference($0, expected) != nil } ?? true
    }
    let smallest = shrinker.smallest(of: cuts)
    let split: ChunkBoundaryPlan = smallest.isEmpty ? .whole : .at(smallest)
    let shown = self.difference(try run(cassette, replay, split).events, expected) ?? difference
    return ChunkingFinding(
      split: split, foundBy: plan, exchange: shown.expected?.exchange ?? shown.got?.exchange ?? 1,
      index: shown.line - 1, expected: shown.expected?.description, got: shown.got?.description)
  }
}

extension Cassette {
  /// The body of every exchange, as checks take them, each with the last event ID in effect before it.
  /// - Parameter limits: those of the parser that finds the IDs.
  public func bodies(limits: EventStreamParser.Limits = .default) -> [ExchangeBody] {
    var bodies: [ExchangeBody] = []
    var parser = EventStreamParser(limits: limits)
    var recording = -1
    for (index, exchange) in exchanges.enumerated() {
      if exchange.recording != recording {
        recording = exchange.recording
        parser = EventStreamParser(
          limits: limits, lastEventID: exchange.request.headers["Last-Event-ID"] ?? "")
      }
      let body = ExchangeBody(
        exchange: index + 1, bytes: exchange.body, chunkLengths: exchange.chunks.map(\.bytes.count),
        lastEventID: parser.lastEventID, isEventStream: exchange.isEventStream)
      bodies.append(body)
      guard body.isEventStream else { continue }
      parser.visit(body.bytes.span) { _, _, _, _ in }
      parser.finish()
    }
    return bodies
  }
}

extension Cassette.Exchange {
  /// Whether a client reads its body as an event stream: status 200 and the type `text/event-stream`.
  public var isEventStream: Bool { response.map { $0.status == 200 && $0.head.isEventStream } ?? false }
}
