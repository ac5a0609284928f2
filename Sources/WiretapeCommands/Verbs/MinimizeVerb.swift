// `wiretape minimize`: the smallest cassette that still fails. The search is EventCassettes/Verification.

import EventCassettes
import ServerSentEvents

enum MinimizeVerb {
  static let verb = Verb(
    name: "minimize",
    summary: "Make the smallest cassette that still fails a subject",
    discussion: """
      Checks a parser in another process as “wiretape check --subject” does. What fails is made small in events, lines, \
      bytes and cuts, as long as it fails in the same way (the same difference, such as data that lost its end, at a cut \
      in the same kind of place), and written as a cassette whose recorded chunks show it. \
      Prints how it fails, the stream with a bar at each cut, and a test function for XCTest.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette that fails.")],
    options: [
      RecordVerb.output.row.required, SubjectOptions.subject.row.required,
      SubjectOptions.timeout.row, CheckVerb.plans.row,
      CheckVerb.seed.row,
      CheckVerb.budget.row,
      RecordVerb.force.row,
    ],
    notes: [.subjects],
    examples: [
      "wiretape minimize demo.cassette -o small.cassette --subject 'python3 subject.py'",
      "wiretape minimize demo.cassette -o cut.cassette --plans each --subject 'python3 subject.py'",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    guard let path = arguments[RecordVerb.output] else {
      throw CommandError.usage(of: "minimize", "-o FILE is missing: where shall the small cassette go?")
    }
    guard let command = arguments[SubjectOptions.subject] else {
      throw CommandError.usage(of: "minimize", "--subject CMD is missing: which parser fails?")
    }
    return try await SubjectProcess.during(context, running: command, arguments) { subject in
      try await minimize(arguments.positionals[0], with: subject, to: path, arguments, context)
    }
  }

  private static func minimize(
    _ source: String, with process: SubjectProcess, to path: String, _ arguments: Arguments,
    _ context: CommandContext
  ) async throws -> ExitCode {
    let bodies = try Cassette(contentsOf: source).bodies()
    try naming(source) { () throws(CassetteError) in try bodies.requireMemory(options: CheckOptions()) }
    if let fault = try SubjectParser.faultOnEmptyStream(of: process) {
      throw CommandError(
        .badData,
        "\(source): the subject fails on an empty stream already: \(fault.got ?? "nothing came")",
        next: process.lastWordsText.map { $0 + "\n" }.joined()
          + "Nothing is smaller than that. “wiretape help minimize” says what a subject does.")
    }
    let options = CheckOptions(
      plans: arguments[CheckVerb.plans], budget: (arguments[CheckVerb.budget] ?? 64) << 20,
      seed: arguments[CheckVerb.seed] ?? 1, proves: false)
    let report = try await LiveLine.during(context, { "checking · \(progress($0, process))" }) {
      SubjectParser.check(process, with: bodies, options: options)
    }
    try process.requireUninterrupted()
    guard let finding = report.finding else {
      throw CommandError(
        .badData, "\(source): the subject passes the check: there is nothing to make small",
        next: "Try more with --plans or another --seed.")
    }
    // A hang costs its whole patience for each try.
    let tries = process.hangs > 0 ? 30 : 20_000
    let size = Locked(0)  // how small it is so far
    let minimized = try await LiveLine.during(
      context, { "making it small · \(sizeText(size.withLock { $0 })) · \(progress($0, process))" }
    ) {
      ParserCheck.minimized(
        finding, in: bodies, tries: tries, faults: SubjectParser.faults,
        smaller: { bytes in size.withLock { $0 = bytes } },
        makeParser: { SubjectParser(process) })
    }
    try process.requireUninterrupted()
    guard let small = minimized else {
      throw CommandError(
        .badData, "\(source): the subject failed at \(finding.split), and not again",
        next: (finding.text + [
          "It depends on more than the stream: check it for state that it keeps, and for what takes it long."
        ]).joined(separator: "\n"))
    }
    try small.reproduction.writeCassette(
      to: path, overwriting: arguments.has(RecordVerb.force), url: "file:minimized",
      labels: ["minimizedFrom": source.split(separator: "/").last.map(String.init) ?? source], context)
    try context.diagnostics.line(
      "wiretape minimize: \(printable(path)): \(counted(small.reproduction.chunks.count, "chunk")), "
        + sizeText(small.bytes.count))
    if small.kind.fault != nil { try context.diagnostics.lines(process.lastWordsText) }
    try context.output.lines(
      [
        "split: \(small.cuts.isEmpty ? "whole" : "\(ChunkBoundaryPlan.at(small.cuts))")",
        "fails: \(small.kind)", small.reproduction.escaped, "",
      ]
        + small.reproduction.xctest(named: "Minimized").split(separator: "\n").map(
          String.init))
    return .success
  }

  /// What a terminal shows of it.
  private static func progress(_ elapsed: Duration, _ process: SubjectProcess) -> String {
    counted(process.streams, "stream") + " · " + LiveLine.seconds(elapsed)
  }
}
