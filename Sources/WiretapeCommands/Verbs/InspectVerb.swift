// `wiretape inspect`: what is on a cassette. The summary is gathered in Inspection/CassetteSummary; this file says how
// it reads.

import EventCassettes
import ServerSentEvents

enum InspectVerb {
  static let exchanges = Option.flag(
    "--exchanges", help: "Lists the exchanges: what was asked, what came of it.")
  static let chunks = Option.flag(
    "--chunks", help: "Lists the chunks as they were delivered, with their times.")
  static let events = Option.flag("--events", help: "Lists the events with their times.")
  static let json = Option.flag(
    "--json", help: "Prints JSON: the summary as one object, or a line for each of a list.")

  static let verb = Verb(
    name: "inspect",
    summary: "Show what is on a cassette",
    discussion: """
      Shows a cassette’s exchanges, chunks, events and timing, what was masked on it, and warnings: what a correct \
      parser drops without a word, such as an error sent as an unknown field or a last event without its blank line.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: [exchanges.row, chunks.row, events.row, json.row],
    notes: [
      Verb.Note(
        heading: "JSON",
        text: """
          {"format", "finished", "timing", "recordedAt", "exchanges": [{"method", "url", "status", "cause", "chunks", \
          "bytes", "events", "durationUs"}], "chunks", "bytes", "events", "comments", "durationUs", "fileBytes", \
          "redaction", "labels", "warnings": [{"exchange", "offset", "what"}]}
          --chunks: {"kind", "exchange", "atUs", "offset", "bytes"} a line; --events: an event’s members, "exchange", \
          "atUs" and "offset".
          """),
      Verb.Note(
        heading: "Offsets",
        text: """
          A chunk’s is that of its first byte in the bodies of the whole session, as “at:OFFSET” counts. An event’s \
          is the number of bytes of its own exchange’s body that had been read when it came out: a byte order mark counts, \
          and at a CR LF it comes out after the CR. A warning’s is where it begins in its exchange’s body.
          """),
    ],
    examples: [
      "wiretape inspect demo.cassette", "wiretape inspect --events demo.cassette",
      "wiretape inspect --json demo.cassette",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    let path = arguments.positionals[0]
    let lists = [arguments.has(exchanges), arguments.has(chunks), arguments.has(events)].filter { $0 }.count
    guard lists <= 1 else {
      throw CommandError.usage(
        of: "inspect", "--exchanges, --chunks and --events are one list each; ask for one")
    }
    let asJSON = arguments.has(json)
    if arguments.has(chunks) || arguments.has(events) {
      let end = try walkCassette(path) { bytes, parser, place in
        if arguments.has(chunks) { return try context.output.line(chunkLine(bytes, place, json: asJSON)) }
        var lines: [String] = []
        parser.append(bytes) { output, offset in
          if case .event(let event) = output { lines += eventLines(event, offset, place, json: asJSON) }
        }
        try context.output.lines(lines)
      }
      if end.status != .finished {
        try context.diagnostics.line("wiretape inspect: " + unfinishedText(end, path))
      }
      return .success
    }
    let summary = try CassetteSummary(of: path)
    if asJSON {
      try context.output.lines(arguments.has(exchanges) ? summary.exchanges.map(\.json) : [summary.json])
    } else if arguments.has(exchanges) {
      for (index, exchange) in summary.exchanges.enumerated() {
        try context.output.lines(exchange.text(number: index + 1))
      }
    } else {
      try context.output.lines(summary.text(name: path, columns: context.output.columns ?? 80))
    }
    return .success
  }

  private static func chunkLine(
    _ bytes: Span<UInt8>, _ place: CassettePlace, json: Bool
  ) -> String {
    if json {
      var line = JSONLine()
      line.add("kind", "chunk")
      line.add("exchange", place.exchange)
      line.add("atUs", place.atUs)
      line.add("offset", place.offset)
      line.add("bytes", bytes.count)
      return line.closed
    }
    let beginning = (0..<min(60, bytes.count)).map { bytes[$0] }
    let text = printable(String(decoding: beginning, as: UTF8.self)) + (bytes.count > 60 ? "…" : "")
    return [
      "#\(place.exchange)", durationText(place.atUs), "byte \(place.offset)", sizeText(bytes.count), text,
    ].joined(separator: " · ")
  }

  private static func eventLines(
    _ event: ServerSentEvent, _ offset: Int, _ place: CassettePlace, json: Bool
  ) -> [String] {
    guard json else { return event.text("#\(place.exchange)", durationText(place.atUs), "byte \(offset)") }
    var line = JSONLine(event)
    line.add("exchange", place.exchange)
    line.add("atUs", place.atUs)
    line.add("offset", offset)
    return [line.closed]
  }
}

/// Why a cassette counts as unfinished, and what can be done.
func unfinishedText(_ end: CassetteWalkEnd, _ path: String) -> String {
  var text = "\(printable(path)): unfinished: it is still being recorded, or the recorder was killed"
  if case .unfinished(_, let lost) = end.status, lost > 0 {
    text += " (\(counted(lost, "byte")) of a torn record left out)"
  }
  return text
}

extension CassetteSummary {
  /// The summary for people.
  func text(name: String, columns: Int) -> [String] {
    var lines = ["\(printable(name)) · \(sizeText(end.fileBytes))" + (finished ? "" : " · unfinished")]
    func row(_ name: String, _ value: String) {
      lines.append("  " + name + String(repeating: " ", count: max(1, 12 - name.count)) + value)
    }
    if let header = headers.first {
      row("recorded", "\(printable(header.recordedAt)) by \(printable(header.recorder))")
      if headers.count > 1 { row("recordings", "\(headers.count), joined") }
      if header.timing != .recorded { row("timing", printable(header.timing.rawValue)) }
      if let client = header.client { row("client", printable("\(client.mode), policy \(client.policy)")) }
    }
    row(
      "content",
      [
        counted(exchanges.count, "exchange"), counted(chunks, "chunk"), sizeText(bytes),
        counted(events, "event"),
        counted(comments, "comment"),
      ].joined(separator: ", "))
    row("duration", durationText(durationUs))
    if bytes > 0, end.fileBytes > 0 {
      let tenths = bytes * 10 / end.fileBytes
      row(
        "on disk",
        "\(sizeText(end.fileBytes)): \(tenths / 10).\(tenths % 10) bytes of content for each byte of the file"
      )
    }
    let labels = headers.flatMap { $0.labels.map { "\($0.key)=\($0.value)" } }.sorted()
    if !labels.isEmpty { row("labels", printable(labels.joined(separator: ", "))) }
    if let redaction {
      let again = redaction.echoes > 0 ? "; turned up again \(counted(redaction.echoes, "time"))" : ""
      row("masked", redaction.text + again)
    } else {
      row("masked", "redaction was off")
    }
    if !notes.isEmpty { row("notes", printable(notes.joined(separator: ", "))) }
    lines.append("")
    for (index, exchange) in exchanges.prefix(20).enumerated() { lines += exchange.text(number: index + 1) }
    if exchanges.count > 20 { lines.append("… and \(exchanges.count - 20) more: --exchanges lists all") }
    lines += picture(columns: columns)
    if !warnings.isEmpty {
      lines += ["", "Warnings: what a correct parser drops without a word"]
      lines += warnings.map {
        "  #\($0.exchange) · byte \($0.offset) · \(printable($0.what))"
      }
    }
    if !finished {
      lines += ["", unfinishedText(end, name) + ".", "It can be read as far as it goes."]
    }
    return lines
  }

  /// When bytes came, a row for each exchange, all over the same time.
  private func picture(columns: Int) -> [String] {
    guard headers.count == 1, bytes > 0, durationUs > 0 else { return [] }
    let width = max(20, min(columns, 120) - 8)
    var lines = [""]
    for (index, exchange) in exchanges.prefix(20).enumerated() where exchange.bytes > 0 {
      let label = "#\(index + 1)"
      lines.append(
        "  " + label + String(repeating: " ", count: max(1, 5 - label.count))
          + exchange.timing.row(columns: width, until: durationUs))
    }
    let last = durationText(durationUs)
    lines.append("       0" + String(repeating: " ", count: max(1, width - 1 - last.count)) + last)
    return lines
  }
}

extension CassetteSummary.Exchange {
  /// Two lines for people.
  func text(number: Int) -> [String] {
    let outcome = [
      status.map { "status \($0)" } ?? "no response", cause.map { printable($0) } ?? "still open",
      printable(detail),
    ].filter { !$0.isEmpty }
    return [
      "#\(number) \(printable(method)) \(printable(url))",
      "   " + outcome.joined(separator: ", ") + " · \(counted(chunks, "chunk")), \(sizeText(bytes)), "
        + "\(counted(events, "event")) · \(durationText(startUs)) + \(durationText(durationUs))",
    ]
  }
}
