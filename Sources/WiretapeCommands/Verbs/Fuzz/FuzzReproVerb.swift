// `wiretape fuzz repro`: one input once more, through every oracle.

enum FuzzReproVerb {
  static let verb = Verb(
    name: "fuzz repro",
    summary: "Run one input again",
    discussion: """
      Builds the target and runs one input through every oracle, with whole stacks. Prints what fails (exit 1), or \
      that nothing does (exit 0).
      """,
    positionals: [FuzzVerb.file, FuzzVerb.targetOfFile],
    options: [FuzzVerb.path.row, FuzzVerb.json.row],
    examples: [
      "wiretape fuzz repro Fuzz/artifacts/FuzzEventStream/crash-1a2b3c4d",
      "wiretape fuzz repro Corpus/regressions/split-crlf.sse FuzzEventStream",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let file = arguments.positionals[0]
    try requireFile(file)
    let package = try FuzzPackage.find(in: arguments[FuzzVerb.path])
    let name = try package.target(arguments.positionals.dropFirst().first, of: file, for: "fuzz repro")
    let code = try await uninterrupted(in: context) {
      let toolchain = try await Toolchain.find()
      let target = try await FuzzTarget(name, of: package, with: toolchain, context)
      let run = try await target.reproduce(file)
      let failure = run.failure
      if arguments.has(FuzzVerb.json) {
        try context.output.line(json(file, name, failure, log: run.log))
      } else if let failure {
        try context.output.lines(await failure.text(with: toolchain) + ["log: \(shownPath(run.log))"])
      } else {
        try context.output.line("no finding: \(printable(file))")
      }
      return failure == nil ? ExitCode.success : .finding
    }
    return code ?? .interrupted
  }

  private static func json(_ file: String, _ target: String, _ failure: FuzzFailure?, log: String) -> String {
    var line = JSONLine()
    line.add("file", file)
    line.add("target", target)
    line.add("ok", failure == nil)
    line.add("kind", failure?.kind.rawValue)
    line.add("title", failure?.title)
    line.add("form", failure?.form)
    line.add("split", failure?.split)
    line.add("expected", failure?.expected)
    line.add("got", failure?.got)
    line.add("signature", failure?.signature)
    line.add("log", shownPath(log))
    return line.closed
  }
}
