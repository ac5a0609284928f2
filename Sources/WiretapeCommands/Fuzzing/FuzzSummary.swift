// What a run of one target came to, for people and as JSON. Pure.

import EventCassettes

/// The result of a run of a fuzz target.
struct FuzzSummary: Sendable, Equatable {
  /// One fault, as the run met it.
  struct Finding: Sendable, Equatable {
    var kind: FuzzFailure.Kind
    /// All of it on one line.
    var title: String
    /// The same on some lines.
    var lines: [String] = []
    var signature: String
    /// Whether no earlier run had found it.
    var isNew: Bool
    /// How often this run found it.
    var times: Int
    /// The path of the smallest input.
    var input: String
    /// Its length.
    var bytes: Int
  }

  /// How large a corpus is.
  struct Corpus: Sendable, Equatable {
    var files = 0
    var bytes = 0
  }

  var target: String
  var started: String
  /// Seconds that it ran.
  var seconds: Double
  var workers: Int
  var executions: Int
  /// Edges reached by what was there before, and in the end.
  var coverage: (start: Int, end: Int)
  /// The same for features, of the first worker.
  var features: (start: Int, end: Int)
  var corpus: (start: Corpus, end: Corpus)
  /// How often a worker was started again after a finding.
  var restarts: Int
  /// The most memory of any worker, in MiB.
  var peakMemory: Int
  var findings: [Finding]
  /// Whether it ended before its time was up.
  var isInterrupted: Bool
  /// The folder with the workers' logs.
  var logs: String

  /// Executions a second, of all workers together.
  var speed: Int { seconds > 0 ? Int(Double(executions) / seconds) : 0 }

  static func == (a: Self, b: Self) -> Bool { a.json == b.json }
}

extension FuzzSummary {
  /// The lines for people.
  var text: [String] {
    let new = findings.filter(\.isNew).count
    let times = findings.reduce(0) { $0 + $1.times }
    var lines = [
      "\(target): \(durationText(Int64(seconds * 1_000_000))), \(counted(workers, "worker"))"
        + (isInterrupted ? ", interrupted" : ""),
      "  executions  \(grouped(executions)) · \(grouped(speed)) a second · at most \(peakMemory) MiB",
      "  coverage    \(grouped(coverage.start)) → \(grouped(coverage.end)) edges · "
        + "\(grouped(features.start)) → \(grouped(features.end)) features",
      "  corpus      \(corpus.start.files) → \(counted(corpus.end.files, "input")) · \(sizeText(corpus.end.bytes))",
      findings.isEmpty
        ? "  findings    none"
        : "  findings    \(new) new, \(findings.count - new) known; met \(counted(times, "time")), "
          + "\(counted(restarts, "restart"))",
    ]
    for finding in findings {
      lines += [
        "    \(finding.isNew ? "NEW  " : "known") \(finding.kind.rawValue): \(finding.lines.first ?? brief(finding.title))"
          + (finding.times > 1 ? " (\(finding.times) times)" : "")
      ]
      lines += finding.lines.dropFirst().map { "          \($0)" }
      lines += [
        "          \(finding.input), \(counted(finding.bytes, "byte"))",
        "          wiretape fuzz to-cassette \(finding.input)",
      ]
    }
    if restarts > 20 {
      lines.append("  What is found so often hides what lies behind it: fix it first.")
    }
    lines.append("  logs        \(logs)")
    return lines
  }

  /// The line of JSON.
  var json: String {
    var line = JSONLine()
    line.add("target", target)
    line.add("started", started)
    line.add("seconds", Int(seconds.rounded()))
    line.add("workers", workers)
    line.add("interrupted", isInterrupted)
    line.add("executions", executions)
    line.add("executionsPerSecond", speed)
    line.add("coverageAtStart", coverage.start)
    line.add("coverage", coverage.end)
    line.add("featuresAtStart", features.start)
    line.add("features", features.end)
    line.add("corpusFilesAtStart", corpus.start.files)
    line.add("corpusFiles", corpus.end.files)
    line.add("corpusBytes", corpus.end.bytes)
    line.add("restarts", restarts)
    line.add("peakMiB", peakMemory)
    line.add("newFindings", findings.filter(\.isNew).count)
    line.add("findings", json: jsonArray(findings.map(\.json)))
    line.add("logs", logs)
    return line.closed
  }
}

extension FuzzSummary.Finding {
  /// The object of JSON.
  var json: String {
    var line = JSONLine()
    line.add("kind", kind.rawValue)
    line.add("title", title)
    line.add("signature", signature)
    line.add("new", isNew)
    line.add("times", times)
    line.add("input", input)
    line.add("bytes", bytes)
    return line.closed
  }
}

/// A title on one line.
func brief(_ title: String) -> String {
  title.count <= 100 ? printable(title) : printable(String(title.prefix(99))) + "…"
}

/// `1,234,567`.
func grouped(_ number: Int) -> String {
  let digits = String(number)
  var result = ""
  for (index, digit) in digits.enumerated() {
    if index > 0, (digits.count - index) % 3 == 0, digit.isNumber, result != "-" { result += "," }
    result.append(digit)
  }
  return result
}
