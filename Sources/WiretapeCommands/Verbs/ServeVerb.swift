// `wiretape serve`: a cassette played to real clients over loopback HTTP. The server is EventCassetteServer's; this file
// starts it, says where it is, and ends it.

import EventCassetteServer
import EventCassettes

enum ServeVerb {
  static let port = Option.number("--port", in: 0...65_535, help: "The port; any free one unless given.")
  static let boundaries = Option.plan(
    "--boundaries", help: "Where bodies are cut; recorded unless given. See PLAN.")
  static let speed = Option<ReplaySpeed>(
    ["--speed"], value: "SPEED", completion: .choice(["instant", "recorded", "2", "10"]),
    help: "recorded, unless given; instant; or a number: so many times as fast.", read: ReplayVerb.speed.read)
  static let loop = Option.flag(
    "--loop", help: "Begins again after the last exchange, instead of answering 204.")
  static let faults = Option<FaultSpec>(
    ["--fault"], value: "SPEC", repeats: true,
    help: "Does something wrong on purpose; see Faults. Repeatable."
  ) { (text: String) throws(UsageProblem) in
    do { return try FaultSpec(parsing: text) } catch { throw UsageProblem(": \(error)") }
  }
  static let sweep = Option<ResumeSweepServer.Cuts>.choice(
    "--resume-sweep", value: "WHERE",
    help: "Checks how a client resumes: cuts it after every byte, or around each event; see Resume sweep.")

  static let verb = Verb(
    name: "serve",
    summary: "Play a cassette to real clients over HTTP",
    discussion: """
      Plays a cassette on 127.0.0.1 until a signal comes: request n+1 of a client gets exchange n+1, after the last one \
      a 204. Prints the address first, and tells of clients that send another Last-Event-ID than the recorded one \
      (exit 1 then). After a fault that cuts an answer short the next request gets the rest of the same exchange, from \
      behind the event that its Last-Event-ID names; events without IDs can’t be resumed, and what is lost then is told \
      too (exit 1). What comes again because nobody could ask for less, as after a POST, is a warning. Faults that can’t \
      happen are told of at the start, those that didn’t at the end. The page at / shows the stream live in a browser. Where the recording ended because the recorded \
      client closed (cancelled), the server leaves the connection open, as the real one did, until the client closes it.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: [port.row, boundaries.row, speed.row, loop.row, faults.row, sweep.row],
    notes: [
      .singlePlans,
      Verb.Note(
        heading: "Faults",
        text: FaultSpec.kinds.map { "\($0.syntax): \($0.summary)" }.joined(separator: "\n")
          + "\nPLACE: 4097 (after so many bytes of a body), 2/0 (in the answer with exchange 2), every/100 (in every "
          + "answer), random-7 (where seed 7 says). In the rest of an exchange that was cut only 2/… and every/… act."
      ),
      Verb.Note(
        heading: "Resume sweep",
        text: """
          Cuts a client’s connections until there was a cut after every byte, or right before and after each event is \
          complete. The client is run as often as the first lines say, each time from no ID until it gets a 204, which \
          ends an event source. Each connection resumes after the Last-Event-ID that the client sends, with “retry: 10”, \
          and is cut so many bytes into the next event: a byte more in each run. Events that the client asks for again, \
          or skips, are findings (exit 1), as is a client that doesn’t come back. The cassette’s events must have IDs of \
          their own.
          """),
    ],
    stopsInOrder: true,
    examples: [
      "wiretape serve demo.cassette --port 8080 --boundaries bytes:1",
      "wiretape serve demo.cassette --fault reset@200 --fault stall@2/100:3",
      "wiretape serve demo.cassette --resume-sweep byte",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let cassette = try Cassette(contentsOf: arguments.positionals[0])
    let diagnostics = context.diagnostics
    if let cuts = arguments[sweep] { return try await self.sweep(cassette, cuts, arguments, context) }
    let options = CassetteServer.Options(
      port: UInt16(arguments[port] ?? 0), boundaries: arguments[boundaries] ?? .recorded,
      speed: arguments[speed] ?? .recorded, loops: arguments.has(loop), faults: arguments.all(faults))
    let server = try CassetteServer(cassette, options: options, clock: context.clock) { finding in
      let label = finding.kind == .eventsRepeated ? "warning" : "finding"
      try? diagnostics.line("wiretape serve: \(label): " + printable(finding.description))
    }
    if let warning = options.boundaries.warning(bodyBytes: cassette.bodyBytes) {
      try diagnostics.line("wiretape serve: warning: \(warning)")
    }
    for unused in server.unusedFaults where unused.obstacle != nil {
      try diagnostics.line("wiretape serve: warning: " + printable(unused.description))
    }
    try context.output.line(server.url)
    try diagnostics.line("wiretape serve: a page to look at is at \(server.pageURL); Ctrl-C ends")
    _ = try await runUntilStopped(in: context, maxDuration: nil) { _ in
      for await _ in AsyncStream<Never>.silent {}
    }
    await server.stop()
    for unused in server.unusedFaults where unused.obstacle == nil {
      try diagnostics.line("wiretape serve: " + printable(unused.description))
    }
    // What comes twice is told, and no fault of anybody's.
    return server.findings.contains { $0.kind != .eventsRepeated } ? .finding : .success
  }

  /// Sweeps over one client, and ends when it is through.
  private static func sweep(
    _ cassette: Cassette, _ cuts: ResumeSweepServer.Cuts, _ arguments: Arguments, _ context: CommandContext
  ) async throws -> ExitCode {
    guard arguments[boundaries] == nil, arguments[speed] == nil, !arguments.has(loop),
      arguments.all(faults).isEmpty
    else {
      throw CommandError.usage(
        of: "serve", "--resume-sweep cuts by itself: it takes no --boundaries, --speed, --loop or --fault")
    }
    let diagnostics = context.diagnostics
    let server = try ResumeSweepServer(
      cassette, options: .init(port: UInt16(arguments[port] ?? 0), cuts: cuts), clock: context.clock
    ) { finding in
      try? diagnostics.line("wiretape serve: finding: " + printable(finding.description))
    }
    try context.output.line(server.url)
    try diagnostics.line(
      "wiretape serve: run the client \(counted(server.passes, "time")), each until it gets a 204; Ctrl-C ends"
    )
    _ = try await runUntilStopped(in: context, maxDuration: nil) { _ in await server.completed() }
    await server.stop()
    let report = server.report
    try context.output.lines(report.description.split(separator: "\n").map { printable(String($0)) })
    return report.passed ? .success : .finding
  }
}
