// What libFuzzer's log says: how far it came, what it counted, and how it ended. Pure: text in, facts out.

/// The facts in a log of libFuzzer.
struct FuzzLog: Equatable {
  /// How far a run had come, from one of its status lines.
  struct Status: Equatable {
    var executions: Int
    /// Edges of code that were reached.
    var coverage: Int
    /// Features: edges with how often, comparisons and so on.
    var features: Int
    var executionsPerSecond: Int
  }

  /// Whether the program said that it has coverage counters.
  private(set) var isInstrumented = false
  /// When all inputs that were there had been run; `nil` if it didn't come so far.
  private(set) var start: Status?
  /// The last status line.
  private(set) var latest: Status?
  /// Executions by the final statistics, or by the last status line where there are none.
  private(set) var executions = 0
  /// The most memory that it took, in MiB.
  private(set) var peakMemory = 0
  /// The path of the input that made it end.
  private(set) var artifact: String?
  /// What made it end, if anything did.
  private(set) var failure: FuzzFailure?

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      if line.hasPrefix("#"), let status = Status(line) {
        latest = status
        executions = max(executions, status.executions)
        if line.contains("\tINITED") { start = status }
      } else if line.hasPrefix("stat::") {
        if let number = Self.statistic("number_of_executed_units", line) { executions = number }
        if let number = Self.statistic("peak_rss_mb", line) { peakMemory = number }
      } else if line.hasPrefix("INFO: Loaded ") {
        isInstrumented = isInstrumented || line.contains("inline 8-bit counters")
      } else if let place = line.firstRange(of: "Test unit written to ") {
        artifact = String(line[place.upperBound...])
      }
    }
    failure = FuzzFailure(in: lines)
  }

  private static func statistic(_ name: String, _ line: Substring) -> Int? {
    let words = line.dropFirst("stat::".utf8.count).split(separator: ":", maxSplits: 1)
    guard words.count == 2, words[0] == name else { return nil }
    return Int(words[1].drop { $0 == " " })
  }
}

extension FuzzLog.Status {
  /// Reads `#131072	pulse  cov: 1224 ft: 3000 corp: 36/2345b lim: 80 exec/s: 43690 rss: 61Mb`.
  init?(_ line: some StringProtocol) {
    let words = line.dropFirst().split { $0 == " " || $0 == "\t" }
    guard line.hasPrefix("#"), let executions = words.first.flatMap({ Int($0) }) else { return nil }
    func number(after name: String) -> Int? {
      guard let place = words.firstIndex(where: { $0 == name }), place + 1 < words.count else { return nil }
      return Int(words[place + 1])
    }
    guard let coverage = number(after: "cov:"), let features = number(after: "ft:") else { return nil }
    self.init(
      executions: executions, coverage: coverage, features: features,
      executionsPerSecond: number(after: "exec/s:") ?? 0)
  }
}
