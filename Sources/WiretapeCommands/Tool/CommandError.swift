// How a verb gives up: with an exit code, with what happened and where, and with what to do next.

/// The reason why a verb ended without doing its work.
struct CommandError: Error, Hashable {
  /// What the tool exits with.
  var code: ExitCode
  /// What happened and where.
  var message: String
  /// What the user can do now.
  var next: String

  init(_ code: ExitCode, _ message: String, next: String) {
    self.code = code
    self.message = message
    self.next = next
  }

  /// A usage error that names the verb's help.
  static func usage(of verb: String, _ message: String) -> CommandError {
    CommandError(.usage, message, next: "“wiretape help \(verb)” shows what \(verb) takes.")
  }
}

/// The reader of our output has gone (`… | head`): a reason to stop, and none to complain.
struct ClosedPipe: Error {}
