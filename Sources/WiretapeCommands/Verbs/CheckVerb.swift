// `wiretape check`: the regression check of cassettes, for people and for CI.

import EventCassettes
import ServerSentEvents

enum CheckVerb {
  static let update = Option.flag("--update", help: "Writes the golden file, if nothing else is found.")
  static let plans = Option.plans(
    "--plans",
    help: "The plans to try: recorded, whole, bytes:1, hostile, each and 20 random ones unless given.")
  static let seed = Option.seed("--seed", help: "The seed of random plans and samples; 1 unless given.")
  static let policy = Option<ReconnectionPolicy.Rules>.choice(
    "--policy", value: "POLICY", help: "What reconnects, standard or resilient; the cassette’s unless given.")
  static let budget = Option.number(
    "--budget", value: "MIB", in: 0...1 << 20,
    help:
      "How many MiB “each” and the proof may feed to the parser; 64 unless given. Past it “each” takes the hostile "
      + "offsets and a seeded sample, and says how many.")
  static let memory = Option.number(
    "--memory", value: "MIB", in: 1...1 << 20,
    help: "How much memory a check may take, about; 4096 unless given. It holds the bodies and their events.")
  static let json = Option.flag("--json", help: "Prints one JSON object for each file.")

  static let verb = Verb(
    name: "check",
    summary: "Check that cassettes give the same events however they are cut",
    discussion: """
      Checks cassettes: that they are whole, that every boundary plan gives the same events through the parser and the \
      client, and that the events equal the golden file beside the cassette (x.events.jsonl for x.cassette). A finding \
      prints the smallest failing split as a plan that can be given to --boundaries, and exits 1. A cassette without its end \
      (the recorder was killed) is checked as far as it goes, with a warning: that alone is no finding.
      """,
    positionals: [Positional(name: "FILE", repeats: true, help: "Cassettes.")],
    options: [
      update.row, plans.row, seed.row, policy.row, budget.row, memory.row, SubjectOptions.subject.row,
      SubjectOptions.timeout.row, json.row,
    ],
    notes: [
      .plans,
      Verb.Note(
        heading: "JSON lines",
        text:
          #"{"file", "ok", "proved", "plans", "events", "split", "expected", "got", "warnings", "finished"}; with --subject also "smallest"."#
      ),
      .subjects,
    ],
    examples: [
      "wiretape check demo.cassette", "wiretape check --update demo.cassette",
      "wiretape check --plans hostile,bytes:1 --json demo.cassette",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let options = CheckOptions(
      plans: arguments[plans], budget: (arguments[budget] ?? 64) << 20, seed: arguments[seed] ?? 1,
      memory: (arguments[memory] ?? 4096) << 20)
    var replay = ReplayOptions()
    replay.policy = arguments[policy].map { $0 == .resilient ? .resilient : .standard }
    let command = arguments[SubjectOptions.subject]
    if command != nil, arguments.has(update) || arguments[policy] != nil {
      throw CommandError.usage(
        of: "check", "--update and --policy are for runs of the client; a subject is another parser")
    }
    if command == nil, arguments[SubjectOptions.timeout] != nil {
      throw CommandError.usage(
        of: "check", "--subject-timeout needs --subject CMD: who shall have that time?")
    }
    guard let command else { return try await check(nil, options, replay, arguments, context) }
    return try await SubjectProcess.during(context, running: command, arguments) {
      try await check($0, options, replay, arguments, context)
    }
  }

  private static func check(
    _ subject: SubjectProcess?, _ options: CheckOptions, _ replay: ReplayOptions, _ arguments: Arguments,
    _ context: CommandContext
  ) async throws -> ExitCode {
    let fault = try subject.flatMap { subject throws(CommandError) in
      try SubjectParser.faultOnEmptyStream(of: subject)
    }
    var code = ExitCode.success
    var failure: CommandError?
    for file in arguments.positionals {
      do {
        if let subject {
          let check = try await LiveLine.during(context, { progress(file, $0, subject) }) {
            try SubjectCheck(of: file, subject: subject, fault: fault, options: options)
          }
          if subject.isInterrupted { break }
          try context.output.lines(arguments.has(json) ? [check.json] : check.text)
          if check.isFault { try context.diagnostics.lines(subject.lastWordsText) }
          if !check.report.passed { code = .finding }
          continue
        }
        let check = try await LiveLine.during(context, { progress(file, $0) }) {
          try CassetteCheck(
            of: file, options: options, replay: replay, updates: arguments.has(update), context: context)
        }
        try context.output.lines(arguments.has(json) ? [check.json] : check.text)
        if !check.report.passed { code = .finding }
      } catch let error as ClosedPipe {
        throw error
      } catch {
        // One bad file must not hide what the others would have shown.
        let error = CommandError(explaining: error)
        if let failure { try context.diagnostics.line(printable("wiretape check: \(failure.message)")) }
        failure = error
        if arguments.has(json) {
          var line = JSONLine()
          line.add("file", file)
          line.add("ok", false)
          line.add("error", error.message)
          try context.output.line(line.closed)
        }
      }
    }
    try subject?.requireUninterrupted()
    if let failure { throw failure }
    return code
  }

  /// What a terminal shows meanwhile.
  private static func progress(_ file: String, _ elapsed: Duration, _ subject: SubjectProcess? = nil)
    -> String
  {
    (["checking \(printable(file))", LiveLine.seconds(elapsed)]
      + (subject.map { [counted($0.streams, "stream")] } ?? [])).joined(separator: " · ")
  }
}
