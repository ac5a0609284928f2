// `wiretape report`: a session as one page. What it shows and how is EventCassettes/Report.

import EventCassettes

enum ReportVerb {
  static let output = Option.file("-o", "--output", help: "The page to write, such as session.html.")

  static let verb = Verb(
    name: "report",
    summary: "Draw a session as one self-contained page",
    discussion: """
      Writes an HTML page with the session’s chunks, events, gaps and reconnects over time, its connections and what \
      the stream hides. The page needs no network and no other file.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: [output.row.required, RecordVerb.force.row],
    examples: [
      "wiretape report demo.cassette -o demo.html", "wiretape report demo.cassette -o demo.html --force",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    guard let path = arguments[output] else {
      throw CommandError.usage(of: "report", "-o FILE is missing: where shall the page go?")
    }
    let source = arguments.positionals[0]
    var reader = try CassetteReader(contentsOf: source)
    try refuseOverwriting(source, by: path)
    let name = source == "-" ? "standard input" : source.split(separator: "/").last.map(String.init) ?? source
    let report = try SessionReport(&reader, title: name)
    try writeFile(path, overwriting: arguments.has(RecordVerb.force)) { write in try write(report.html) }
    try context.diagnostics.line("wrote \(path)")
    return .success
  }
}
