// `wiretape completions`: scripts for shells and the manual page. All come from the tables.

enum CompletionsVerb {
  static let verb = Verb(
    name: "completions",
    summary: "Print completions for a shell, or the manual page",
    discussion: """
      Prints a script that makes a shell complete verbs and options, or the manual page. Load the script in your \
      shell’s start-up file.
      """,
    positionals: [
      Positional(
        name: "SHELL", completion: .choice(Shell.allCases.map(\.rawValue) + ["man"]),
        help: "bash, zsh, fish or man.")
    ],
    options: [],
    examples: ["wiretape completions bash > wiretape.bash", "wiretape completions man > wiretape.1"],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    let word = arguments.positionals[0]
    if word == "man" {
      try context.output.line(manualPage(of: Verb.all, version: Wiretape.version))
    } else if let shell = Shell(rawValue: word) {
      try context.output.line(shell.script(for: Verb.all))
    } else {
      throw CommandError.usage(of: "completions", "SHELL is bash, zsh, fish or man, not “\(word)”")
    }
    return .success
  }
}
