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
      let text = await text(clock.now - start)
      try? output.write(Array("\r\u{1B}[K\(text.prefix(max(1, columns - 1)))".utf8))
      try? await clock.sleep(until: clock.now + interval)
    }
    try? output.write(Array("\r\u{1B}[K".utf8))
  }

  /// What it says of a recording.
  static func text(_ progress: RecordingSession.Progress, elapsed: Duration) -> String {
    let tenths = milliseconds(elapsed) / 100
    var parts = [
      "\(tenths / 10).\(tenths % 10) s", counted(progress.chunks, "chunk"), sizeText(progress.bytes),
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
