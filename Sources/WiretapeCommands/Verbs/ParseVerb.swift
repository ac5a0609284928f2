// `wiretape parse`: raw event-stream bytes to events, as they come. It needs the parser alone and holds one piece of
// the input at a time, so it also follows a pipe that never ends.

import EventCassettes
import ServerSentEvents

enum ParseVerb {
  static let json = Option.flag("--json", help: "Prints one JSON object a line.")
  static let boundaries = Option.plan("--boundaries", help: "Cuts the bytes like this first; see PLAN below.")
  static let everything = Option.flag("--all", help: "Prints comments and reconnection times too.")

  static let verb = Verb(
    name: "parse",
    summary: "Turn raw event-stream bytes into events",
    discussion: """
      Reads the raw bytes of an event stream, the body of a text/event-stream response, and prints the events that a \
      browser would dispatch. It prints them as they arrive, also out of a pipe.
      """,
    positionals: [Positional(name: "FILE", help: "The bytes; “-” is standard input.")],
    options: [boundaries.row, json.row, everything.row],
    notes: [
      .plans,
      Verb.Note(
        heading: "JSON lines",
        text: """
          {"kind":"event","type","data","lastEventId","id","offset"} for each event: id is the block’s own or null, \
          offset the bytes consumed when it was dispatched.
          {"kind":"comment","comment"} and {"kind":"retry","ms"} with --all.
          {"kind":"end","events":N,"lastEventId","retry":MS or null,"bytes":N} at the end.
          """),
    ],
    examples: [
      #"printf 'event: greeting\ndata: hello\n\n' | wiretape parse -"#,
      #"printf ': heartbeat\nretry: 3000\nid: 7\ndata: hello\n\n' | wiretape parse --json --all -"#,
    ],
    run: { try run($0, $1) })

  /// How much is read at once. Events are printed when their read is parsed.
  private static let readSize = 64 << 10

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    let path = arguments.positionals[0]
    if arguments[boundaries] == .each { return try parseEach(path, arguments, context) }
    let input = try openInput(path, in: context)
    var listing = Listing(json: arguments.has(json), everything: arguments.has(everything))
    var parser = EventStreamParser()
    // Without a plan each read is a piece. `recorded` and `whole` are one piece: raw bytes have no recorded chunks.
    let plan = arguments[boundaries].map { $0 == .recorded ? .whole : $0 }
    var cutter = plan.map { ChunkCutter(plan: $0) }
    var (atEnd, isCompressed) = (false, false)
    while !atEnd {
      let read = try input.read(readSize)
      if parser.bytesConsumed == 0, read.starts(with: GzipMember.magic) { isCompressed = true }
      atEnd = read.isEmpty
      var pieces = [DeliveredChunk(at: .zero, bytes: read)]
      if cutter != nil {
        pieces = cutter?.append(read, at: .zero) ?? []
        if atEnd, let last = cutter?.endExchange() { pieces.append(last) }
      }
      for piece in pieces { parser.append(piece.bytes) { listing.add($0, at: $1) } }
      try context.output.lines(listing.take())
      if let failure = parser.failure { throw explain(failure, path) }
    }
    try conclude(&parser, listing, path, context)
    if isCompressed {
      try context.diagnostics.line(
        "wiretape parse: \(path == "-" ? "standard input" : printable(path)): this is compressed, such as a cassette: "
          + "“wiretape inspect” looks into those, “wiretape export --to sse” gives their bytes")
    }
    return .success
  }

  /// Every single split is tried; what they agree on is printed once.
  private static func parseEach(_ path: String, _ arguments: Arguments, _ context: CommandContext) throws
    -> ExitCode
  {
    let body = try readAll(path, context, limit: 1 << 30)
    let report = ParserCheck.check(
      [ExchangeBody(bytes: body)], options: CheckOptions(plans: [.each], proves: false))
    if let finding = report.finding {
      try context.output.lines(finding.text)
      return .finding
    }
    if let run = report.runs.first, run.isSample {
      try context.diagnostics.line("wiretape parse: \(printable(path)): \(run.text): the same")
    }
    var listing = Listing(json: arguments.has(json), everything: arguments.has(everything))
    var parser = EventStreamParser()
    parser.append(body) { listing.add($0, at: $1) }
    try context.output.lines(listing.take())
    if let failure = parser.failure { throw explain(failure, path) }
    try conclude(&parser, listing, path, context)
    return .success
  }

  private static func conclude(
    _ parser: inout EventStreamParser, _ listing: Listing, _ path: String, _ context: CommandContext
  ) throws {
    let bytes = parser.bytesConsumed
    let unfinished = parser.finish()
    try context.output.lines(listing.end(parser, bytes: bytes))
    guard unfinished > 0 else { return }
    let name = path == "-" ? "standard input" : printable(path)
    try context.diagnostics.line(
      "wiretape parse: \(name): a last block of \(counted(unfinished, "byte")) has no blank line; it is discarded, as "
        + "the standard says")
  }

  private static func explain(_ failure: EventStreamLimitError, _ path: String) -> CommandError {
    CommandError(
      .badData,
      "\(path): the \(failure.code) that reaches byte \(failure.offset) is longer than \(failure.limit) bytes",
      next: "No client should take this in; if it is meant, split what the server sends.")
  }
}

/// Collects the lines of what the parser found.
private struct Listing {
  let json: Bool
  let everything: Bool
  private var lines: [String] = []
  private var events = 0

  init(json: Bool, everything: Bool) {
    self.json = json
    self.everything = everything
  }

  mutating func take() -> [String] {
    defer { lines.removeAll(keepingCapacity: true) }
    return lines
  }

  mutating func add(_ output: EventStreamParser.Output, at offset: Int) {
    switch output {
    case .event(let event):
      events += 1
      if json {
        var line = JSONLine(event)
        line.add("offset", offset)
        lines.append(line.closed)
      } else {
        lines += event.text("byte \(offset)")
      }
    case .comment(let comment):
      guard everything else { break }
      lines.append(json ? JSONLine(comment: comment).closed : "comment ·" + printable(comment))
    case .retry(let milliseconds):
      guard everything else { break }
      if json {
        var line = JSONLine()
        line.add("kind", "retry")
        line.add("ms", milliseconds)
        lines.append(line.closed)
      } else {
        lines.append("retry · \(milliseconds) ms")
      }
    case .dropped, .failed: break  // nothing is dropped by this policy, and the caller sees the failure
    }
  }

  func end(_ parser: EventStreamParser, bytes: Int) -> [String] {
    guard !json else {
      var line = JSONLine()
      line.add("kind", "end")
      line.add("events", events)
      line.add("lastEventId", parser.lastEventID)
      line.add("retry", parser.retry)
      line.add("bytes", bytes)
      return [line.closed]
    }
    var parts = [counted(events, "event"), counted(bytes, "byte")]
    if !parser.lastEventID.isEmpty { parts.append("last event ID " + printable(parser.lastEventID)) }
    if let retry = parser.retry { parts.append("reconnection time \(retry) ms") }
    return ["— " + parts.joined(separator: ", ")]
  }
}
