// A recording that runs beside an app: a queue in front, one actor that owns the recorder and its file, a timer for
// flushes. It never holds up whoever is recorded; a failure to write ends the recording and not the app's stream.

public import ServerSentEvents

/// Records the connections of one or more transports onto one cassette, off the callers' threads.
///
/// Wrap a transport with ``transport(around:)``, add lifecycle notes with ``note(_:_:)``, end with ``finish()``. A
/// cassette holds one exchange at a time: a connection that begins while another is open closes that one on the
/// cassette (not in the app).
public actor CassetteRecording {
  private var recorder: CassetteRecorder
  private let queue: RecordingQueue
  private let clock: any EventStreamClock
  private var current: RecordedConnection?
  private var draining: Task<Void, Never>?
  private var flushing: Task<Void, Never>?
  /// Why recording ended early, if it did: nothing more is written, all that was written is kept.
  public private(set) var failure: CassetteError?

  /// Begins a recording into a new file.
  ///
  /// - Parameters:
  ///   - path: where.
  ///   - overwriting: whether an existing file may be replaced; else it is an error.
  ///   - header: the recording's header.
  ///   - redaction: what is masked; `nil` for nothing.
  ///   - level: zlib's level, 0…9.
  ///   - queueLimit: about how many bytes may wait for the disk before chunks are left out and an `overflow` note
  ///     says how many.
  ///   - clock: the clock that the recorded transports take their stamps from.
  /// - Throws: ``CassetteError``.
  public init(
    creating path: String, overwriting: Bool = false, header: Cassette.Header,
    redaction: RedactionRules? = .standard, level: Int = 6, queueLimit: Int = 8 << 20,
    clock: any EventStreamClock = SystemEventStreamClock()
  ) throws(CassetteError) {
    let writer = try CassetteWriter(creating: path, overwriting: overwriting, level: level)
    try self.init(
      CassetteRecorder(to: writer, header: header, redaction: redaction), queueLimit: queueLimit, clock: clock
    )
  }

  /// Begins a recording into memory: ``bytes`` has it.
  public init(
    inMemory header: Cassette.Header, redaction: RedactionRules? = .standard, level: Int = 6,
    queueLimit: Int = 8 << 20, clock: any EventStreamClock = SystemEventStreamClock()
  ) throws(CassetteError) {
    let writer = try CassetteWriter(inMemoryAtLevel: level)
    try self.init(
      CassetteRecorder(to: writer, header: header, redaction: redaction), queueLimit: queueLimit, clock: clock
    )
  }

  private init(_ recorder: consuming sending CassetteRecorder, queueLimit: Int, clock: any EventStreamClock) {
    self.recorder = recorder
    queue = RecordingQueue(limit: queueLimit)
    self.clock = clock
  }

  deinit {
    // The task that takes from the queue ends with it.
    let queue = queue
    Task { await queue.close() }
  }

  /// What a recording into memory wrote so far.
  public var bytes: [UInt8] { recorder.bytes }

  /// What was masked so far; `nil` if nothing is to be.
  package var redaction: Cassette.Redaction? { recorder.redaction }

  /// A transport that does what `base` does and records it here.
  public nonisolated func transport(around base: some EventStreamTransport) -> RecordingTransport {
    RecordingTransport(around: base, recording: self, clock: clock, recordsFirst: false)
  }

  /// The same for who finishes the recording as soon as the client has seen the last fact.
  package nonisolated func transport(
    around base: any EventStreamTransport, recordingFirst: Bool
  ) -> RecordingTransport {
    RecordingTransport(around: base, recording: self, clock: clock, recordsFirst: recordingFirst)
  }

  /// Adds a note, such as `background` or `networkLost`, at the present time.
  public nonisolated func note(_ event: Cassette.Note.Event, _ other: JSONObject = [:]) async {
    await offer(.note(event, other, at: clock.now))
  }

  /// A connection attempt begins; for those who see connections without making them.
  package nonisolated func begin(
    _ connection: RecordedConnection, _ request: EventStreamRequest, at: Duration
  ) async {
    await offer(.begin(connection, request, at: at))
  }

  /// What became known of a connection that began here.
  package nonisolated func record(_ fact: StampedTransportFact, of connection: RecordedConnection) async {
    await offer(.fact(connection, fact))
  }

  /// A note of a moment that has passed.
  package nonisolated func note(_ event: Cassette.Note.Event, _ other: JSONObject, at: Duration) async {
    await offer(.note(event, other, at: at))
  }

  /// Puts an item into the queue; returns without waiting for anything to be written.
  nonisolated func offer(_ item: RecordingQueue.Item) async {
    // Only the first time: later this would wait while the actor is writing.
    if await queue.offer(item) { await start() }
  }

  /// Ends the recording once everything that was offered before is written: trailer, totals.
  ///
  /// - Throws: ``CassetteError``; the first failure of writing if there was one.
  @discardableResult
  public func finish() async throws(CassetteError) -> Cassette.Trailer {
    await queue.close()
    start()
    await draining?.value
    flushing?.cancel()
    if let failure { throw failure }
    return try recorder.finish(at: clock.now)
  }

  private func start() {
    if draining != nil { return }
    let queue = queue
    draining = Task { [weak self] in
      while let items = await queue.take() {
        guard let self else { return }
        await self.write(items)
      }
    }
  }

  private func write(_ items: [RecordingQueue.Item]) {
    if failure != nil { return }
    do {
      for item in items {
        switch item {
        case .begin(let connection, let request, let at):
          current = connection
          try recorder.begin(request, at: at)
        case .fact(let connection, let fact):
          if current === connection { try recorder.record(fact) }
        case .note(let event, let other, let at): try recorder.note(event, other, at: at)
        }
      }
    } catch {
      failure = error
    }
    scheduleFlush()
  }

  private func scheduleFlush() {
    guard flushing == nil, failure == nil, let deadline = recorder.flushDeadline else { return }
    let clock = clock
    flushing = Task { [weak self] in
      // Cancelled only when the recording is finished: then everything is written anyway.
      guard (try? await clock.sleep(until: deadline)) != nil else { return }
      await self?.flush(at: clock.now)
    }
  }

  private func flush(at now: Duration) {
    flushing = nil
    if failure != nil { return }
    do {
      try recorder.flushIfDue(at: now)
    } catch {
      failure = error
    }
    scheduleFlush()
  }
}
