// The public face of the chunking checks: give a parser and bodies, get a report. It decides only which of the
// machineries runs; they are ChunkingCheck, EachSplit+States and ChunkingProof.

public import ServerSentEvents

/// Checks of parsers over response bodies, each exchange a stream of its own.
public enum ParserCheck {
  /// Checks that our own parser gives the same outputs for every chunking, and proves it where the budget allows.
  ///
  /// Each stream begins with the last event ID in effect before it.
  public static func check(
    _ bodies: [ExchangeBody], limits: EventStreamParser.Limits = .default,
    options: CheckOptions = CheckOptions()
  ) -> ChunkingReport {
    var check = ChunkingCheck(
      bodies: bodies, budget: options.budget, describe: { $0.checkedJSON },
      makeParser: { EventStreamParser(limits: limits, lastEventID: $0.lastEventID) })
    return runFromStates(&check, options, each: { $0.runOwnEach(seed: $1) }, prove: { $0.proveOwn() })
  }

  /// Checks another parser against ours, as a black box: a class, a closure, a process.
  ///
  /// Both read each exchange as a stream of its own whose last event ID starts empty. `type`, `data` and `lastEventID`
  /// are compared, as far as `comparing` says.
  /// - Parameters:
  ///   - bodies: the bodies of a session's exchanges, in order.
  ///   - options: the plans and the budget.
  ///   - fields: what of each event is compared.
  ///   - makeParser: makes a parser at the start of a stream; it is called for every run.
  public static func check<Parser: EventStreamParsing>(
    _ bodies: [ExchangeBody], options: CheckOptions = CheckOptions(), comparing fields: ComparedFields = .all,
    makeParser: @escaping () -> Parser
  ) -> ChunkingReport where Parser.Output == ServerSentEvent {
    var check = blackBox(bodies, options, fields, makeParser)
    return run(
      &check, options,
      each: { check, budget in
        check.budget = budget
        return check.runEach(seed: options.seed)
      }, prove: { _, _ in (.sampled(reason: "the parser is a black box: it is not an Equatable value"), nil) }
    )
  }

  /// Checks another parser that is an `Equatable` value against ours, and proves it where the budget allows.
  public static func check<Parser: EventStreamParsing & Equatable>(
    _ bodies: [ExchangeBody], options: CheckOptions = CheckOptions(), comparing fields: ComparedFields = .all,
    makeParser: @escaping () -> Parser
  ) -> ChunkingReport where Parser.Output == ServerSentEvent {
    var check = blackBox(bodies, options, fields, makeParser)
    return runFromStates(&check, options, each: { $0.runEachFromStates(seed: $1) }, prove: { $0.prove() })
  }

  /// The same for a parser that may be run on all cores at once.
  public static func check<Parser: EventStreamParsing & Equatable & Sendable>(
    _ bodies: [ExchangeBody], options: CheckOptions = CheckOptions(), comparing fields: ComparedFields = .all,
    makeParser: @escaping () -> Parser
  ) -> ChunkingReport where Parser.Output == ServerSentEvent {
    var check = blackBox(bodies, options, fields, makeParser)
    return runFromStates(
      &check, options, each: { $0.runEachConcurrently(seed: $1) }, prove: { $0.proveConcurrently() })
  }

  /// Checks a closure against ours: `makeFeed` makes one for each stream, that takes chunks and gives events.
  public static func check(
    _ bodies: [ExchangeBody], options: CheckOptions = CheckOptions(), comparing fields: ComparedFields = .all,
    makeFeed: @escaping () -> (_ chunk: [UInt8]) -> [ServerSentEvent]
  ) -> ChunkingReport {
    check(bodies, options: options, comparing: fields) { ClosureParser(makeFeed()) }
  }

  private static func blackBox<Parser: EventStreamParsing>(
    _ bodies: [ExchangeBody], _ options: CheckOptions, _ fields: ComparedFields,
    _ makeParser: @escaping () -> Parser
  ) -> ChunkingCheck<ComparedParser<Parser>> where Parser.Output == ServerSentEvent {
    ChunkingCheck(
      bodies: bodies,
      expected: bodies.map {
        $0.isEventStream ? EventStreamParser.events(in: $0.bytes).map(fields.keep) : []
      },
      budget: options.budget, describe: { fields.json(of: $0) },
      makeParser: { _ in ComparedParser(base: makeParser(), fields: fields) })
  }

  /// A parser that is a value goes on from its states, and may be proved.
  private static func runFromStates<Parser: EventStreamParsing & Equatable>(
    _ check: inout ChunkingCheck<Parser>, _ options: CheckOptions,
    each: (inout ChunkingCheck<Parser>, _ seed: UInt64) -> (PlanRun, ChunkingFinding?),
    prove: (inout ChunkingCheck<Parser>) -> (ChunkingCertainty, ChunkingFinding?)
  ) -> ChunkingReport {
    run(
      &check, options,
      each: { check, budget in
        check.budget = budget
        return each(&check, options.seed)
      },
      prove: { check, budget in
        check.budget = budget
        return prove(&check)
      })
  }

  private typealias Step<Parser: EventStreamParsing, Result> =
    (inout ChunkingCheck<Parser>, _ budget: Int) -> (Result, ChunkingFinding?)

  private static func run<Parser: EventStreamParsing>(
    _ check: inout ChunkingCheck<Parser>, _ options: CheckOptions, each: Step<Parser, PlanRun>,
    prove: Step<Parser, ChunkingCertainty>
  ) -> ChunkingReport {
    var report = ChunkingReport()
    for plan in options.plans where report.finding == nil {
      let (run, finding) = plan == .each ? each(&check, options.budget) : check.run(plan)
      report.runs.append(run)
      report.finding = finding
    }
    if report.finding == nil, options.proves {
      let (certainty, finding) = prove(&check, options.proofBudget)
      report.certainty = certainty
      report.finding = finding
    }
    report.bytesFed = check.bytesFed
    return report
  }
}

/// What of two events must be equal.
public struct ComparedFields: OptionSet, Hashable, Sendable {
  /// The set's bits.
  public let rawValue: Int
  /// Creates a set.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The payload.
  public static let data = ComparedFields(rawValue: 1)
  /// The type, `message` where the block has none.
  public static let type = ComparedFields(rawValue: 2)
  /// The last event ID in effect.
  public static let lastEventID = ComparedFields(rawValue: 4)
  /// All of them.
  public static let all: ComparedFields = [.data, .type, .lastEventID]

  /// The event with only what is compared.
  public func keep(_ event: ServerSentEvent) -> ServerSentEvent {
    ServerSentEvent(
      name: contains(.type) && event.type != "message" ? event.name : nil,
      data: contains(.data) ? event.data : "",
      lastEventID: contains(.lastEventID) ? event.lastEventID : "")
  }

  func json(of event: ServerSentEvent) -> String {
    var members: [(String, JSONValue)] = []
    if contains(.type) { members.append(("type", .string(event.type))) }
    if contains(.data) { members.append(("data", .string(event.data))) }
    if contains(.lastEventID) { members.append(("lastEventId", .string(event.lastEventID))) }
    return JSONLine.text(members)
  }
}

/// A parser whose events are reduced to what is compared.
struct ComparedParser<Base: EventStreamParsing>: EventStreamParsing where Base.Output == ServerSentEvent {
  var base: Base
  let fields: ComparedFields

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] { base.append(chunk).map(fields.keep) }
  mutating func end() -> [ServerSentEvent] { base.end().map(fields.keep) }
}

extension ComparedParser: Equatable where Base: Equatable {}
extension ComparedParser: Sendable where Base: Sendable {}
