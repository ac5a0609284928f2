// The check of one file: the cassette, the golden file beside it, and what both came to. The comparisons are the
// library's; here are the files and the words.

import EventCassettes

/// What a check of one cassette came to.
struct CassetteCheck {
  let file: String
  let report: CassetteVerifier.Report
  let warnings: [CassetteSummary.Warning]
  /// What happened to the golden file: said, compared or written.
  let golden: String

  /// Checks a file, and writes its golden file where that is asked for and nothing was found.
  init(
    of file: String, options: CheckOptions, replay: ReplayOptions, updates: Bool, context: CommandContext
  ) throws {
    self.file = file
    let cassette = try Cassette(contentsOf: file, limits: CassetteLimits(held: options.memory))
    warnings = cassette.warnings
    let goldenPath = GoldenFile.path(forCassette: file)
    if updates, file != "-", !cassette.isFinished {
      // What is lost would count as right from then on.
      throw CommandError(
        .badData, "\(file): this recording lacks its end, so no golden file was written",
        next: "“wiretape recover” makes a finished cassette of what is there; then check --update that.")
    }
    var expected: [GoldenEvent]?
    if file != "-", !updates, let bytes = try readIfThere(goldenPath, context) {
      do { expected = try GoldenFile.events(in: bytes) } catch {
        throw CommandError(.badData, "\(goldenPath): \(error)", next: "")
      }
    }
    report = try naming(file) { () throws(CassetteError) in
      try CassetteVerifier.check(cassette, golden: expected, options: options, replay: replay)
    }
    if updates, file != "-", report.passed {
      let bytes = GoldenFile.bytes(of: report.events)
      try writeFile(goldenPath, overwriting: true) { write in try write(bytes) }
      golden = "golden file written"
    } else if expected != nil {
      golden = report.goldenDifference == nil ? "equal to the golden file" : "not equal to the golden file"
    } else {
      golden =
        file == "-"
        ? updates ? "no golden file written: standard input has none beside it" : "no golden file"
        : "no golden file (--update writes \(goldenPath))"
    }
  }

  /// The split, what was expected and what came, where something was found.
  var finding: (split: String, expected: String?, got: String?)? {
    if let finding = report.finding { return (finding.split.description, finding.expected, finding.got) }
    if let difference = report.goldenDifference {
      return ("whole", difference.expected?.description, difference.got?.description)
    }
    if report.replayFindingsCount, let finding = report.replayFindings.first {
      return ("recorded", finding.recorded, finding.replayed)
    }
    return nil
  }

  /// The lines for people.
  var text: [String] {
    var lines = [
      [
        (report.passed ? "ok" : "FAILED") + " · " + printable(file), counted(report.events.count, "event"),
        report.passed ? report.chunking.certainty.text : "", golden,
      ].filter { !$0.isEmpty }.joined(separator: " · ")
    ]
    if let finding {
      lines.append("split: \(finding.split)")
      if report.finding == nil, let difference = report.goldenDifference {
        lines.append("line \(difference.line) of \(printable(GoldenFile.path(forCassette: file)))")
      } else if report.finding == nil, let difference = report.replayFindings.first {
        lines.append(
          "exchange \(difference.exchange): the client does not do what it did when this was recorded")
      }
      lines.append("expected: " + (finding.expected.map { printable($0) } ?? "nothing more"))
      lines.append("got: " + (finding.got.map { printable($0) } ?? "nothing more"))
      if report.finding == nil, report.goldenDifference != nil {
        lines.append("if the new events are the right ones: wiretape check --update \(printable(file))")
      }
    }
    if !report.isFinished { lines.append(unfinishedWarning) }
    for run in report.chunking.runs where run.plan == .each && run.isSample { lines.append("  " + run.text) }
    lines += warnings.map { "  warning · #\($0.exchange) · byte \($0.offset) · \(printable($0.what))" }
    return lines
  }

  /// The line of JSON.
  var json: String {
    var line = JSONLine()
    line.add("file", file)
    line.add("ok", report.passed)
    line.add("proved", report.isProved)
    line.add("plans", json: jsonArray(report.chunking.runs.map { quoted($0.plan.description) }))
    line.add("events", report.events.count)
    line.add("split", finding?.split)
    line.add("expected", finding?.expected)
    line.add("got", finding?.got)
    line.add("warnings", json: jsonArray(warnings.map(\.json)))
    line.add("finished", report.isFinished)
    return line.closed
  }
}

/// What is said of a cassette that was checked though it lacks its end: that it passes says nothing of what is lost.
let unfinishedWarning =
  "  warning · unfinished: it is still being recorded, or the recorder was killed; checked as far as it goes"

/// A file's bytes, or `nil` where there is none.
private func readIfThere(_ path: String, _ context: CommandContext) throws -> [UInt8]? {
  do { return try readAll(path, context, limit: 1 << 30) } catch let error as CommandError
    where error.code == .noInput && !isFolder(path)
  { return nil }
}
