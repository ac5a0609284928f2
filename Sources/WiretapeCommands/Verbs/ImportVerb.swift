// `wiretape import`: a file in another format becomes a cassette. What the formats are is EventCassettes/Conversion.

import EventCassettes

enum ImportVerb {
  static let format = Option.word(
    "--from", value: "FORMAT", of: CassetteImporter.all.map(\.name),
    help: "The file’s format; told by its ending unless given.")

  static let verb = Verb(
    name: "import",
    summary: "Make a cassette of a file in another format",
    discussion: """
      Reads a saved body, events as JSON lines, or a HAR that a browser or a proxy exported, and writes a cassette. \
      Credentials are masked as they are when recording. Times are kept where the format has them; the cassette says \
      whether it has. (A HAR that “wiretape export” wrote brings its chunks back, without their times.)
      """,
    positionals: [
      Positional(name: "FILE", help: "The file to read; “-” is standard input and needs --from.")
    ],
    options: [
      RecordVerb.output.row.required, format.row, RecordVerb.level.row, RecordVerb.force.row,
      RecordVerb.labels.row,
    ]
      + RedactionOptions.all,
    notes: [
      Verb.Note(
        heading: "Formats",
        text: CassetteImporter.all.map {
          "\($0.name): \($0.summary) (.\($0.endings.joined(separator: ", .")))"
        }
        .joined(separator: "; ") + "."),
      .redaction,
    ],
    examples: [
      #"printf 'data: hello\n\n' | wiretape import - --from sse -o hello.cassette"#,
      "wiretape export demo.cassette --to jsonl | wiretape import - --from jsonl -o again.cassette",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    guard let path = arguments[RecordVerb.output] else {
      throw CommandError.usage(of: "import", "-o FILE is missing: where shall the cassette go?")
    }
    let source = arguments.positionals[0]
    guard let importer = CassetteImporter.named(arguments[format], file: source) else {
      let names = CassetteImporter.all.map(\.name).joined(separator: ", ")
      throw CommandError.usage(of: "import", "\(source): its ending tells no format; say --from \(names)")
    }
    try refuseOverwriting(source, by: path)
    let rules = try RedactionOptions.rules(arguments, of: "import")
    let level = arguments[RecordVerb.level] ?? 6
    var writer =
      arguments.has(RecordVerb.force)
      ? try CassetteWriter(replacing: path, level: level)  // a bad input must not cost the old file
      : try CassetteWriter(creating: path, level: level)
    let totals: Cassette.Trailer
    var warnings: [String] = []
    do {
      totals = try importer.run(
        contentsOf: source, to: &writer, recorder: "wiretape \(Wiretape.version)",
        recordedAt: Cassette.Header.timestamp(unixSeconds: context.wallClock()),
        labels: Dictionary(arguments.all(RecordVerb.labels).map { ($0.name, $0.value) }) { $1 },
        redaction: rules, onWarning: { warnings.append($0) })
      try writer.release()
    } catch {
      writer.discard()  // half an import is no cassette that anybody wants
      throw error
    }
    for warning in warnings {
      try context.diagnostics.line("wiretape import: warning: \(printable(source)): \(warning)")
    }
    if let warning = RedactionOptions.warning(of: totals.redaction) {
      try context.diagnostics.line("wiretape import: warning: " + warning)
    }
    try context.diagnostics.line(
      "wrote \(path): \(counted(Int(clamping: totals.exchanges), "exchange")), "
        + "\(sizeText(Int(clamping: totals.bytes))) of body")
    return .success
  }
}
