// `wiretape demo`: the main job once, on a server that it brings along. Every step is done by the verbs and libraries
// that users have; the demo only says what happens.

import EventCassetteServer
import EventCassettes
import ServerSentEvents

enum DemoVerb {
  static let output = Option.file(
    "-o", "--output", help: "The cassette to write; demo.cassette unless given.")
  static let force = Option.flag("--force", help: "Overwrites the file if it exists.")

  static let verb = Verb(
    name: "demo",
    summary: "See it all once: a live stream recorded, replayed and checked",
    discussion: """
      Starts a small live server on this machine (orders and tokens of an LLM, heartbeats, a drop in mid-event), records \
      it over HTTP across the reconnect, shows the cassette, replays it under every boundary plan, and lets a typical \
      naive parser fail. Nothing leaves this machine. The cassette stays in the working folder.
      """,
    options: [output.row, force.row],
    examples: ["wiretape demo", "wiretape demo -o shop.cassette"],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let path = arguments[output] ?? freeName()
    let out = context.output
    let server = try DemoServer.start()
    let url = server.url("/events")
    try out.lines([
      "1 · A live server", "", "    \(url)",
      "    orders and an LLM’s tokens, heartbeats, and a drop in mid-event", "",
      "2 · Recording it over HTTP, across the reconnect", "",
      "    wiretape record --reconnect \(url) -o \(printable(path))",
    ])
    // The session ends by itself; the limit is for a machine on which it can't.
    var words = ["record", "--reconnect", "--max-duration", "600", url, "-o", path]
    if arguments.has(force) { words.append("--force") }
    let code = await Wiretape.run(words, in: context)
    let served = await server.exchanges
    await server.stop()
    guard code == .success else { return code }
    let cassette = try Cassette(contentsOf: path)
    try out.lines(
      served.dropFirst().map {
        "    the client came back with Last-Event-ID: \(printable($0.request["Last-Event-ID"] ?? "none"))"
      } + ["", "3 · What is on the cassette", ""])
    try out.lines(
      try CassetteSummary(of: path).text(name: path, columns: (out.columns ?? 80) - 4).map {
        $0.isEmpty ? "" : "    " + $0
      })
    try out.lines(["", "4 · The same events, wherever the stream is cut?", ""])
    let report = try CassetteVerifier.check(cassette)
    try out.lines(planLines(report))
    guard report.passed else {
      throw CommandError(.finding, "the check failed: please report this", next: "")
    }
    try out.lines(["", "5 · A parser as it is often written", ""])
    try out.lines(NaiveParser.source.split(separator: "\n").map { "      \($0)" } + [""])
    try out.lines(try naiveLines(cassette))
    try out.lines(
      ["", "What to try next (where wiretape isn’t installed yet: swift run wiretape …)", ""]
        + nextSteps(path).map { "    " + $0 })
    return .success
  }

  /// `demo.cassette`, or the next name that is free: a demo overwrites nothing.
  private static func freeName() -> String {
    guard exists("demo.cassette") else { return "demo.cassette" }
    return (2...).lazy.map { "demo-\($0).cassette" }.first { !exists($0) } ?? "demo.cassette"
  }

  private static func planLines(_ report: CassetteVerifier.Report) -> [String] {
    let events = report.events.count
    var lines = report.chunking.runs.filter { !$0.plan.isRandom }.map { run in
      "    \(run.plan)" + String(repeating: " ", count: max(1, 12 - run.plan.description.count))
        + "✓ \(counted(events, "event"))"
        + (run.plan == .each ? ", \(counted(run.replays, "split")), one after the other" : "")
    }
    let random = report.chunking.runs.filter(\.plan.isRandom)
    lines.append("    random      ✓ \(counted(events, "event")), \(counted(random.count, "seed"))")
    lines.append("    The client made the same events, reconnects and requests of it each time.")
    lines.append("    The parser is \(report.chunking.certainty.text).")
    return lines
  }

  /// The naive parser passes on the chunks as they were recorded, and fails elsewhere.
  private static func naiveLines(_ cassette: Cassette) throws -> [String] {
    let bodies = cassette.bodies()
    func check(_ plans: [ChunkBoundaryPlan]) -> ChunkingReport {
      ParserCheck.check(
        bodies, options: CheckOptions(plans: plans, proves: false), comparing: [.data, .type]
      ) { NaiveParser() }
    }
    let recorded = check([.recorded])
    var lines = [
      recorded.passed
        ? "    recorded    ✓ the chunks as they came: it works, as on every developer’s desk"
        : "    recorded    ✗ it fails on the chunks as they came"
    ]
    guard let finding = check([.each]).finding else { return lines + ["    each        ✓ (a surprise)"] }
    lines += ["    each        ✗ one cut is enough:", ""]
    lines += finding.text.map { "      " + $0 }
    if let cut = finding.split.offsets?.first {
      lines += ["", "      " + picture(of: cut, in: bodies)]
    }
    return lines
  }

  /// The bytes around a cut, with a bar in its place.
  private static func picture(of cut: Int, in bodies: [ExchangeBody]) -> String {
    let bytes = bodies.flatMap(\.bytes)
    let start = bytes[..<cut].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    let end = bytes[cut...].firstIndex(of: 0x0A).map { $0 + 1 } ?? bytes.count
    return Reproduction(chunks: [Array(bytes[start..<cut]), Array(bytes[cut..<end])], expected: [], got: [])
      .escaped
  }

  private static func nextSteps(_ path: String) -> [String] {
    let steps = [
      ("inspect", "wiretape inspect --events \(path)"),
      ("replay", "wiretape replay --speed recorded \(path)"),
      ("check", "wiretape check --update \(path)   # and from then on: wiretape check \(path)"),
      ("serve", "wiretape serve \(path)"), ("report", "wiretape report \(path) -o demo.html"),
      ("record", "wiretape record https://… --reconnect -o mine.cassette"),
    ]
    return steps.filter { step in Verb.all.contains { $0.name == step.0 } }.map(\.1)
  }
}

extension ChunkBoundaryPlan {
  fileprivate var isRandom: Bool { description.hasPrefix("random:") }
}
