// `wiretape diff`: what two sessions have not in common. The comparison is EventCassettes/Inspection/SessionDiff.

import EventCassettes
import ServerSentEvents

enum DiffVerb {
  static let events = Option.flag("--events", help: "Compares the events alone.")
  static let timing = Option.flag("--timing", help: "Compares the times alone.")
  static let tolerance = Option.moment(
    "--tolerance", help: "Seconds by which the time between two events may differ; 0.05 unless given.")
  static let json = Option.flag("--json", help: "Prints a JSON object for each difference.")

  static let verb = Verb(
    name: "diff",
    summary: "Show how the events and the timing of two cassettes differ",
    discussion: """
      Compares two sessions event by event: type, data, last event ID, and the time since the event before. Events \
      that only one has are found even where the others have moved. Times are left out where a \
      cassette says that they are unknown. Exits 1 if anything differs.
      """,
    positionals: [
      Positional(name: "A", help: "A cassette; “-” is standard input."),
      Positional(name: "B", help: "Another one."),
    ],
    options: [events.row, timing.row, tolerance.row, json.row],
    notes: [
      Verb.Note(
        heading: "JSON",
        text: """
          {"kind": "removed" or "added", "exchange", "type", "data", "lastEventId", "id"} for an event that one has, \
          {"kind": "timing", "exchange", "index", "aUs", "bUs"} for a time since the event before, counted in both.
          """)
    ],
    examples: [
      "wiretape diff demo.cassette demo.cassette",
      "wiretape diff --events --json demo.cassette demo.cassette",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    if arguments.positionals == ["-", "-"] {
      throw CommandError.usage(of: "diff", "standard input can be read once: name at least one file")
    }
    let both = arguments.has(events) == arguments.has(timing)
    let a = try SessionEvents(contentsOf: arguments.positionals[0])
    let b = try SessionEvents(contentsOf: arguments.positionals[1])
    var differences: [SessionDifference] = []
    if both || arguments.has(events) { differences += a.eventDifferences(to: b) }
    if both || arguments.has(timing) {
      for (path, session) in zip(arguments.positionals, [a, b]) where !session.hasTimes {
        try context.diagnostics.line(
          "wiretape diff: \(printable(path)): its times are not known, so timing is not compared")
      }
      differences += a.timingDifferences(to: b, tolerance: arguments[tolerance] ?? .milliseconds(50))
    }
    for difference in differences {
      try context.output.lines(arguments.has(json) ? [line(difference)] : text(difference))
    }
    return differences.isEmpty ? .success : .finding
  }

  private static func line(_ difference: SessionDifference) -> String {
    switch difference {
    case .removed(let event), .added(let event):
      var line = JSONLine()
      if case .removed = difference { line.add("kind", "removed") } else { line.add("kind", "added") }
      line.add("exchange", event.exchange)
      line.add("type", event.event.type)
      line.add("data", event.event.data)
      line.add("lastEventId", event.event.lastEventID)
      line.add("id", event.event.id)
      return line.closed
    case .timing(let exchange, let index, let a, let b):
      var line = JSONLine()
      line.add("kind", "timing")
      line.add("exchange", exchange)
      line.add("index", index)
      line.add("aUs", Int(clamping: a))
      line.add("bUs", Int(clamping: b))
      return line.closed
    }
  }

  private static func text(_ difference: SessionDifference) -> [String] {
    switch difference {
    case .removed(let event):
      event.event.text("#\(event.exchange)", durationText(event.at)).map { "- " + $0 }
    case .added(let event):
      event.event.text("#\(event.exchange)", durationText(event.at)).map { "+ " + $0 }
    case .timing(let exchange, let index, let a, let b):
      [
        "~ #\(exchange) · event \(index + 1) came \(durationText(a)) after the one before, now \(durationText(b))"
      ]
    }
  }
}
