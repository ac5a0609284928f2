// What an option is: its spellings, its value's form and its one line of help. A verb lists options as data; parsing,
// help and completions are all made from that data, so they can't disagree. What a value means to a verb stays there.

/// One option of a verb, with the type its value is read into.
struct Option<Value: Sendable>: Sendable {
  /// The part that parsing, help and completions need.
  let row: OptionRow
  /// Reads one given value; throws what is wrong with it.
  let read: @Sendable (String) throws(UsageProblem) -> Value

  init(
    _ names: [String], value placeholder: String, repeats: Bool = false, completion: Completion = .none,
    help: String, read: @escaping @Sendable (String) throws(UsageProblem) -> Value
  ) {
    self.read = read
    self.row = OptionRow(
      names: names, placeholder: placeholder, repeats: repeats, completion: completion, help: help,
      check: { (text: String) throws(UsageProblem) in _ = try read(text) })
  }
}

extension Option where Value == Bool {
  /// An option without a value.
  static func flag(_ names: String..., help: String) -> Option<Bool> { Option(flag: names, help: help) }

  private init(flag names: [String], help: String) {
    self.read = { (_: String) throws(UsageProblem) in true }
    self.row = OptionRow(
      names: names, placeholder: nil, repeats: false, completion: .none, help: help,
      check: { (_: String) throws(UsageProblem) in })
  }
}

/// An option without its type: a row of a verb's table.
struct OptionRow: Sendable {
  /// All spellings, with their dashes; messages use the last, which is the long one.
  let names: [String]
  /// How help names the value; `nil` for a flag.
  let placeholder: String?
  /// Whether it may be given more than once.
  let repeats: Bool
  /// What a shell may offer for the value.
  let completion: Completion
  /// One or two sentences.
  let help: String
  /// Throws what is wrong with a value.
  let check: @Sendable (String) throws(UsageProblem) -> Void
  /// Whether the verb can't do without it.
  var isRequired = false

  var name: String { names.last ?? "" }

  /// The row in the table of a verb that can't do without it.
  var required: OptionRow {
    var row = self
    row.isRequired = true
    return row
  }
}

/// What a shell offers in the place of a value.
enum Completion: Hashable, Sendable {
  case none
  case file
  case folder
  case choice([String])
}

/// What is wrong with one value. The parser adds the option's name and the verb.
struct UsageProblem: Error {
  /// Goes on after the option's name: `takes …`, or a sentence of its own behind a colon.
  var message: String

  init(_ message: String) { self.message = message }

  /// The message as it stands behind the option's name.
  var text: String { message.hasPrefix(":") ? message : " " + message }
}

/// A positional argument of a verb.
struct Positional: Sendable {
  let name: String
  var isOptional = false
  var repeats = false
  var completion = Completion.file
  let help: String
}
