// Help as text, made from the tables of verbs. Its lines keep to 80 columns, so that it reads well in any terminal.

extension Verb {
  /// What `wiretape help VERB` prints, without the last line end.
  var help: String {
    var lines = ["Usage: wiretape \(usageLine)", "", wrapped(discussion)]
    if !members.isEmpty {
      lines += ["", "Verbs:"]
      lines += table(members.map { ($0.word, $0.summary) })
      lines += ["", wrapped("“wiretape help \(name) VERB” shows what each takes, with examples.")]
    }
    let places = positionals + (passedOn.map { [$0] } ?? [])
    if !places.isEmpty {
      lines.append("")
      lines += table(places.map { ($0.name, $0.help) })
    }
    lines += ["", "Options:"]
    lines += table(options.map { ($0.synopsis, $0.help) } + [("-h, --help", "Shows this help.")])
    for note in notes {
      lines += ["", "\(note.heading):", wrapped(note.text, indent: 2)]
    }
    lines += ["", "Examples:"]
    lines += examples.map { "  \($0)" }
    return lines.joined(separator: "\n")
  }

  private var usageLine: String {
    let places = positionals.map { place in
      let text = place.repeats ? "\(place.name)…" : place.name
      return place.isOptional ? "[\(text)]" : text
    }
    let required = options.filter(\.isRequired).map { "\($0.names[0]) \($0.placeholder ?? "")" }
    let last = passedOn.map { ["[-- \($0.name)…]"] } ?? []
    return ([name] + (members.isEmpty ? [] : ["VERB"]) + places + required + ["[OPTIONS]"] + last).joined(
      separator: " ")
  }
}

extension OptionRow {
  /// `-o, --output FILE`
  var synopsis: String {
    names.joined(separator: ", ") + (placeholder.map { " \($0)" } ?? "")
  }
}

/// What `wiretape --help` prints, without the last line end.
func overview(of verbs: [Verb]) -> String {
  let rows = verbs.map { ($0.name, $0.summary) }
  return """
    Usage: wiretape VERB [FILE] [OPTIONS]

    \(wrapped("""
      Records server-sent event streams into cassettes, replays them cut at other chunk boundaries through the \
      parser and the client, and checks that nothing changes.
      """))

    Verbs:
    \(table(rows).joined(separator: "\n"))

    \(wrapped("""
      “wiretape help VERB” shows what a verb takes, with examples. “wiretape --version” prints the version. FILE may \
      be “-” for standard input.
      """))

    Exit codes:
    \(table(ExitCode.allCases.map { ("\($0.rawValue)", $0.meaning) }).joined(separator: "\n"))
    """
}

/// Two columns: names as they are, explanations wrapped beside them, or below a name that is too long.
private func table(_ rows: [(String, String)]) -> [String] {
  let widest = rows.map(\.0.count).filter { $0 <= 24 }.max() ?? 24
  let column = 2 + widest + 2
  var lines: [String] = []
  for (name, text) in rows {
    let explanation = wrapped(text, indent: column)
    if name.count <= widest {
      let pad = String(repeating: " ", count: column - 2 - name.count)
      lines.append("  " + name + pad + explanation.dropFirst(column))
    } else {
      lines += ["  " + name, explanation]
    }
  }
  return lines
}

/// Breaks text at spaces to 80 columns. Line ends in the text stay, and lines that begin with a space are kept whole.
func wrapped(_ text: String, indent: Int = 0, width: Int = 80) -> String {
  let margin = String(repeating: " ", count: indent)
  var lines: [String] = []
  for paragraph in text.split(separator: "\n", omittingEmptySubsequences: false) {
    guard !paragraph.isEmpty, !paragraph.hasPrefix(" ") else {
      lines.append(paragraph.isEmpty ? "" : margin + paragraph)
      continue
    }
    var line = margin
    for word in paragraph.split(separator: " ") {
      if line.count > indent, line.count + 1 + word.count > width {
        lines.append(line)
        line = margin
      }
      line += line.count > indent ? " " + word : String(word)
    }
    lines.append(line)
  }
  return lines.joined(separator: "\n")
}
