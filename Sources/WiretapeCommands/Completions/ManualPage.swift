// The manual page, made from the tables of verbs, in man(7) macros.

/// `wiretape(1)`.
func manualPage(of verbs: [Verb], version: String) -> String {
  var lines = [
    ".TH WIRETAPE 1 \"\" \"wiretape \(version)\"", ".SH NAME",
    "wiretape \\- record, replay and check server-sent event streams", ".SH SYNOPSIS", ".B wiretape",
    "VERB [OPTIONS] [FILE]", ".SH VERBS",
  ]
  // A group comes before its members.
  for verb in verbs.flatMap({ [$0] + $0.members }) {
    let places = verb.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name }.joined(separator: " ")
    lines += [".SS \(escaped("wiretape \(verb.name) \(places)"))", escaped(verb.discussion)]
    for place in verb.positionals + (verb.passedOn.map { [$0] } ?? []) {
      lines += [".TP", ".I \(escaped(place.name))", escaped(place.help)]
    }
    for option in verb.options { lines += [".TP", ".B \(escaped(option.synopsis))", escaped(option.help)] }
    for note in verb.notes { lines += [".PP", ".B \(escaped(note.heading))", ".br", escaped(note.text)] }
    lines += [".PP", "Examples:", ".nf"] + verb.examples.map { "    " + escaped($0) } + [".fi"]
  }
  lines.append(".SH EXIT STATUS")
  for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", escaped(code.meaning)] }
  return lines.joined(separator: "\n")
}

/// Text that troff prints as it is: backslashes and hyphens escaped, and no line that begins like a request.
private func escaped(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    var result = line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" : ""
    for character in line {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      default: result.append(character)
      }
    }
    return result
  }.joined(separator: "\n.br\n")
}
