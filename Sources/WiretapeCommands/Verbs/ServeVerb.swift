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

  static let verb = Verb(
    name: "serve",
    summary: "Play a cassette to real clients over HTTP",
    discussion: """
      Plays a cassette on 127.0.0.1 until a signal comes: request n+1 of a client gets exchange n+1, after the last one \
      a 204. Prints the address first, and tells of clients that send another Last-Event-ID than the recorded one \
      (exit 1 then). The page at / shows the stream live in a browser.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: [port.row, boundaries.row, speed.row, loop.row, faults.row],
    notes: [
      .plans,
      Verb.Note(
        heading: "Faults",
        text: FaultSpec.kinds.map { "\($0.syntax): \($0.summary)" }.joined(separator: "\n")
          + "\nPLACE: 4097 (after so many bytes of a body), 2/0 (in the answer with exchange 2), every/100 (in every "
          + "answer), random-7 (where seed 7 says)."),
    ],
    stopsInOrder: true,
    examples: [
      "wiretape serve demo.cassette --port 8080",
      "wiretape serve demo.cassette --boundaries bytes:1 --speed instant",
      "wiretape serve demo.cassette --fault reset@200 --fault stall@2/100:3",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let cassette = try Cassette(contentsOf: arguments.positionals[0])
    let diagnostics = context.diagnostics
    let options = CassetteServer.Options(
      port: UInt16(arguments[port] ?? 0), boundaries: arguments[boundaries] ?? .recorded,
      speed: arguments[speed] ?? .recorded, loops: arguments.has(loop), faults: arguments.all(faults))
    let server = try CassetteServer(cassette, options: options, clock: context.clock) { finding in
      try? diagnostics.line("wiretape serve: finding: " + printable(finding.description))
    }
    try context.output.line(server.url)
    try diagnostics.line("wiretape serve: a page to look at is at \(server.pageURL); Ctrl-C ends")
    _ = try await runUntilStopped(in: context, maxDuration: nil) { _ in
      for await _ in AsyncStream<Never>.silent {}
    }
    await server.stop()
    return server.findings.isEmpty ? .success : .finding
  }
}
