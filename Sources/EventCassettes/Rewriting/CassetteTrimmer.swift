// What a trimmed cassette keeps: a stretch of time, one exchange, or a run of events. A pure filter over records: times
// of what is kept stay what they were to each other, heads of an exchange go with its first kept chunk.

import ServerSentEvents

/// Keeps a part of a cassette.
public struct CassetteTrimmer {
  /// Which part.
  public struct Selection: Hashable, Sendable {
    /// From this time of a recording on, in microseconds; `nil` for its beginning.
    public var from: Int64?
    /// Up to this time of a recording, in microseconds; `nil` for its end. What is open then ends as cancelled.
    public var to: Int64?
    /// Only this exchange, counted from 1 over the whole cassette.
    public var exchange: Int?
    /// Only the bytes of these events, counted from 1 over the whole cassette. Chunks are cut where they begin and end;
    /// what an event inherits (the last event ID) is not carried over.
    public var events: ClosedRange<Int>?

    /// Creates a selection; several conditions must all hold.
    public init(from: Int64? = nil, to: Int64? = nil, exchange: Int? = nil, events: ClosedRange<Int>? = nil) {
      self.from = from
      self.to = to
      self.exchange = exchange
      self.events = events
    }
  }

  private let selection: Selection
  private var elapsed: Int64 = 0  // of the recording read
  private var last: Int64?  // time of the last record kept of this recording
  private var exchanges = 0
  private var isKept = false  // the open exchange's head was put out
  private var isOpen = false
  /// Whether an exchange was put out, whole or in part.
  private(set) var hasKept = false
  private var head: [(record: CassetteRecord, at: Int64)] = []
  private var parser = EventStreamParser()
  private var events = 0

  /// Creates a trimmer.
  public init(_ selection: Selection) { self.selection = selection }

  /// Takes a record in and appends what is kept of it to `output`.
  public mutating func take(_ record: CassetteRecord, into output: inout [CassetteRecord]) {
    if let delay = record.delay {
      let (sum, overflow) = elapsed.addingReportingOverflow(delay)
      elapsed = overflow ? .max : sum
    }
    switch record {
    case .header, .trailer:
      elapsed = 0
      last = nil
      output.append(record)
    case .request:
      exchanges += 1
      isOpen = true
      isKept = false
      head = [(record, elapsed)]
      parser = EventStreamParser()
    case .requestBody, .response: takeHead(record, into: &output)
    case .chunk(let chunk): take(chunk, into: &output)
    case .end(let end):
      if isWanted, !isKept, selection.events == nil, isBegun, !isOver(head.first?.at ?? elapsed) {
        keepHead(into: &output)
      }
      if isKept, isOver(elapsed) {
        cut(into: &output)
      } else if isKept {
        put(.end(end), at: elapsed, into: &output)
      }
      isOpen = false
      isKept = false
      head = []
    case .note, .unknown:
      if isOpen, !isKept {
        takeHead(record, into: &output)
      } else if isOpen || (selection.exchange == nil && selection.events == nil), isBegun, !isOver(elapsed) {
        put(record, at: elapsed, into: &output)
      }
    }
  }

  private var isWanted: Bool { selection.exchange.map { $0 == exchanges } ?? true }
  private var isBegun: Bool { elapsed >= selection.from ?? 0 }
  private func isOver(_ time: Int64) -> Bool { selection.to.map { time > $0 } ?? false }

  /// Heads wait until something of their exchange is kept.
  private mutating func takeHead(_ record: CassetteRecord, into output: inout [CassetteRecord]) {
    if isKept {
      put(record, at: elapsed, into: &output)
    } else {
      head.append((record, elapsed))
    }
  }

  private mutating func take(_ chunk: Cassette.Chunk, into output: inout [CassetteRecord]) {
    guard isWanted else { return }
    var bytes = chunk.bytes
    if let wanted = selection.events { bytes = part(of: bytes, in: wanted) }
    if bytes.isEmpty || !isBegun { return }
    if isOver(elapsed) {
      if isKept { cut(into: &output) }
      return
    }
    if !isKept { keepHead(into: &output) }
    put(.chunk(Cassette.Chunk(delay: 0, bytes: bytes)), at: elapsed, into: &output)
  }

  /// The bytes that belong to wanted events: each event's from behind the one before to its dispatch.
  private mutating func part(of bytes: [UInt8], in wanted: ClosedRange<Int>) -> [UInt8] {
    var kept: [UInt8] = []
    let origin = parser.bytesConsumed
    var start = 0
    var events = events
    func keep(to end: Int) {
      if wanted.contains(events + 1) { kept += bytes[start..<end] }
      start = end
    }
    parser.visit(bytes.span) { visit, _, _, _ in
      guard case .event(_, _, let offset) = visit else { return }
      keep(to: offset - origin)
      events += 1
    }
    keep(to: bytes.count)
    self.events = events
    return kept
  }

  /// The exchange goes on behind the end of the selection.
  private mutating func cut(into output: inout [CassetteRecord]) {
    put(.end(Cassette.End(cause: .cancelled, detail: "trimmed")), at: selection.to ?? elapsed, into: &output)
    isKept = false
    isOpen = false
  }

  private mutating func keepHead(into output: inout [CassetteRecord]) {
    isKept = true
    hasKept = true
    for (record, at) in head { put(record, at: max(at, selection.from ?? 0), into: &output) }
    head = []
  }

  private mutating func put(_ record: CassetteRecord, at time: Int64, into output: inout [CassetteRecord]) {
    var record = record
    if record.delay != nil {
      record.delay = last.map { max(0, time - $0) } ?? 0
      last = max(time, last ?? time)
    }
    output.append(record)
  }
}

extension CassetteRewriting {
  /// Keeps a part of a cassette and ends the writer.
  ///
  /// - Parameters:
  ///   - reader: the cassette.
  ///   - writer: where the part goes.
  ///   - selection: which part.
  ///   - allowsNothing: whether a part without an exchange is one; else it is an error, `nothingSelected`.
  /// - Returns: whether the cassette was finished; an unfinished one stays so.
  /// - Throws: ``CassetteError``.
  @discardableResult
  public static func trim(
    from reader: inout CassetteReader, to writer: inout CassetteWriter,
    _ selection: CassetteTrimmer.Selection,
    allowsNothing: Bool = true
  ) throws(CassetteError) -> Bool {
    var trimmer = CassetteTrimmer(selection)
    var output: [CassetteRecord] = []
    while let record = try reader.next() {
      trimmer.take(record, into: &output)
      for record in output { try writer.write(record) }
      output.removeAll(keepingCapacity: true)
    }
    guard trimmer.hasKept || allowsNothing else {
      throw CassetteError(.nothingSelected, "nothing lies in the part asked for")
    }
    try writer.close()
    return reader.isFinished
  }
}
