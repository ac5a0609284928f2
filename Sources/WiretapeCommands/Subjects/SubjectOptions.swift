// What verbs that run a subject have in common.

enum SubjectOptions {
  static let subject = Option.text(
    "--subject", value: "CMD",
    help: "Checks another parser instead: a command that reads frames and prints events as JSON lines.")
}

extension Verb.Note {
  /// The contract of a subject.
  static let subjects = Verb.Note(
    heading: "Subjects",
    text: """
      A subject reads frames from standard input: four bytes of length, the highest first, then that many bytes of the \
      stream; length 0 ends a stream. For each stream it prints its events, {"type", "data", "lastEventId"} a line, and \
      then {"end": true}. It is kept running. Each exchange is a stream of its own, whose last event ID starts empty. A \
      crash, ten seconds without an answer, and a line that is no such JSON are findings.
      """)
}
