// Facts of connections into records: delays out of stamps, redirect hops as exchanges, flushes by the clock that the
// stamps come from. It is given every moment and asks no clock itself.

public import ServerSentEvents

/// Records connections onto one cassette, one after the other.
///
/// Stamps are monotonic times of one clock that runs on during sleep; a stamp before the last one counts as the last
/// one. A connection that begins while another one is open closes that one as cancelled.
public struct CassetteRecorder: ~Copyable {
  /// The longest time for which something written waits before it is flushed to the file.
  public static let flushInterval = Duration.milliseconds(250)

  private var writer: CassetteWriter
  private var filter: RedactionFilter?
  private var header: Cassette.Header?  // until it is handed on with the first record
  private var records: [CassetteRecord] = []  // reused for each step
  private var last: Int64?
  private var lastFlush: Duration?
  private var isOpen = false
  private var hasResponse: Bool { status != nil }
  /// Of the open exchange's response.
  private var status: Int?

  /// Begins a recording. The header is written with the first record after it.
  ///
  /// - Parameters:
  ///   - writer: where to.
  ///   - header: the recording's header; ``Cassette/Header/timestamp(unixSeconds:)`` gives its `recordedAt`.
  ///   - redaction: what is masked; `nil` for nothing.
  /// - Throws: ``CassetteError`` `badRule`.
  public init(
    to writer: consuming CassetteWriter, header: Cassette.Header, redaction: RedactionRules? = .standard
  ) throws(CassetteError) {
    let filter = try redaction.map { (rules) throws(CassetteError) in try RedactionFilter(rules: rules) }
    self.writer = writer
    self.filter = filter
    self.header = header
  }

  /// Whether an exchange is open.
  public var exchangeIsOpen: Bool { isOpen }
  /// The totals of what was written; held-back bytes are not in them.
  public var totals: Cassette.Trailer { writer.totals }
  /// Compressed bytes that left for the file.
  public var bytesWritten: Int { writer.bytesWritten }
  /// What a recorder to memory wrote so far.
  public var bytes: [UInt8] { writer.bytes }
  /// What was masked so far.
  public var redaction: Cassette.Redaction? { filter?.redaction }
  /// When ``flushIfDue(at:)`` should be called next; `nil` if nothing waits.
  public var flushDeadline: Duration? {
    writer.hasPending ? (lastFlush ?? .zero) + Self.flushInterval : nil
  }

  /// Records a request: a connection attempt begins.
  public mutating func begin(_ request: EventStreamRequest, at: Duration) throws(CassetteError) {
    if isOpen { try end(.cancelled, detail: "another request began", at: at) }
    add(
      .request(
        Cassette.Request(delay: delay(at), method: request.method, url: request.url, headers: request.headers)
      ))
    // A body of any size fits: a record holds at most 64 MiB, and small pieces keep memory small.
    var start = 0
    while start < request.body.count {
      let end = min(start + (1 << 20), request.body.count)
      add(.requestBody(Array(request.body[start..<end])))
      start = end
    }
    isOpen = true
    status = nil
    try write(at: at)
  }

  /// Records what became known of the open connection. Facts outside one are left out, 1xx answers too.
  public mutating func record(_ fact: StampedTransportFact) throws(CassetteError) {
    if !isOpen { return }
    switch fact.fact {
    case .response(let response): try record(response, at: fact.at)
    case .redirect(let response, let request):
      try record(response, at: fact.at)
      try end(.complete, detail: "redirect", at: fact.at)
      try begin(request, at: fact.at)
    case .bytes(let bytes): try recordBytes(bytes, at: fact.at)
    case .ended(let cause, let detail): try end(cause, detail: detail, at: fact.at)
    }
  }

  private mutating func record(_ response: EventStreamResponse, at: Duration) throws(CassetteError) {
    if (100..<200).contains(response.status), response.status != 101 { return }
    if hasResponse {
      return try note(
        Cassette.Note.Event(rawValue: "secondResponse"), ["status": .integer(Int64(response.status))], at: at)
    }
    add(
      .response(
        Cassette.Response(
          delay: delay(at), status: max(response.status, 0), headers: response.headers,
          decoded: response.contentDecoded)))
    status = response.status
    try write(at: at)
  }

