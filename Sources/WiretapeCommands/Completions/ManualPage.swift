// The manual page, made from the tables of verbs, in man(7) macros.

/// `wiretape(1)`.
func manualPage(of verbs: [Verb], version: String) -> String {
  var lines = [
    ".TH WIRETAPE 1 \"\" \"wiretape \(version)\"", ".ad l", ".SH NAME",
    "wiretape \\- record, replay and check server-sent event streams", ".SH SYNOPSIS", ".B wiretape",
    "VERB [FILE] [OPTIONS]", ".SH VERBS",
  ]
  // A group comes before its members.
  for verb in verbs.flatMap({ [$0] + $0.members }) {
    let places = verb.positionals.map { $0.isOptional ? "[\($0.name)]" : $0.name }.joined(separator: " ")
    lines += [".SS \(escaped("wiretape \(verb.name) \(places)"))", escaped(verb.discussion)]
    for place in verb.positionals + (verb.passedOn.map { [$0] } ?? []) {
      lines += [".TP", ".I \(escaped(place.name))", escaped(place.help)]
    }
    for option in verb.options { lines += [".TP", ".B \(escaped(option.synopsis))", escaped(option.help)] }
    lines += [".TP", ".B \\-h, \\-\\-help", "Shows this help."]
    for note in verb.notes { lines += [".PP", ".B \(escaped(note.heading))", ".br", escaped(note.text)] }
    lines += [".PP", "Examples:", ".nf"] + verb.examples.map { "    " + escaped($0) } + [".fi"]
  }
  lines.append(".SH EXIT STATUS")
  for code in ExitCode.allCases { lines += [".TP", ".B \(code.rawValue)", escaped(code.meaning)] }
  return lines.joined(separator: "\n")
}

/// Text that troff prints as it is: what it would take for a request, an escape or a sign of typography is written by its
/// name, and what isn't ASCII by its number, so that the page reads the same in every locale.
private func escaped(_ text: String) -> String {
  text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    var result = line.hasPrefix(".") ? "\\&" : ""
    for scalar in line.unicodeScalars {
      switch scalar {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "\"": result += "\\(dq"
      case "`": result += "\\(ga"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "…": result += "..."
      case _ where scalar.isASCII: result.unicodeScalars.append(scalar)
      default:
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\[u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "]"
      }
    }
    return result
  }.joined(separator: "\n.br\n")
}
