// `wiretape trim`: a part of a cassette.

import EventCassettes

enum TrimVerb {
  static let from = Option.moment("--from", help: "From this time on, in seconds since the recording began.")
  static let to = Option.moment("--to", help: "Up to this time.")
  static let exchange = Option.number("--exchange", help: "Only this exchange, counted from 1.")
  static let events = Option<ClosedRange<Int>>(
    ["--events"], value: "A-B", help: "Only the bytes of these events, counted from 1."
  ) { (text: String) throws(UsageProblem) in
    let ends = text.split(separator: "-", omittingEmptySubsequences: false).map {
      wholeNumber($0).flatMap { Int(exactly: $0) }
    }
    guard ends.count == 1 || ends.count == 2, let first = ends[0], let last = ends[ends.count - 1],
      first >= 1, first <= last
    else { throw UsageProblem("takes numbers of events, the first one first, such as 3-7 or 5") }
    return first...last
  }

  static let verb = Verb(
    name: "trim",
    summary: "Keep a part of a cassette",
    discussion: """
      Writes a stretch of time, one exchange or a run of events as a cassette of its own. What is kept keeps its \
      distance in time. Several conditions must all hold.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: RewritingOptions.all + [from.row, to.row, exchange.row, events.row],
    examples: [
      "wiretape trim demo.cassette --exchange 2 -o second.cassette",
      "wiretape trim demo.cassette --to 0.5 -o beginning.cassette",
      "wiretape trim demo.cassette --events 3-9 -o tokens.cassette",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    let source = arguments.positionals[0]
    let selection = CassetteTrimmer.Selection(
      from: arguments[from].map(microseconds), to: arguments[to].map(microseconds),
      exchange: arguments[exchange],
      events: arguments[events])
    guard selection != CassetteTrimmer.Selection() else {
      throw CommandError.usage(of: "trim", "which part? give --from, --to, --exchange or --events")
    }
    if let from = selection.from, let to = selection.to, from > to {
      throw CommandError.usage(of: "trim", "--from lies behind --to: nothing would be left")
    }
    let (path, finished): (String, Bool)
    do {
      (path, finished) = try RewritingOptions.write(arguments, of: "trim") {
        (writer) throws(CassetteError) in
        var reader = try CassetteReader(contentsOf: source)
        return try CassetteRewriting.trim(from: &reader, to: &writer, selection, allowsNothing: false)
      }
    } catch let error as CassetteError where error.code == .nothingSelected {
      throw try nothingThere(in: source)
    }
    let summary = try CassetteSummary(of: path)
    try context.diagnostics.line(
      "wiretape trim: \(printable(path)): \(counted(summary.exchanges.count, "exchange")), "
        + "\(counted(summary.chunks, "chunk")), \(sizeText(summary.bytes)), \(counted(summary.events, "event"))"
    )
    if !finished {
      try context.diagnostics.line("wiretape trim: the cassette is unfinished, and so is the part")
    }
    return .success
  }

  /// The error for a selection that nothing lies in: an empty cassette would pass for a part.
  private static func nothingThere(in source: String) throws -> CommandError {
    let next = "“wiretape inspect” shows what there is."
    guard source != "-" else {
      return CommandError(.badData, "standard input: nothing lies in the part asked for", next: next)
    }
    let whole = try CassetteSummary(of: source)
    return CommandError(
      .badData,
      "\(source): nothing lies in the part asked for: it has \(counted(whole.exchanges.count, "exchange")), "
        + "\(counted(whole.events, "event")), and lasts \(durationText(whole.durationUs))", next: next)
  }

  private static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}
