// The check of another parser over one cassette: its events against ours, under every plan. Golden files are for runs
// of the client, so none is read here.

import EventCassettes
import ServerSentEvents

/// What a check of a subject came to.
struct SubjectCheck {
  let file: String
  let report: ChunkingReport
  let events: Int
  let warnings: [CassetteSummary.Warning]
  let isFinished: Bool
  /// The finding made small, where there is one and it shows again.
  let smallest: Reproduction?

  /// Checks a subject with a file.
  ///
  /// - Parameter fault: what it does wrong without any; then nothing more is asked.
  init(of file: String, subject: SubjectProcess, fault: ChunkingFinding?, options: CheckOptions) throws {
    self.file = file
    let cassette = try Cassette(contentsOf: file, limits: CassetteLimits(held: options.memory))
    warnings = cassette.warnings
    isFinished = cassette.isFinished
    let bodies = cassette.bodies()
    try naming(file) { () throws(CassetteError) in try bodies.requireMemory(options: options) }
    events = bodies.reduce(0) { $0 + ($1.isEventStream ? EventStreamParser.events(in: $1.bytes).count : 0) }
    if let fault {
      var report = ChunkingReport()
      report.finding = fault
      self.report = report
      smallest = nil
      return
    }
    report = SubjectParser.check(subject, with: bodies, options: options)
    guard let finding = report.finding, finding.isRepeatable, !SubjectParser.isFault(finding) else {
      // Where it crashes or hangs each try costs a start or its patience.
      smallest = nil
      return
    }
    // Enough tries for a stream that can be read; `minimize` takes its time.
    smallest =
      ParserCheck.minimized(
        finding, in: bodies, tries: subject.hangs > 0 ? 0 : 2000, faults: SubjectParser.faults,
        makeParser: { SubjectParser(subject) })?.reproduction
  }

  /// Whether it was the subject that failed, rather than its events that differ.
  var isFault: Bool { report.finding.map(SubjectParser.isFault) ?? false }

  /// The lines for people.
  var text: [String] {
    let replays = report.runs.reduce(0) { $0 + $1.replays }
    var lines = [
      [
        (report.passed ? "ok" : "FAILED") + " · " + printable(file), counted(events, "event"),
        report.passed
          ? "the subject agrees in \(counted(replays, "chunking")), sampled" : "the subject differs",
      ].joined(separator: " · ")
    ]
    if let finding = report.finding { lines += finding.text }
    if let smallest, smallest.escaped.utf8.count <= 400 { lines.append("smallest: " + smallest.escaped) }
    if !isFinished { lines.append(unfinishedWarning) }
    lines += warnings.map { "  warning · #\($0.exchange) · byte \($0.offset) · \(printable($0.what))" }
    return lines
  }

  /// The line of JSON.
  var json: String {
    var line = JSONLine()
    line.add("file", file)
    line.add("ok", report.passed)
    line.add("proved", false)
    line.add("plans", json: jsonArray(report.runs.map { quoted($0.plan.description) }))
    line.add("events", events)
    line.add("split", report.finding?.split.description)
    line.add("expected", report.finding?.expected)
    line.add("got", report.finding?.got)
    line.add("warnings", json: jsonArray(warnings.map(\.json)))
    line.add("smallest", smallest?.escaped)
    line.add("finished", isFinished)
    return line.closed
  }
}
