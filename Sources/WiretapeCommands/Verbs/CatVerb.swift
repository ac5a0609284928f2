// `wiretape cat`: several recordings on one cassette.

import EventCassettes

enum CatVerb {
  static let verb = Verb(
    name: "cat",
    summary: "Join cassettes",
    discussion: """
      Writes several cassettes one after the other as one. Exchange numbers run on; each recording keeps its header, and \
      a replay starts a fresh client for each.
      """,
    positionals: [Positional(name: "FILE", repeats: true, help: "Cassettes.")],
    options: RewritingOptions.all,
    examples: [
      "wiretape cat demo.cassette demo.cassette -o twice.cassette",
      "wiretape cat demo.cassette --level 9 -o dense.cassette",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    guard arguments.positionals.filter({ $0 == "-" }).count <= 1 else {
      throw CommandError.usage(of: "cat", "standard input can be read once only")
    }
    let (path, unfinished) = try RewritingOptions.write(arguments, of: "cat") {
      (writer) throws(CassetteError) in
      var unfinished: [String] = []
      for source in arguments.positionals {
        var reader = try CassetteReader(contentsOf: source)
        if try !CassetteRewriting.append(from: &reader, to: &writer) { unfinished.append(source) }
      }
      try writer.close()
      return unfinished
    }
    try context.diagnostics.line(
      "wiretape cat: \(printable(path)): \(counted(arguments.positionals.count, "cassette")) joined")
    for source in unfinished {
      try context.diagnostics.line(
        "wiretape cat: \(printable(source)) is unfinished; its copy was closed as recover does")
    }
    return .success
  }
}
