// A whole cassette in memory, for tests and for small ones. Everything large goes through CassetteReader instead.

/// A cassette in memory: its records, and the exchanges that they make.
public struct Cassette: Hashable, Sendable {
  /// One request and what came of it.
  public struct Exchange: Hashable, Sendable {
    /// The recording it belongs to, from 0: joined cassettes have several.
    public var recording: Int
    /// Microseconds from the beginning of its recording to its request.
    public var startedAt: Int64
    /// The request.
    public var request: Request
    /// The request's body.
    public var requestBody: [UInt8]
    /// The response head; `nil` if none came. Its delay counts from the request: notes between are added in.
    public var response: Response?
    /// The chunks. Each delay counts from the record of this exchange before: notes between are added in.
    public var chunks: [Chunk]
    /// The end; `nil` in a recording that was cut off. Its delay counts as the chunks' do.
    public var end: End?

    /// The joined bytes of the chunks.
    public var body: [UInt8] {
      var body: [UInt8] = []
      body.reserveCapacity(chunks.reduce(0) { $0 + $1.bytes.count })
      for chunk in chunks { body += chunk.bytes }
      return body
    }
  }

  /// A note with its time.
  public struct TimedNote: Hashable, Sendable {
    /// The recording it belongs to, from 0.
    public var recording: Int
    /// Microseconds from the beginning of its recording.
    public var at: Int64
    /// How many exchanges of the cassette had begun before it.
    public var exchangesBefore: Int
    /// The note.
    public var note: Note
  }

  /// All records in order.
  public private(set) var records: [CassetteRecord]
  /// The headers, one for each recording; at least one.
  public private(set) var headers: [Header] = []
  /// The exchanges of all recordings in order.
  public private(set) var exchanges: [Exchange] = []
  /// The notes of all recordings in order.
  public private(set) var notes: [TimedNote] = []
  /// Whether it ends with a trailer.
  public private(set) var isFinished: Bool
  /// The reader's last word.
  public private(set) var status: CassetteReader.Status

  /// The header of the first recording.
  public var header: Header { headers[0] }

  /// What was masked in all recordings: their trailers' word where there is one, else their headers'.
  public var redaction: Redaction? { Self.redaction(of: records) }

  /// Reads a file; `-` is standard input.
  ///
  /// - Throws: ``CassetteError``.
  public init(contentsOf path: String, limits: CassetteLimits = .default) throws(CassetteError) {
    var reader = try CassetteReader(contentsOf: path, limits: limits)
    try self.init(from: &reader)
  }

  /// Reads from bytes.
  ///
  /// - Throws: ``CassetteError``.
  public init(
    bytes: [UInt8], name: String? = nil, limits: CassetteLimits = .default
  ) throws(CassetteError) {
    var reader = try CassetteReader(bytes: bytes, name: name, limits: limits)
    try self.init(from: &reader)
  }

  /// Reads all that is left in a reader.
  ///
  /// - Throws: ``CassetteError``.
  public init(from reader: inout CassetteReader) throws(CassetteError) {
    records = []
    isFinished = false
    status = .reading
    var at: Int64 = 0  // the last record of the open exchange
    var held = 0
    while let record = try reader.next() {
      held += Self.memory(of: record, payloadLength: reader.payloadLength)
      guard held <= reader.limits.held else {
        throw CassetteError(
          .overLimit, file: reader.name,
          "more than \(reader.limits.held >> 20) MiB of memory for the whole cassette; take a part of it")
      }
      records.append(record)
      let now = reader.elapsed
      let recording = reader.recordings - 1
      switch record {
      case .header(let header): headers.append(header)
      case .request(let request):
        exchanges.append(
          Exchange(
            recording: recording, startedAt: now, request: request, requestBody: [], response: nil,
            chunks: [],
            end: nil))
        at = now
      case .requestBody(let bytes): exchanges[exchanges.count - 1].requestBody += bytes
      case .response(var response):
        response.delay = now - at
        at = now
        exchanges[exchanges.count - 1].response = response
      case .chunk(var chunk):
        chunk.delay = now - at
        at = now
        exchanges[exchanges.count - 1].chunks.append(chunk)
      case .end(var end):
        end.delay = now - at
        at = now
        exchanges[exchanges.count - 1].end = end
      case .note(let note):
        notes.append(TimedNote(recording: recording, at: now, exchangesBefore: exchanges.count, note: note))
      case .trailer, .unknown: break
      }
    }
    isFinished = reader.isFinished
    status = reader.status
  }

  /// About how much memory a record takes here, in bytes.
  private static func memory(of record: CassetteRecord, payloadLength: Int) -> Int {
    // Twice: among the records and in its exchange, which share a chunk's bytes. An allocation has a head of 32 bytes.
    let places = MemoryLayout<CassetteRecord>.stride + MemoryLayout<Chunk>.stride + 32
    if case .chunk = record { return places + payloadLength }
    // A value of JSON has 16 bytes and more, and two characters are enough to write one.
    return places + 512 + payloadLength * 8
  }

  /// Writes all records to a file.
  ///
  /// - Throws: ``CassetteError``.
  public func write(to path: String, overwriting: Bool = false, level: Int = 6) throws(CassetteError) {
    var writer = try CassetteWriter(creating: path, overwriting: overwriting, level: level)
    for record in records { try writer.write(record) }
    try writer.close()
  }

  /// What was masked according to records.
  static func redaction(of records: [CassetteRecord]) -> Redaction? {
    var masked = MaskedSoFar()
    for record in records { masked.note(record) }
    return masked.total
  }

  /// What was masked according to the records noted: each recording's trailer where there is one, else its header.
  package struct MaskedSoFar {
    private var all: Redaction?
    /// Not in `all` yet: counts in a trailer hold those of its header.
    private var ofHeader: Redaction?

    package init() {}

    package mutating func note(_ record: CassetteRecord) {
      switch record {
      case .header(let header):
        all = all.merged(with: ofHeader)
        ofHeader = header.redaction
      case .trailer(let trailer):
        all = all.merged(with: trailer.redaction ?? ofHeader)
        ofHeader = nil
      default: break
      }
    }

    package var total: Redaction? { all.merged(with: ofHeader) }
  }
}

extension Cassette.Trailer {
  /// What was masked in the whole recording, if the trailer says so.
  public var redaction: Cassette.Redaction? {
    guard case .object(let object)? = other["redaction"] else { return nil }
    return try? CassetteFormats.written.redaction(object)
  }
}

extension Cassette.Redaction? {
  /// Both records in one: names united, counts added.
  package func merged(with next: Cassette.Redaction?) -> Cassette.Redaction? {
    guard var merged = self else { return next }
    guard let next else { return self }
    merged.headers = Set(merged.headers).union(next.headers).sorted()
    merged.query = Set(merged.query).union(next.query).sorted()
    merged.keys = Set(merged.keys).union(next.keys).sorted()
    merged.echoes = merged.echoes.addingReportingOverflow(next.echoes).partialValue
    merged.matches = merged.matches.addingReportingOverflow(next.matches).partialValue
    merged.unsearched = merged.unsearched.addingReportingOverflow(next.unsearched).partialValue
    return merged
  }
}
