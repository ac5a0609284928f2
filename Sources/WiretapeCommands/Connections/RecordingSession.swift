// One recording while it runs: facts go in, records go out to the file, and what people want to know meanwhile is
// counted. It decides when a limit is reached; what happens then is the verb's business.

import EventCassettes
import ServerSentEvents

/// Records the connections of one client onto a cassette.
actor RecordingSession {
  /// What is counted while it runs.
  struct Progress: Sendable {
    var exchanges = 0
    var chunks = 0
    var bytes = 0
    var events = 0
    /// Compressed bytes that left for the file.
    var written = 0
    /// Whether any answer came.
    var hasAnswer = false
    /// What the answers were that are no event streams.
    var oddAnswers: [String] = []
    /// The last connection's end.
    var lastEnd: (cause: ConnectionEnd, detail: String)?
  }

  private(set) var progress = Progress()
  private(set) var failure: CassetteError?
  private var recorder: CassetteRecorder
  private var parser = EventStreamParser()
  private var isOver = false
  private var flushing: Task<Void, Never>?

  private let clock: any EventStreamClock
  private let maxEvents: Int?
  private let maxBytes: Int?
  private let endsWithoutAnswer: Bool
  private var stop: (@Sendable (StopReason) -> Void)?

  /// Creates the file.
  ///
  /// - Parameter endsWithoutAnswer: whether the recording is over when the first connection brought no answer.
  /// - Throws: `CassetteError`.
  init(
    creating path: String, overwriting: Bool, level: Int, header: Cassette.Header, redaction: RedactionRules?,
    maxEvents: Int?, maxBytes: Int?, endsWithoutAnswer: Bool, clock: any EventStreamClock
  ) throws {
    // Rules that don't compile must not leave an empty file behind.
    if let redaction {
      _ = try CassetteRecorder(to: CassetteWriter(inMemoryAtLevel: 0), header: header, redaction: redaction)
    }
    recorder = try CassetteRecorder(
      to: CassetteWriter(creating: path, overwriting: overwriting, level: level), header: header,
      redaction: redaction)
    // Whoever gets no answer still has the old file.
    if overwriting { recorder.hold() }
    self.maxEvents = maxEvents
    self.maxBytes = maxBytes
    self.endsWithoutAnswer = endsWithoutAnswer
    self.clock = clock
  }

  /// Says whom to tell when a limit is reached or recording fails.
  func whenOver(_ stop: @escaping @Sendable (StopReason) -> Void) { self.stop = stop }

  /// A connection begins; false if nothing is recorded any more.
  func begin(_ request: EventStreamRequest, at: Duration) -> Bool {
    guard !isOver else { return false }
    progress.exchanges += 1
    let (id, retry) = (parser.lastEventID, parser.retry)
    parser = EventStreamParser(lastEventID: id, retry: retry)
    record { (recorder: inout CassetteRecorder) throws(CassetteError) in try recorder.begin(request, at: at) }
    return !isOver
  }

  /// A fact of the open connection.
  func take(_ stamped: StampedTransportFact) -> ObservedTransport.Verdict {
    guard !isOver else { return .stop }
    record { (recorder: inout CassetteRecorder) throws(CassetteError) in
      if case .bytes = stamped.fact { try recorder.release() }
      try recorder.record(stamped)
    }
    guard !isOver else { return .stop }
    switch stamped.fact {
    case .redirect:
      progress.hasAnswer = true
      progress.exchanges += 1
    case .response(let response):
      progress.hasAnswer = true
      if response.status != 200 {
        if response.status == 204 {
          progress.lastEnd = (.complete, "")  // it has no body, and the client closes as soon as it sees it
        } else {
          progress.oddAnswers.append("status \(response.status)")
        }
      } else if !response.isEventStream {
        progress.oddAnswers.append(
          "content type \(response.contentType ?? response.headers["Content-Type"] ?? "missing")")
      }
    case .bytes(let bytes):
      progress.chunks += 1
      progress.bytes += bytes.count
      parser.append(bytes) { output, _ in if case .event = output { progress.events += 1 } }
      if let maxEvents, progress.events >= maxEvents { return end(.maxEvents) }
      if let maxBytes, progress.bytes >= maxBytes { return end(.maxBytes) }
    case .ended(let cause, let detail):
      progress.lastEnd = (cause, detail)
      if !progress.hasAnswer, endsWithoutAnswer { return end(.ended) }
    }
    return .goOn
  }

  /// What was masked so far.
  var redaction: Cassette.Redaction? { recorder.redaction }

  /// Ends the recording: closes what is open, writes the trailer. Nothing is recorded any more.
  func finish() throws {
    close()
    if let failure { throw failure }
    try recorder.release()
    try recorder.finish(at: clock.now)
    progress.written = recorder.bytesWritten
  }

  /// Removes the file: there was nothing to record.
  func discard() {
    close()
    recorder.discard()
  }

  private func close() {
    isOver = true
    flushing?.cancel()
  }

  private func end(_ reason: StopReason) -> ObservedTransport.Verdict {
    isOver = true
    stop?(reason)
    return .stop
  }

  private func record(_ step: (inout CassetteRecorder) throws(CassetteError) -> Void) {
    do throws(CassetteError) {
      try step(&recorder)
      progress.written = recorder.bytesWritten
      scheduleFlush()
    } catch {
      failure = error
      _ = end(.ended)
    }
  }

  /// What was written must reach the file within the flush interval, also if nothing comes after it.
  private func scheduleFlush() {
    guard flushing == nil, let deadline = recorder.flushDeadline else { return }
    flushing = Task {
      try? await clock.sleep(until: deadline)
      flushing = nil
      guard !Task.isCancelled, !isOver else { return }
      record { (recorder: inout CassetteRecorder) throws(CassetteError) in
        try recorder.flushIfDue(at: clock.now)
      }
    }
  }
}
