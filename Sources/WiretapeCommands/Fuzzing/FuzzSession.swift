// A run of one fuzz target: workers side by side on one corpus until the time is up, each started again after a
// finding. Two independent workers, one of them with the value profile (which finds nested magic numbers that plain
// coverage misses), beat libFuzzer's own fork mode.

import EventCassettes
import Foundation
import ServerSentEvents

/// How a target is run.
struct FuzzOptions: Sendable {
  var duration: Duration
  /// How many workers.
  var jobs: Int
  /// Whether the first finding ends it.
  var stopsAtFinding = false
  /// More options for libFuzzer, which count before ours.
  var passedOn: [String] = []
}

/// One run of one target.
actor FuzzSession {
  private let target: FuzzTarget
  private let options: FuzzOptions
  private let context: CommandContext
  private let corpus: FuzzCorpus
  /// The folder of this run's logs.
  nonisolated let logs: String
  private var book: FindingBook
  private var workers: [Worker]
  private var found: [FuzzSummary.Finding] = []
  private var restarts = 0
  private var isOver = false

  /// What is known of a worker.
  private struct Worker {
    /// Where it leaves its inputs: a folder of its own, for two workers may find the same one.
    let folder: String
    var log: String { folder + ".log" }
    /// Executions of its earlier starts.
    var executions = 0
    var start: FuzzLog.Status?
    var latest: FuzzLog.Status?
    var peakMemory = 0
    /// The inputs on which it failed while it loaded them.
    var failedInputs: Set<Data> = []
  }

  init(_ target: FuzzTarget, _ options: FuzzOptions, _ context: CommandContext) throws {
    self.target = target
    self.options = options
    self.context = context
    let folder = target.package.artifacts(target.name)
    try makeFolder(folder)
    let stamp = Self.timestamp(context).filter { $0 != ":" }
    let logs = "\(folder)/\(stamp)"
    try makeFolder(logs)
    self.logs = logs
    book = try FindingBook(in: folder)
    corpus = try FuzzCorpus(of: target.name, in: target.package, seedsIn: logs)
    workers = (1...options.jobs).map { Worker(folder: "\(logs)/worker-\($0)") }
    for worker in workers { try makeFolder(worker.folder) }
  }

  private static func timestamp(_ context: CommandContext) -> String {
    Cassette.Header.timestamp(unixSeconds: context.wallClock())
  }

  /// Runs until the time is up or the task is cancelled; both are a proper end.
  func run() async throws -> FuzzSummary {
    let started = Self.timestamp(context)
    let size = corpus.size
    let begin = context.clock.now
    let deadline = begin + options.duration
    defer { tidyUp() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in workers.indices { group.addTask { try await self.work(number, until: deadline) } }
      for try await _ in group where isOver { group.cancelAll() }
    }
    let took = context.clock.now - begin
    func most(_ value: (Worker) -> Int?) -> Int { workers.compactMap(value).max() ?? 0 }
    return FuzzSummary(
      target: target.name, started: started, seconds: Double(milliseconds(took)) / 1000,
      workers: workers.count,
      executions: workers.reduce(0) { $0 + $1.executions },
      coverage: (most { $0.start?.coverage }, most { $0.latest?.coverage }),
      features: (workers[0].start?.features ?? 0, workers[0].latest?.features ?? 0),
      corpus: (size, corpus.size), restarts: restarts, peakMemory: most { $0.peakMemory },
      findings: found.sorted { ($0.isNew ? 0 : 1) < ($1.isNew ? 0 : 1) }, isInterrupted: Task.isCancelled,
      logs: shownPath(logs))
  }

  /// Leaves logs, and what libFuzzer noted without failing, such as slow inputs.
  private func tidyUp() {
    corpus.removeCopies()
    let files = FileManager.default
    for worker in workers where (try? files.contentsOfDirectory(atPath: worker.folder))?.isEmpty == true {
      try? files.removeItem(atPath: worker.folder)
    }
  }

  /// Starts a worker as often as it takes.
  private func work(_ number: Int, until deadline: Duration) async throws {
    var failedStarts = 0
    while !Task.isCancelled, !isOver {
      let left = Int((deadline - context.clock.now).components.seconds)
      guard left >= 1 else { return }
      let run = try await target.run(
        arguments(number, seconds: left), isThorough: false, log: workers[number].log,
        limit: Double(left + 120))
      note(run.facts, of: number)
      if Task.isCancelled { return }
      guard run.facts.isInstrumented else { throw notInstrumented(run) }
      if run.code == 0 { return }
      restarts += 1
      if try take(run, of: number) {
        failedStarts = 0
        if options.stopsAtFinding { isOver = true }
      } else {
        failedStarts += 1
        guard failedStarts < 3 else { throw cannotRun(run) }
      }
    }
  }

  private func arguments(_ number: Int, seconds: Int) -> [String] {
    var words = [
      "-max_total_time=\(seconds)", "-timeout=5", "-rss_limit_mb=2048", "-max_len=4096",
      "-print_final_stats=1",
      "-artifact_prefix=\(workers[number].folder)/", "-use_value_profile=\(number % 2)",
    ]
    if let dictionary = target.package.dictionary(target.name) { words.append("-dict=\(dictionary)") }
    return words + options.passedOn + [corpus.work, corpus.seeds]
  }

  private func note(_ facts: FuzzLog, of number: Int) {
    workers[number].executions += facts.executions
    workers[number].peakMemory = max(workers[number].peakMemory, facts.peakMemory)
    workers[number].start = workers[number].start ?? facts.start
    workers[number].latest = facts.latest ?? workers[number].latest
  }

  /// Takes a finding in.
  ///
  /// - Returns: `false` if the worker would fail in the same way again at once.
  private func take(_ run: FuzzTarget.Run, of number: Int) throws -> Bool {
    guard let failure = run.failure, let artifact = run.facts.artifact,
      let bytes = FileManager.default.contents(atPath: artifact)
    else { return false }
    // An input that was there would fail at each start. Another worker may have taken it out already.
    var isOutOfTheWay = true
    if run.facts.start == nil {
      let isGone = corpus.remove(bytes)
      isOutOfTheWay = workers[number].failedInputs.insert(bytes).inserted || isGone
    }
    let (entry, isNew, replaced) = try book.add(
      failure, input: artifact, log: run.log, at: Self.timestamp(context))
    let input = shownPath("\(target.package.artifacts(target.name))/\(entry.input)")
    if let place = found.firstIndex(where: { $0.signature == entry.signature }) {
      found[place].times += 1
      found[place].input = input
      found[place].bytes = entry.bytes
      found[place].title = entry.title
      found[place].lines = entry.lines ?? []
      // Its path was printed, and is gone.
      if let replaced {
        try tell("smaller by now: \(input), \(counted(entry.bytes, "byte")), in place of \(replaced)")
      }
    } else {
      found.append(
        FuzzSummary.Finding(
          kind: entry.kind, title: entry.title, lines: entry.lines ?? [], signature: entry.signature,
          isNew: isNew, times: 1,
          input: input,
          bytes: entry.bytes))
      let title = brief(
        ([entry.lines?.first ?? entry.title] + [failure.form].compactMap { $0 }).joined(separator: " · "))
      try tell("\(isNew ? "NEW finding" : "known finding"): \(title): \(input)")
    }
    return isOutOfTheWay
  }

  /// Prints a line, in place of the one that a terminal shows meanwhile.
  private func tell(_ line: String) throws {
    try context.diagnostics.line((context.diagnostics.columns == nil ? "" : "\r\u{1B}[K") + line)
  }

  private func notInstrumented(_ run: FuzzTarget.Run) -> CommandError {
    CommandError(
      .unavailable,
      "\(target.name) runs without coverage: its log has no “Loaded … modules”, and ends with:\n"
        + tail(of: run.log, lines: 8),
      next:
        "Remove \(shownPath(target.package.folder))/.build-fuzz and try again. The log is \(shownPath(run.log))."
    )
  }

  private func cannotRun(_ run: FuzzTarget.Run) -> CommandError {
    CommandError(
      .badData,
      "\(target.name) fails at every start (exit code \(run.code)) with no input to blame; the log ends with:\n"
        + tail(of: run.log, lines: 12), next: "The log is \(shownPath(run.log)).")
  }

  /// One line about how it goes.
  func progress(elapsed: Duration) -> String {
    var executions = 0, speed = 0, coverage = 0
    for worker in workers {
      let latest = FuzzLog(lastPart(of: worker.log)).latest
      executions += worker.executions + (latest?.executions ?? 0)
      speed += latest?.executionsPerSecond ?? 0
      coverage = max(coverage, latest?.coverage ?? worker.latest?.coverage ?? 0)
    }
    let seconds = elapsed.components.seconds
    let left = max(0, options.duration.components.seconds - seconds)
    return [
      target.name, durationText(left * 1_000_000) + " left", "\(grouped(executions)) runs",
      "\(grouped(speed))/s", "cov \(grouped(coverage))", counted(corpus.size.files, "input"),
      counted(found.count, "finding"),
    ].joined(separator: " · ")
  }

  /// The end of a log that is being written.
  private func lastPart(of path: String) -> String {
    guard let file = FileHandle(forReadingAtPath: path), let end = try? file.seekToEnd() else { return "" }
    try? file.seek(toOffset: end > 8192 ? end - 8192 : 0)
    return String(decoding: (try? file.readToEnd()) ?? Data(), as: UTF8.self)
  }
}
