// What a verb is: a name, what it takes, what it does, and examples that run. All of it is data except `run`.

/// One verb of the tool.
struct Verb: Sendable {
  /// What is typed.
  let name: String
  /// One line for the list of verbs.
  let summary: String
  /// What `--help` says first: what it does, when to use it, what comes out.
  let discussion: String
  var positionals: [Positional] = []
  /// What may stand behind `--` and is passed on as it is; `nil` where nothing is.
  var passedOn: Positional?
  /// The options in the order help shows them.
  let options: [OptionRow]
  /// More sections of help, each a heading and its text.
  var notes: [Note] = []
  /// Whether a signal makes it come to an orderly end, and so must not be lost before its work has begun.
  var stopsInOrder = false
  /// Two or three commands that run as they are.
  let examples: [String]
  /// The verbs of a group, each with its full name, such as `fuzz run`; none for a verb that does something itself.
  var members: [Verb] = []
  /// Does the work.
  let run: @Sendable (Arguments, CommandContext) async throws -> ExitCode

  /// A section of a verb's help.
  struct Note: Sendable {
    let heading: String
    let text: String
  }

  /// The members of a group, or else the verb itself: what can be run.
  var runnable: [Verb] { members.isEmpty ? [self] : members }

  /// The word that is typed last: `run` of `fuzz run`.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }
}

extension Verb {
  /// A verb that only holds others together.
  init(
    group name: String, summary: String, discussion: String, notes: [Note] = [], examples: [String],
    members: [Verb]
  ) {
    self.init(
      name: name, summary: summary, discussion: discussion, options: [], notes: notes, examples: examples,
      members: members,
      run: { _, _ in
        throw CommandError.usage(of: name, "which one? " + members.map(\.word).joined(separator: ", "))
      })
  }
}

/// What was given to a verb, checked against its table.
struct Arguments: Sendable {
  /// The positional arguments in order.
  var positionals: [String] = []
  /// The values of each option by its row's ``OptionRow/name``, in order; a flag's value is empty.
  var values: [String: [String]] = [:]
  /// What stood behind `--`, for a verb that passes it on.
  var passedOn: [String] = []

  /// Whether a flag was given.
  func has(_ flag: Option<Bool>) -> Bool { values[flag.row.name] != nil }

  /// The value of an option, or `nil` where it was not given.
  subscript<Value>(option: Option<Value>) -> Value? { all(option).last }

  /// Every value of an option, in order. All were checked while parsing, so none gets lost here.
  func all<Value>(_ option: Option<Value>) -> [Value] {
    (values[option.row.name] ?? []).compactMap { try? option.read($0) }
  }
}
