// `wiretape fuzz run`: one target for a while, or all of them for a night. A run of one target is FuzzSession.

import Foundation

enum FuzzRunVerb {
  static let maxTime = Option.duration("--max-time", help: "How long, such as 90s or 15m; 60s unless given.")
  static let overnight = Option.duration(
    "--overnight",
    help: "How long in all, such as 8h: without TARGET it is shared among all targets, in turn.")
  static let jobs = Option.number(
    "--jobs", in: 1...256,
    help: "Workers side by side, each a process; 2 unless given. Every other one uses the value profile.")
  static let untilFinding = Option.flag("--until-finding", help: "Ends at the first finding.")

  static let verb = Verb(
    name: "fuzz run",
    summary: "Fuzz a target for a while, or all of them for a night",
    discussion: """
      Builds the target, checks that it is instrumented, and lets workers look for inputs that fail. Goes on after a \
      finding and tells findings apart; what an earlier run found is marked as known. The corpus stays, so that \
      the next run goes on where this one ended. Ctrl-C ends it in good order, with its summary. Exit 1 if there was any \
      finding, 0 if there was none. On Linux targets are linked statically: one that reaches FoundationNetworking, such as \
      through EventSourceURLSession, needs libcurl’s development files (Debian and Ubuntu: libcurl4-openssl-dev).
      """,
    positionals: [FuzzVerb.target],
    passedOn: Positional(
      name: "LIBFUZZER-OPTION", completion: .none, help: "Options for libFuzzer, such as -max_len=65536."),
    options: [
      maxTime.row, overnight.row, jobs.row, untilFinding.row, FuzzVerb.path.row, FuzzVerb.json.row,
    ],
    examples: [
      "wiretape fuzz run", "wiretape fuzz run --overnight 8h",
      "wiretape fuzz run FuzzEventStream --max-time 15m --jobs 4 -- -max_len=65536",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    if arguments[maxTime] != nil, arguments[overnight] != nil {
      throw CommandError.usage(of: "fuzz run", "--max-time and --overnight both say how long; give one")
    }
    let package = try FuzzPackage.find(in: arguments[FuzzVerb.path])
    let name = arguments.positionals.first
    let names =
      arguments[overnight] != nil && name == nil
      ? package.nightly : [try package.target(name, for: "fuzz run")]
    let time = arguments[overnight] ?? arguments[maxTime] ?? .seconds(60)
    let options = FuzzOptions(
      duration: max(.seconds(1), time / names.count), jobs: arguments[jobs] ?? 2,
      stopsAtFinding: arguments.has(untilFinding), passedOn: arguments.passedOn)
    let night = FuzzNight(names, of: package, options, printsJSON: arguments.has(FuzzVerb.json), context)
    _ = try await runUntilStopped(in: context, maxDuration: nil) { _ in try await night.run() }
    let summaries = await night.summaries
    guard !summaries.isEmpty else { return .interrupted }
    return summaries.allSatisfy(\.findings.isEmpty) ? .success : .finding
  }
}

/// Targets in turn.
private actor FuzzNight {
  private(set) var summaries: [FuzzSummary] = []
  private let names: [String]
  private let package: FuzzPackage
  private let options: FuzzOptions
  private let printsJSON: Bool
  private let context: CommandContext

  init(
    _ names: [String], of package: FuzzPackage, _ options: FuzzOptions, printsJSON: Bool,
    _ context: CommandContext
  ) {
    self.names = names
    self.package = package
    self.options = options
    self.printsJSON = printsJSON
    self.context = context
  }

  func run() async throws {
    let toolchain = try await Toolchain.find()
    // All of them first: a target that doesn't build must not be met at three in the morning.
    var targets: [FuzzTarget] = []
    for name in names {
      targets.append(try await FuzzTarget(name, of: package, with: toolchain, context))
    }
    for target in targets where !Task.isCancelled {
      let session = try FuzzSession(target, options, context)
      try context.diagnostics.line(
        "fuzzing \(target.name) for \(durationText(milliseconds(options.duration) * 1000)), "
          + counted(options.jobs, "worker"))
      let summary = try await LiveLine.whileWaiting(
        context, { await session.progress(elapsed: $0) }, { try await session.run() })
      summaries.append(summary)
      try write([summary], to: session.logs)
      try write(summaries, to: package.artifacts)
      try context.output.lines(printsJSON ? [summary.json] : summary.text)
    }
  }

  /// Beside the run's logs, and where the last run's are found without looking.
  private func write(_ summaries: [FuzzSummary], to folder: String) throws {
    let files = [("summary.txt", summaries.flatMap(\.text)), ("summary.json", summaries.map(\.json))]
    for (name, lines) in files {
      try writeFile("\(folder)/\(name)", overwriting: true) { write in
        try write(Array((lines.joined(separator: "\n") + "\n").utf8))
      }
    }
  }
}
