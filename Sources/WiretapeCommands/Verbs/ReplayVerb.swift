// `wiretape replay`: a cassette through the parser and the client on a virtual clock, printed as `listen` prints a live
// stream. The replay is the library's; this file prints it, at the pace that was asked for.

import EventCassettes
import ServerSentEvents

enum ReplayVerb {
  static let boundaries = Option.plan(
    "--boundaries", help: "Where bodies are cut; recorded unless given. See PLAN.")
  static let speed = Option<ReplaySpeed>(
    ["--speed"], value: "SPEED", completion: .choice(["instant", "recorded", "2", "10"]),
    help: "instant, unless given; recorded; or a number: so many times as fast."
  ) { (text: String) throws(UsageProblem) in
    switch text {
    case "instant": return .instant
    case "recorded": return .recorded
    default:
      guard let factor = Double(text), factor >= 0.001, factor <= 1e6, text.utf8.allSatisfy({ $0 < 0x3A })
      else {
        throw UsageProblem("takes instant, recorded or a number such as 2 or 0.5")
      }
      return .times(factor)
    }
  }
  static let maxIdle = Option.seconds("--max-idle", help: "Waits no longer than this, whatever was recorded.")
  static let policy = Option<ReconnectionPolicy.Rules>.choice(
    "--policy", value: "POLICY", help: "What reconnects, standard or resilient; the cassette’s unless given.")
  static let json = Option.flag("--json", help: "Prints one JSON object a line.")

  static let verb = Verb(
    name: "replay",
    summary: "Replay a cassette through the parser and the client",
    discussion: """
      Replays a cassette through the parser and the client on a virtual clock: connection n+1 of the client gets \
      exchange n+1. Prints events and reconnects as listen does. A request with another Last-Event-ID than the \
      recorded one is a finding (exit 1). With --boundaries each the parser reads every split; the client runs once, \
      uncut, for what it sees are the parser’s events.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: [boundaries.row, speed.row, maxIdle.row, policy.row, json.row],
    notes: [
      .plans, .policies,
      Verb.Note(
        heading: "JSON lines",
        text: """
          The lines of listen, each with "exchange" (from 1) and "atUs" (microseconds since the beginning); and
          {"kind":"finding","finding","recorded","replayed","exchange","atUs"}.
          """),
    ],
    stopsInOrder: true,
    examples: [
      "wiretape replay demo.cassette", "wiretape replay --boundaries bytes:1 --json demo.cassette",
      "wiretape replay --speed 10 --max-idle 0.5 demo.cassette",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let path = arguments.positionals[0]
    if let plan = arguments[boundaries], plan.offsets != nil, path != "-",
      let bytes = try? bodyBytes(of: path), let warning = plan.warning(bodyBytes: bytes)
    {
      try context.diagnostics.line("wiretape replay: warning: \(warning)")
    }
    var options = ReplayOptions(plan: arguments[boundaries] ?? .recorded)
    options.policy = arguments[policy].map { $0 == .resilient ? .resilient : .standard }
    guard options.plan != .each else { return try replayEach(path, options, arguments, context) }
    let pace = ReplayPace(
      speed: arguments[speed] ?? .instant, maxIdle: arguments[maxIdle], clock: context.clock)
    let printer = ReplayPrinter(json: arguments.has(json), output: context.output)
    guard arguments[speed] != nil, arguments[speed] != .instant else {
      return try await play(path, options, pace, printer)
    }
    // A paced replay may take its time; it ends on a signal as a listener does.
    let code = ReplayCode()
    _ = try await runUntilStopped(in: context, maxDuration: nil) { [options] _ in
      await code.set(try await play(path, options, pace, printer))
    }
    return await code.value
  }

  private static func play(
    _ path: String, _ options: ReplayOptions, _ pace: ReplayPace, _ printer: ReplayPrinter
  ) async throws -> ExitCode {
    var pace = pace
    var countsFindings = true
    var replayer = CassetteReplayer(try CassetteReader(contentsOf: path), options: options)
    if path != "-" {
      // Only where a client of ours recorded can it be expected to do the same again.
      var reader = try CassetteReader(contentsOf: path)
      if case .header(let header)? = try reader.next() { countsFindings = header.client != nil }
    }
    while let output = try replayer.next() {
      try await pace.wait(until: output.at)
      try printer.print(output)
    }
    return replayer.findings > 0 && countsFindings ? .finding : .success
  }

  /// How many bytes the bodies have. What is wrong with the cassette is for the replay to say, behind what comes before it.
  private static func bodyBytes(of path: String) throws -> Int {
    var reader = try CassetteReader(contentsOf: path)
    var count = 0
    while try reader.advance() { count += reader.withChunkBytes { $1.count } }
    return count
  }

  /// Every single split is tried; what they agree on is printed once.
  private static func replayEach(
    _ path: String, _ options: ReplayOptions, _ arguments: Arguments, _ context: CommandContext
  ) throws -> ExitCode {
    let cassette = try Cassette(contentsOf: path)
    let report = ParserCheck.check(
      cassette.bodies(limits: options.limits), limits: options.limits,
      options: CheckOptions(plans: [.each], proves: false))
    if let finding = report.finding {
      try context.output.lines(finding.text)
      return .finding
    }
    var options = options
    options.plan = .whole
    var replayer = CassetteReplayer(cassette, options: options)
    let printer = ReplayPrinter(json: arguments.has(json), output: context.output)
    while let output = try replayer.next() { try printer.print(output) }
    if let run = report.runs.first {
      try context.diagnostics.line(
        "wiretape replay: \(run.text) through the parser: the same; the client ran uncut")
    }
    return .success
  }
}

/// What a replay that may be stopped came to.
private actor ReplayCode {
  private(set) var value = ExitCode.success
  func set(_ code: ExitCode) { value = code }
}

/// Prints what happens in a replay.
private struct ReplayPrinter: Sendable {
  let json: Bool
  let output: CommandOutput

  func print(_ step: ReplayOutput) throws {
    switch step.what {
    case .signal(let signal):
      if json {
        var line = signal.jsonLine
        line.add("exchange", step.exchange)
        line.add("atUs", step.microseconds)
        try output.line(line.closed)
      } else {
        let lines = signal.text
        try output.lines(["\(place(step)) \(lines[0])"] + lines.dropFirst().map { "    " + $0 })
      }
    case .state(let state): if !json, state == .connecting { try output.line("\(place(step)) connecting") }
    case .finding(let finding):
      if json {
        var line = JSONLine()
        line.add("kind", "finding")
        line.add("finding", finding.kind.description)
        line.add("recorded", finding.recorded)
        line.add("replayed", finding.replayed)
        line.add("exchange", step.exchange)
        line.add("atUs", step.microseconds)
        try output.line(line.closed)
      } else {
        try output.line("\(place(step)) finding · " + printable(finding.description))
      }
    }
  }

  private func place(_ step: ReplayOutput) -> String {
    "#\(step.exchange) · \(durationText(step.microseconds)) ·"
  }
}