  private mutating func recordBytes(_ bytes: [UInt8], at: Duration) throws(CassetteError) {
    if bytes.isEmpty { return }
    if !hasResponse {
      let other: JSONObject = ["bytes": .integer(Int64(bytes.count))]
      return try note(Cassette.Note.Event(rawValue: "bytesBeforeResponse"), other, at: at)
    }
    let delay = delay(at)
    let most = CassetteLimits.record - 16
    if bytes.count <= most {
      add(.chunk(Cassette.Chunk(delay: delay, bytes: bytes)))
    } else {
      // No transport delivers this much at once; if one does, it is kept, cut at the format's limit.
      for start in stride(from: 0, to: bytes.count, by: most) {
        let piece = Array(bytes[start..<min(start + most, bytes.count)])
        add(.chunk(Cassette.Chunk(delay: start == 0 ? delay : 0, bytes: piece)))
      }
    }
    try write(at: at)
  }

  private mutating func end(_ cause: ConnectionEnd, detail: String, at: Duration) throws(CassetteError) {
    // An answer that has no body is complete with its head, whoever is quicker to close.
    let isComplete = cause == .cancelled && status == 204
    add(
      .end(
        Cassette.End(
          delay: delay(at), cause: isComplete ? .complete : cause, detail: isComplete ? "" : detail)))
    isOpen = false
    try write(at: at)
  }

  /// Records a note, in an exchange or between two.
  public mutating func note(
    _ event: Cassette.Note.Event, _ other: JSONObject = [:], at: Duration
  ) throws(CassetteError) {
    add(.note(Cassette.Note(delay: delay(at), event: event, other: other)))
    try write(at: at)
  }

  /// Ends the recording: an open connection counts as cancelled, and the trailer is written.
  @discardableResult
  public mutating func finish(at: Duration) throws(CassetteError) -> Cassette.Trailer {
    if isOpen { try end(.cancelled, detail: "the recording ended", at: at) }
    add(.trailer(Cassette.Trailer()))
    try write(at: at)
    return writer.totals
  }

  /// Flushes if something has waited for ``flushInterval``.
  public mutating func flushIfDue(at: Duration) throws(CassetteError) {
    guard writer.hasPending else { return }
    if let lastFlush, at < lastFlush + Self.flushInterval { return }
    try writer.flush()
    lastFlush = at
  }

  /// Keeps everything in memory until ``release()``, so that an old file stays while there may come nothing new.
  package mutating func hold() { writer.isHeld = true }

  /// Ends holding.
  package mutating func release() throws(CassetteError) { try writer.release() }

  /// Removes the file: nothing worth keeping was recorded.
  public mutating func discard() { writer.discard() }

  // MARK: Steps

  private mutating func add(_ record: CassetteRecord) {
    if let header {
      self.header = nil
      add(.header(header))
    }
    if filter == nil { records.append(record) } else { filter?.take(record, into: &records) }
  }

  private mutating func write(at: Duration) throws(CassetteError) {
    defer { records.removeAll(keepingCapacity: true) }
    for record in records { try writer.write(record) }
    try flushIfDue(at: at)
  }

  /// Microseconds since the last record; differences of whole microseconds, so that rounding never adds up.
  private mutating func delay(_ at: Duration) -> Int64 {
    let now = Self.microseconds(at)
    guard let last else {
      last = now
      return 0
    }
    if now <= last { return 0 }
    self.last = now
    let (difference, overflow) = now.subtractingReportingOverflow(last)
    return overflow ? .max : difference
  }

  /// Whole microseconds, rounded down; saturates.
  static func microseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let rest = attoseconds / 1_000_000_000_000 - (attoseconds % 1_000_000_000_000 < 0 ? 1 : 0)
    let (sum, overflowed) = product.addingReportingOverflow(rest)
    return overflowed ? (seconds < 0 ? .min : .max) : sum
  }
}
