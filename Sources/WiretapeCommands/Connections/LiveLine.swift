// The line that a terminal shows while something goes on for long. On anything else nothing is shown.

import ServerSentEvents

/// One line that is written over and over.
struct LiveLine: Sendable {
  private let output: CommandOutput
  private let columns: Int
  private let clock: any EventStreamClock

  /// `nil` where diagnostics don't go to a terminal.
  init?(_ context: CommandContext) {
    guard let columns = context.diagnostics.columns else { return nil }
    output = context.diagnostics
    self.columns = columns
    clock = context.clock
  }

  /// Writes the line, ten times a second unless told otherwise, until its task is cancelled, then clears it.
  func run(
    every interval: Duration = .milliseconds(100),
    _ text: @escaping @Sendable (_ elapsed: Duration) async -> String
  ) async {
    let start = clock.now
    while !Task.isCancelled {
      show(await text(clock.now - start))
      try? await clock.sleep(until: clock.now + interval)
    }
    try? output.write(Array("\r\u{1B}[K".utf8))
  }

  private func show(_ text: String) {
    try? output.write(Array("\r\u{1B}[K\(text.prefix(max(1, columns - 1)))".utf8))
  }

  /// Shows a line, where there is a terminal, for as long as the work goes on.
  static func during<Result>(
    _ context: CommandContext, _ text: @escaping @Sendable (_ elapsed: Duration) -> String,
    _ work: () throws -> Result
  ) async throws -> Result {
    LiveLine(context)?.show(text(.zero))  // at once: the task may have to wait for a thread
    return try await whileWaiting(context, every: .milliseconds(100), text) { try work() }
  }

  /// Shows a line, once a second unless told otherwise and where there is a terminal, for as long as is waited for the
  /// work.
  static func whileWaiting<Result>(
    _ context: CommandContext, every interval: Duration = .seconds(1),
    _ text: @escaping @Sendable (_ elapsed: Duration) async -> String, _ work: () async throws -> Result
  ) async throws -> Result {
    guard let line = LiveLine(context) else { return try await work() }
    let showing = Task { await line.run(every: interval, text) }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    showing.cancel()
    await showing.value
    return try result.get()
  }

  /// A time as it is shown: `12.3 s`.
  static func seconds(_ elapsed: Duration) -> String {
    let tenths = milliseconds(elapsed) / 100
    return "\(tenths / 10).\(tenths % 10) s"
  }

  /// What it says of a recording.
  static func text(_ progress: RecordingSession.Progress, elapsed: Duration) -> String {
    var parts = [
      seconds(elapsed), counted(progress.chunks, "chunk"), sizeText(progress.bytes),
      counted(progress.events, "event"),
    ]
    if progress.exchanges > 1 { parts.append(counted(progress.exchanges, "connection")) }
    if progress.written > 0, progress.bytes > 0 {
      let ratio = progress.bytes * 10 / progress.written
      parts.append("\(ratio / 10).\(ratio % 10) : 1")
    }
    return parts.joined(separator: " · ")
  }
}
