// Completion scripts for shells, made from the tables of verbs: what help lists is what a shell offers.

/// The shells that the tool can write completions for.
enum Shell: String, CaseIterable {
  case bash, zsh, fish

  /// The script for these verbs.
  func script(for verbs: [Verb]) -> String {
    switch self {
    case .bash: bashScript(verbs)
    case .zsh: "#compdef wiretape\nautoload -U +X bashcompinit && bashcompinit\n" + bashScript(verbs)
    case .fish: fishScript(verbs)
    }
  }
}

private func bashScript(_ verbs: [Verb]) -> String {
  var cases: [String] = []
  for verb in verbs.flatMap(\.runnable) {
    var values: [String] = []
    for option in verb.options where option.placeholder != nil {
      let names = option.names.joined(separator: "|")
      switch option.completion {
      case .choice(let words): values.append("\(names)) words='\(words.joined(separator: " "))';;")
      case .file: values.append("\(names)) COMPREPLY=($(compgen -f -- \"$word\")); return;;")
      case .folder: values.append("\(names)) COMPREPLY=($(compgen -d -- \"$word\")); return;;")
      case .none: values.append("\(names)) return;;")
      }
    }
    let options = verb.options.flatMap(\.names).joined(separator: " ")
    let choice = verb.choices.map { "elif [[ $word != -* ]]; then words='\($0)'" } ?? ""
    cases.append(
      """
          '\(verb.name)')
            case $before in
              \((values + ["*) if [[ $word == -* ]]; then words='\(options) --help'; \(choice.isEmpty ? "" : choice + "; ")fi;;"])
                .joined(separator: "\n        "))
            esac;;
      """)
  }
  let names = verbs.map(\.name).joined(separator: " ")
  // What a group offers for its second word.
  let groups = verbs.filter { !$0.members.isEmpty }.map { group in
    """
      \(group.name)) if ((COMP_CWORD == 2)); then words='\(group.memberWords) --help'; else verb+=" ${COMP_WORDS[2]}"; fi;;
    """
  }
  return """
    _wiretape() {
      local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]} words=
      COMPREPLY=()
      case $verb in
    \((groups + ["  *) ;;"]).joined(separator: "\n"))
      esac
      if ((COMP_CWORD == 1)); then
        words='\(names) help --help --version'
      elif [[ -z $words ]]; then
        case $verb in
          help) words='\(names)';;
    \(cases.joined(separator: "\n"))
        esac
      fi
      if [[ -n $words ]]; then
        COMPREPLY=($(compgen -W "$words" -- "$word"))
      else
        COMPREPLY=($(compgen -f -- "$word"))
      fi
    }
    complete -F _wiretape wiretape
    """
}

private func fishScript(_ verbs: [Verb]) -> String {
  var lines: [String] = []
  for verb in verbs {
    lines.append(
      "complete -c wiretape -n __fish_use_subcommand -f -a \(verb.name) -d \(inQuotes(verb.summary))")
    if !verb.members.isEmpty {
      lines.append(
        "complete -c wiretape -n '__fish_seen_subcommand_from \(verb.name)' -f -a '\(verb.memberWords)'")
    }
  }
  for verb in verbs.flatMap(\.runnable) {
    let seen = verb.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }
    let condition = "-n '\(seen.joined(separator: "; and "))'"
    if let choices = verb.choices { lines.append("complete -c wiretape \(condition) -f -a '\(choices)'") }
    for option in verb.options {
      let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
      var line = "complete -c wiretape \(condition) \(names.joined(separator: " "))"
      switch (option.placeholder, option.completion) {
      case (nil, _): break
      case (_?, .choice(let words)): line += " -x -a '\(words.joined(separator: " "))'"
      case (_?, .file), (_?, .folder): line += " -r"
      case (_?, .none): line += " -x"
      }
      lines.append(line + " -d \(inQuotes(option.help))")
    }
  }
  return lines.joined(separator: "\n")
}

extension Verb {
  /// The members of a group, as they are typed behind it.
  fileprivate var memberWords: String { members.map(\.word).joined(separator: " ") }

  /// The words of the first positional argument, where it is a choice.
  fileprivate var choices: String? {
    guard case .choice(let words)? = positionals.first?.completion else { return nil }
    return words.joined(separator: " ")
  }
}

private func inQuotes(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'") + "'"
}
