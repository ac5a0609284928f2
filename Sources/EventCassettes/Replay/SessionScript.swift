// A cassette's records as the steps of a replay: times summed up, bodies cut by the plan, request bodies gathered. It
// streams, and decides nothing: what a step means for a client is CassetteReplayer's and ReplayTransport's business.

import ServerSentEvents

/// Where records come from: a file that is read on the way, or a cassette in memory.
struct RecordSource: ~Copyable {
  private var reader: CassetteReader?
  private var records: [CassetteRecord] = []
  private var index = 0

  init(_ reader: consuming CassetteReader) { self.reader = consume reader }

  init(_ records: [CassetteRecord]) {
    reader = nil
    self.records = records
  }

  mutating func next() throws(CassetteError) -> CassetteRecord? {
    if index < records.count {
      index += 1
      return records[index - 1]
    }
    return try reader?.next()
  }
}

/// One step of a session.
struct SessionStep: Sendable {
  enum What: Sendable {
    /// A recording begins: a fresh client.
    case recording(Cassette.Header)
    case request(Cassette.Request, body: [UInt8])
    case response(Cassette.Response)
    /// A piece of the body, cut by the plan; may be empty.
    case piece([UInt8])
    case note(Cassette.Note)
    case end(Cassette.End)
    /// The recording's trailer, or the end of a file without one. Always comes after a `recording`.
    case recordingEnded(isFinished: Bool)
  }

  /// Time since the recording began.
  var at: Duration
  var what: What
}

/// The steps of a cassette's sessions, in order of time.
struct SessionScript: ~Copyable {
  private var source: RecordSource
  private var cutter: ChunkCutter
  private var ready: [SessionStep] = []
  private var readyIndex = 0
  private var elapsed: Int64 = 0
  private var isRecording = false
  private var exchangeIsOpen = false
  private var isAtEnd = false
  private var lookedAhead: CassetteRecord?

  init(_ source: consuming RecordSource, plan: ChunkBoundaryPlan) {
    self.source = source
    cutter = ChunkCutter(plan: plan)
  }

  /// The next step without taking it.
  mutating func peek() throws(CassetteError) -> SessionStep? {
    while readyIndex == ready.count, !isAtEnd { try read() }
    return readyIndex < ready.count ? ready[readyIndex] : nil
  }

  /// Takes the next step; `nil` at the end.
  mutating func next() throws(CassetteError) -> SessionStep? {
    guard let step = try peek() else { return nil }
    readyIndex += 1
    if readyIndex == ready.count {
      ready.removeAll(keepingCapacity: true)
      readyIndex = 0
    }
    return step
  }

  private mutating func nextRecord() throws(CassetteError) -> CassetteRecord? {
    if let record = lookedAhead {
      lookedAhead = nil
      return record
    }
    return try source.next()
  }

  private mutating func read() throws(CassetteError) {
    guard let record = try nextRecord() else {
      isAtEnd = true
      if isRecording { endRecording(isFinished: false) }
      return
    }
    if let delay = record.delay {
      let (sum, overflow) = elapsed.addingReportingOverflow(delay)
      elapsed = overflow ? .max : sum
    }
    let now = Duration.microseconds(elapsed)
    switch record {
    case .header(let header):
      if isRecording { endRecording(isFinished: false) }
      isRecording = true
      elapsed = 0
      ready.append(SessionStep(at: .zero, what: .recording(header)))
    case .request(let request):
      var body: [UInt8] = []
      while let next = try source.next() {
        guard case .requestBody(let bytes) = next else {
          lookedAhead = next
          break
        }
        body += bytes
      }
      exchangeIsOpen = true
      ready.append(SessionStep(at: now, what: .request(request, body: body)))
    case .requestBody, .unknown: break
    case .response(let response): ready.append(SessionStep(at: now, what: .response(response)))
    case .chunk(let chunk):
      for piece in cutter.append(chunk.bytes, at: now) {
        ready.append(SessionStep(at: piece.at, what: .piece(piece.bytes)))
      }
    case .note(let note):
      // What came before a note must be known before it, however the plan would cut: the client may close for it.
      if let piece = cutter.flush() { ready.append(SessionStep(at: piece.at, what: .piece(piece.bytes))) }
      ready.append(SessionStep(at: now, what: .note(note)))
    case .end(let end):
      endExchange()
      ready.append(SessionStep(at: now, what: .end(end)))
    case .trailer: endRecording(isFinished: true)
    }
  }

  private mutating func endExchange() {
    if exchangeIsOpen, let last = cutter.endExchange() {
      ready.append(SessionStep(at: last.at, what: .piece(last.bytes)))
    }
    exchangeIsOpen = false
  }

  private mutating func endRecording(isFinished: Bool) {
    endExchange()
    isRecording = false
    ready.append(SessionStep(at: .microseconds(elapsed), what: .recordingEnded(isFinished: isFinished)))
  }
}
