// `wiretape redact`: an old cassette, masked as a new one would be.

import EventCassettes

enum RedactVerb {
  static let verb = Verb(
    name: "redact",
    summary: "Mask secrets on a cassette",
    discussion: """
      Writes a copy of a cassette with its secrets masked, as record masks them. No offset and no chunk boundary of a \
      body moves. The old file stays as it is: delete it yourself.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: RewritingOptions.all + RedactionOptions.all.filter { $0.name != RedactionOptions.off.row.name },
    notes: [.redaction("Masked")],
    examples: [
      "wiretape redact demo.cassette -o masked.cassette",
      "wiretape redact demo.cassette --redact-key status -o anonymous.cassette",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    let source = arguments.positionals[0]
    guard let rules = try RedactionOptions.rules(arguments, of: "redact") else { return .usage }
    let (path, finished) = try RewritingOptions.write(arguments, of: "redact") {
      (writer) throws(CassetteError) in
      // A first pass finds what will be masked, so that the header can say it; a pipe can be read once only.
      var known: [Cassette.Redaction] = []
      if source != "-" {
        var reader = try CassetteReader(contentsOf: source)
        known = try CassetteRewriting.redaction(in: &reader, rules: rules)
      }
      var reader = try CassetteReader(contentsOf: source)
      return try CassetteRewriting.redact(from: &reader, to: &writer, rules: rules, known: known)
    }
    var reader = try CassetteReader(contentsOf: path)
    let masked = try CassetteRewriting.masked(in: &reader)
    try context.output.line("\(printable(path)): masked: \(masked.map(\.text) ?? "nothing")")
    if !finished {
      try context.diagnostics.line("wiretape redact: the cassette is unfinished, and so is the copy")
    }
    return .success
  }
}

extension CassetteRewriting {
  /// What the headers and trailers of a cassette say was masked.
  fileprivate static func masked(in reader: inout CassetteReader) throws -> Cassette.Redaction? {
    var masked = Cassette.MaskedSoFar()
    while let record = try reader.next() { masked.note(record) }
    return masked.total
  }
}

extension Cassette.Redaction {
  /// The names of what was masked, for people.
  var text: String {
    var parts = [("header", headers), ("query", query), ("JSON", keys)].filter { !$0.1.isEmpty }.map {
      "\($0.0) \(printable($0.1.joined(separator: ", ")))"
    }
    if matches > 0 { parts.append(counted(matches, "match", "matches") + " of patterns") }
    if unsearched > 0 {
      parts.append("data whole in \(counted(unsearched, "place")), since a pattern took too long")
    }
    return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
  }
}
