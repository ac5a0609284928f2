// What verbs that run a subject have in common: the option, its contract, and that no signal leaves a subject behind.

import EventCassettes

enum SubjectOptions {
  static let subject = Option<String>(
    ["--subject"], value: "CMD",
    help: "Checks another parser instead: a command that reads frames and prints events as JSON lines."
  ) { (text: String) throws(UsageProblem) in
    guard text.utf8.contains(where: { $0 > 0x20 }) else {
      throw UsageProblem("takes a command, and got an empty one")
    }
    return text
  }
  static let timeout = Option.seconds(
    "--subject-timeout",
    help: "How long a subject may take for an answer before it counts as hung; 10 by default.")
}

extension Verb.Note {
  /// The contract of a subject.
  static let subjects = Verb.Note(
    heading: "Subjects",
    text: """
      A subject reads frames from standard input: four bytes of length, the highest first, then that many bytes of the \
      stream; length 0 ends a stream. For each stream it prints its events, {"type", "data", "lastEventId"} a line, and \
      then {"end": true}, and nothing more until it gets the next one. It is kept running, and ends where its input does. Each exchange is a stream of its own, whose last event ID starts empty. A \
      crash, ten seconds (or --subject-timeout) without an answer, a line that is no such JSON, and output between two streams are findings. First it \
      gets an empty stream: one that ends instead of answering, prints something that is no event or doesn’t answer is taken for \
      no subject, which exits 69, and one that prints events is not checked further. Once it has not answered in time, it gets \
      one second at most. What it writes to its standard error is dropped, but for its last words where it crashed, hung or printed \
      something else; a “2>FILE” in the command keeps it. What a subject starts ends with it, unless it leaves the subject’s \
      process group, as by setsid: that asks to outlive it, and is yours to end.
      """)
}

extension SubjectProcess {
  /// Does work with a subject. A signal ends the subject at once, and with it the work: nothing is left running.
  ///
  /// - Throws: what the work threw, or that it was interrupted.
  static func during<Result>(
    _ context: CommandContext, running command: String, _ arguments: Arguments,
    _ work: (SubjectProcess) async throws -> Result
  ) async throws -> Result {
    let timeout = arguments[SubjectOptions.timeout] ?? context.subjectTimeout
    let subject = SubjectProcess(command: command, patience: timeout / .seconds(1))
    let signals = context.signals()
    let watcher = Task { for await _ in signals { subject.interrupt() } }
    defer {
      watcher.cancel()
      subject.stop()
    }
    do { return try await work(subject) } catch {
      try subject.requireUninterrupted()
      throw error
    }
  }

  /// Throws once the subject was interrupted: what it answered since then says nothing.
  func requireUninterrupted() throws(CommandError) {
    guard isInterrupted else { return }
    throw CommandError(
      .interrupted, "interrupted before the subject was checked; nothing was written", next: "")
  }
}
