// The tool's way in: finds the verb, runs it, turns what it throws into a message and an exit code.

/// The `wiretape` tool.
public enum Wiretape {
  /// The version of the tool, which cassettes name as their recorder.
  public static let version = "0.1.0"

  /// Runs the tool with the words behind its name.
  ///
  /// - Returns: the exit code; everything to say has been said.
  public static func run(_ words: [String], in context: CommandContext) async -> ExitCode {
    var verb: Verb?
    do {
      guard let first = words.first else {
        try context.diagnostics.line(overview(of: Verb.all))
        return .usage
      }
      switch first {
      case "--version":
        try context.output.line("wiretape \(version)")
        return .success
      case "--help", "-h":
        try context.output.line(overview(of: Verb.all))
        return .success
      case "help":
        try context.output.line(try help(on: Array(words.dropFirst())))
        return .success
      default:
        let (found, rest) = try find(words)
        verb = found
        guard let arguments = try found.parse(rest) else {
          try context.output.line(found.help)
          return .success
        }
        return try await found.run(arguments, context)
      }
    } catch is ClosedPipe {
      return .success
    } catch {
      let problem = CommandError(explaining: error)
      let place = verb.map { "wiretape \($0.name)" } ?? "wiretape"
      let text = [problem.next].filter { !$0.isEmpty }.reduce("\(place): \(problem.message)") {
        "\($0)\n\($1)"
      }
      try? context.diagnostics.line(printable(text, keeping: "\n"))
      return problem.code
    }
  }

  private static func help(on words: [String]) throws -> String {
    words.isEmpty ? overview(of: Verb.all) : try find(words).verb.help
  }

  /// The verb that words begin with, a member where they name one of a group, and what stands behind it.
  private static func find(_ words: [String]) throws -> (verb: Verb, rest: [String]) {
    let verb = try find(words.first ?? "")
    let rest = Array(words.dropFirst())
    guard !verb.members.isEmpty, let word = rest.first, !word.hasPrefix("-") else { return (verb, rest) }
    if let member = verb.members.first(where: { $0.word == word }) {
      return (member, Array(rest.dropFirst()))
    }
    let near = nearest(to: word, in: verb.members.map(\.word))
    throw CommandError.usage(
      of: verb.name, "there is no “\(verb.name) \(word)”" + (near.map { "; did you mean “\($0)”?" } ?? ""))
  }

  private static func find(_ name: String) throws -> Verb {
    if let verb = Verb.all.first(where: { $0.name == name }) { return verb }
    if name.hasPrefix("-") {
      let near = nearest(to: name, in: ["--help", "--version"])
      throw CommandError(
        .usage, "there is no option \(name) before the verb" + (near.map { "; did you mean \($0)?" } ?? ""),
        next: "“wiretape --help” lists the verbs; options stand behind one.")
    }
    let near = nearest(to: name, in: Verb.all.map(\.name) + ["help"])
    throw CommandError(
      .usage, "there is no verb “\(name)”" + (near.map { "; did you mean “\($0)”?" } ?? ""),
      next: "“wiretape --help” lists the verbs.")
  }
}
