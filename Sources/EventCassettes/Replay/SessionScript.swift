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
    indirect case recording(Cassette.Header)
    indirect case request(Cassette.Request, body: [UInt8])
    indirect case response(Cassette.Response)
    /// A piece of the body, cut by the plan; may be empty.
    case piece([UInt8])
    indirect case note(Cassette.Note)
    indirect case end(Cassette.End)
    /// The recording's trailer, or the end of a file without one. Always comes after a `recording`.
    case recordingEnded(isFinished: Bool)
  }

  /// A step without what it carries: enough to tell whose turn it is, and nothing to copy.
  struct Head: Sendable {
    enum Kind: Sendable { case recording, request, response, piece, note, end, recordingEnded }

    var at: Duration
    var kind: Kind
  }

  /// Time since the recording began.
  var at: Duration
  var what: What
}

/// The steps of a cassette's sessions, in order of time.
struct SessionScript: ~Copyable {
  private var source: RecordSource
  private var cutter: ChunkCutter
  private var ready: [SessionStep?] = []  // nil where it was taken
  private var heads: [SessionStep.Head] = []
  private var readyIndex = 0
  private var elapsed: Int64 = 0
  private var isRecording = false
  private var exchangeIsOpen = false
  private var isAtEnd = false
  private var lookedAhead: CassetteRecord?
  /// What is not cut yet of the chunk read last. A chunk may be large and its pieces many: they are made as they are asked
  /// for.
  private var uncut: (bytes: ArraySlice<UInt8>, at: Duration)?

  /// So many bytes of a chunk are cut in one go.
  private static let stretch = 16 << 10

  init(_ source: consuming RecordSource, plan: ChunkBoundaryPlan) {
    self.source = source
    cutter = ChunkCutter(plan: plan)
  }

  /// What comes next, without taking it.
  mutating func peek() throws(CassetteError) -> SessionStep.Head? {
    while readyIndex == ready.count, !isAtEnd { try read() }
    return readyIndex < ready.count ? heads[readyIndex] : nil
  }

  /// Takes the next step; `nil` at the end.
  mutating func next() throws(CassetteError) -> SessionStep? {
    guard try peek() != nil else { return nil }
    let step = ready[readyIndex].take()
    readyIndex += 1
    if readyIndex == ready.count {
      ready.removeAll(keepingCapacity: true)
      heads.removeAll(keepingCapacity: true)
      readyIndex = 0
    }
    return step
  }

  private mutating func add(_ what: SessionStep.What, at: Duration) {
    heads.append(SessionStep.Head(at: at, kind: what.kind))
    ready.append(SessionStep(at: at, what: what))
  }

  private mutating func nextRecord() throws(CassetteError) -> CassetteRecord? {
    if let record = lookedAhead {
      lookedAhead = nil
      return record
    }
    return try source.next()
  }

  private mutating func read() throws(CassetteError) {
    if uncut != nil { return cutNext() }
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
      add(.recording(header), at: .zero)
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
      add(.request(request, body: body), at: now)
    case .requestBody, .unknown: break
    case .response(let response): add(.response(response), at: now)
    case .chunk(let chunk):
      if cutter.passes(chunk.bytes) { return add(.piece(chunk.bytes), at: now) }
      if chunk.bytes.count <= Self.stretch {
        for piece in cutter.append(chunk.bytes, at: now) { add(.piece(piece.bytes), at: piece.at) }
      } else {
        uncut = (chunk.bytes[...], now)
        cutNext()
      }
    case .note(let note):
      // What came before a note must be known before it, however the plan would cut: the client may close for it.
      if let piece = cutter.flush() { add(.piece(piece.bytes), at: piece.at) }
      add(.note(note), at: now)
    case .end(let end):
      endExchange()
      add(.end(end), at: now)
    case .trailer: endRecording(isFinished: true)
    }
  }

  /// Cuts the next stretch of a long chunk.
  private mutating func cutNext() {
    guard let (bytes, at) = uncut else { return }
    let stretch = bytes.prefix(Self.stretch)
    let rest = bytes.dropFirst(stretch.count)
    uncut = rest.isEmpty ? nil : (rest, at)
    for piece in cutter.append(Array(stretch), at: at) { add(.piece(piece.bytes), at: piece.at) }
  }

  private mutating func endExchange() {
    if exchangeIsOpen, let last = cutter.endExchange() {
      add(.piece(last.bytes), at: last.at)
    }
    exchangeIsOpen = false
  }

  private mutating func endRecording(isFinished: Bool) {
    endExchange()
    isRecording = false
    add(.recordingEnded(isFinished: isFinished), at: .microseconds(elapsed))
  }
}

extension SessionStep.What {
  fileprivate var kind: SessionStep.Head.Kind {
    switch self {
    case .recording: .recording
    case .request: .request
    case .response: .response
    case .piece: .piece
    case .note: .note
    case .end: .end
    case .recordingEnded: .recordingEnded
    }
  }
}
