// Records into gzip members into a file or an array. The writer decides nothing about time: its caller says when to
// flush. Rewriting never flushes, so equal records at an equal level are equal bytes. Buffers are reused; nothing is
// allocated for a chunk.

/// Writes one cassette, record by record, in constant memory.
///
/// A writer that failed stays failed: everything that it wrote before is kept and reads as an unfinished recording. A
/// file that holds no whole header yet is removed: it would be no cassette, and in the way of the next try.
public struct CassetteWriter: ~Copyable, @unchecked Sendable {
  // @unchecked: the deflater holds a pointer, which this value, never copied, alone owns and uses.

  /// The inflated size from which a member is closed.
  static let memberSize = 256 << 10
  /// Records are handed to zlib in pieces of about this size.
  private static let stagingSize = 32 << 10
  /// How many compressed bytes are held at most; what is longer goes to the file meanwhile.
  static let mostHeld = 32 << 20

  private var deflater: Deflater
  private var file: CassetteFile?
  private var sequence = RecordSequence()
  /// Records that zlib hasn't got yet: the first `staged` bytes of a room that seldom grows.
  private var staging = [UInt8](repeating: 0, count: 2 * stagingSize)
  private var staged = 0
  private var output: [UInt8] = []
  private var memberIsOpen = false
  private var memberLength = 0
  private var memberCRC: UInt32 = 0
  private var hasUnflushed = false
  private var failure: CassetteError? { didSet { isFailed = failure != nil } }
  private var isFailed = false  // looking at a large optional copies it, and this is asked for every chunk
  private let level: Int
  /// Whether what is written stays in memory until ``release()`` or ``close()``, as far as ``mostHeld`` reaches: so an
  /// old file stays as it was when its overwriting comes to nothing.
  package var isHeld = false

  /// What was written so far by a writer to memory; empty for one to a file.
  public private(set) var bytes: [UInt8] = []
  /// How many compressed bytes left the writer.
  public private(set) var bytesWritten = 0

  /// Creates a cassette file, mode 0600.
  ///
  /// - Parameters:
  ///   - path: where.
  ///   - overwriting: whether an existing file may be replaced; else it is an error.
  ///   - level: zlib's level, 0…9.
  /// - Throws: ``CassetteError`` `exists`, `inUse`, `cannotOpen`, `noSpace`.
  public init(creating path: String, overwriting: Bool = false, level: Int = 6) throws(CassetteError) {
    let deflater = try Deflater(level: level)
    let file = try CassetteFile.create(path, overwriting: overwriting)
    self.deflater = deflater
    self.file = consume file
    self.level = level
  }

  /// Replaces a cassette file, or creates one: an old one stays as it is until ``release()``.
  package init(replacing path: String, level: Int = 6) throws(CassetteError) {
    let deflater = try Deflater(level: level)
    let file = try CassetteFile.create(replacing: path)
    isHeld = !file.isAside
    self.deflater = deflater
    self.file = consume file
    self.level = level
  }

  /// Writes to memory, for tests and small cassettes: the result is in ``bytes``.
  public init(inMemoryAtLevel level: Int = 6) throws(CassetteError) {
    deflater = try Deflater(level: level)
    file = nil
    self.level = level
  }

  /// The totals of the present recording so far.
  public var totals: Cassette.Trailer { sequence.totals }
  /// Whether an exchange is open.
  public var exchangeIsOpen: Bool { sequence.isOpen }
  /// Whether a recording was begun and has no trailer yet.
  public var recordingIsOpen: Bool { sequence.state != .start && sequence.state != .ended }
  /// Whether something was written that a kill would lose: call ``flush()`` in time.
  public var hasPending: Bool { hasUnflushed }

  /// Writes a record. A trailer gets this writer's own totals; of the one given only the other members count.
  ///
  /// - Throws: ``CassetteError`` `outOfOrder`, `overLimit`, `closed`, `noSpace`, `inputOutput`. The first two leave the
  ///   cassette as it was.
  public mutating func write(_ record: CassetteRecord) throws(CassetteError) {
    switch record {
    case .chunk(let chunk): try writeChunk(delay: chunk.delay, chunk.bytes, 0..<chunk.bytes.count)
    case .requestBody(let bytes): try writeBinary(RecordKind.requestBody, bytes)
    case .unknown(let kind, let payload): try writeBinary(kind, payload)
    case .trailer(let trailer):
      var own = sequence.totals
      own.other = trailer.other
      try writeJSON(.trailer(own))
      try closeMember()
      try put()
    case .header, .request, .response, .end, .note: try writeJSON(record)
    }
  }

  /// Writes a chunk: `bytes[range]`, without a copy in between. An empty one is left out.
  public mutating func writeChunk(
    delay: Int64, _ bytes: [UInt8], _ range: Range<Int>
  ) throws(CassetteError) {
    if range.isEmpty { return }
    let delay = UInt64(max(delay, 0))
    let delayLength = LEB128.length(of: delay)
    let length = range.count + delayLength
    try begin(RecordKind.chunk, length: length)
    sequence.count(bytes, range)
    sequence.pass(Int64(delay))
    let lengthLength = LEB128.length(of: UInt64(length))
    if lengthLength <= 3, delayLength <= 4 {
      let head =
        UInt64(RecordKind.chunk) | LEB128.word(of: UInt64(length)) << 8
        | LEB128.word(of: delay) << UInt64(8 * (1 + lengthLength))
      stage(bytes, range, after: head, count: 1 + lengthLength + delayLength)
    } else {
      stageHead(RecordKind.chunk, length: length, delay: delay)
      stage(bytes, range)
    }
    try end()
  }

  private mutating func writeBinary(_ kind: UInt8, _ payload: [UInt8]) throws(CassetteError) {
    if kind >= 0x80 {
      throw CassetteError(.outOfOrder, file: file?.path, "a kind of record that is not ASCII")
    }
    try begin(kind, length: payload.count)
    stageHead(kind, length: payload.count)
    stage(payload, 0..<payload.count)
    try end()
  }

  private mutating func writeJSON(_ record: CassetteRecord) throws(CassetteError) {
    let kind = RecordKind.of(record)
    guard let payload = CassetteFormats.written.json(of: record)?.canonicalBytes else { return }
    if payload.count > CassetteLimits.json {
      throw CassetteError(
        .overLimit, file: file?.path,
        "a record of \(payload.count) bytes of JSON; at most 1 MiB fits a cassette")
    }
    try begin(kind, length: payload.count)
    if let delay = record.delay { sequence.pass(delay) }
    stageHead(kind, length: payload.count)
    stage(payload, 0..<payload.count)
    try end()
  }

  private mutating func begin(_ kind: UInt8, length: Int) throws(CassetteError) {
    if isFailed, let failure {
      throw CassetteError(.closed, file: failure.file, "writing failed before: \(failure.message)")
    }
    if length > CassetteLimits.record {
      throw CassetteError(
        .overLimit, file: file?.path, "a record of \(length) bytes; at most 64 MiB fit a cassette's record")
    }
    if let fault = sequence.advance(kind) { throw CassetteError(.outOfOrder, file: file?.path, fault) }
    if !memberIsOpen {
      memberIsOpen = true
      memberLength = 0
      memberCRC = 0
      deflater.reset()
      output.append(contentsOf: GzipMember.head)
    }
  }

  private mutating func stageHead(_ kind: UInt8, length: Int, delay: UInt64? = nil) {
    var head = [kind]
    LEB128.append(UInt64(length), to: &head)
    if let delay { LEB128.append(delay, to: &head) }
    stage(head, 0..<head.count)
  }

  /// Adds the first `count` bytes of a word, its lowest first, and `bytes[range]`.
  private mutating func stage(_ bytes: [UInt8], _ range: Range<Int>, after word: UInt64 = 0, count: Int = 0) {
    let missing = staged + 8 + max(range.count, [UInt8].shortCopy) - staging.count
    if missing > 0 { staging.append(contentsOf: repeatElement(0, count: missing)) }
    staging.overwrite(from: staged, with: word)
    staging.overwrite(from: staged + count, copying: bytes, range)
    staged += count + range.count
  }

  private mutating func end() throws(CassetteError) {
    hasUnflushed = true
    if memberLength + staged >= Self.memberSize {
      try closeMember()
    } else if staged >= Self.stagingSize {
      try compress(.none)
      if output.count >= Self.stagingSize { try put() }
    }
  }

  private mutating func compress(_ flush: Deflater.Flush) throws(CassetteError) {
    memberLength += staged
    memberCRC = Checksum.crc32(memberCRC, staging.span.extracting(0..<staged))
    do {
      try deflater.deflate(staging, count: staged, flush: flush, into: &output)
    } catch {
      throw fail(error)
    }
    staged = 0
    // A record of many megabytes must not keep its memory for ever.
    if staging.count > 4 << 20 { staging = [UInt8](repeating: 0, count: 2 * Self.stagingSize) }
  }

  private mutating func closeMember() throws(CassetteError) {
    guard memberIsOpen else { return }
    try compress(.finish)
    for number in [memberCRC, UInt32(truncatingIfNeeded: memberLength)] {
      for shift in [0, 8, 16, 24] as [UInt32] { output.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    memberIsOpen = false
    try put()
    hasUnflushed = false
  }

  private mutating func put() throws(CassetteError) {
    if isHeld, output.count < Self.mostHeld { return }
    if file == nil {
      bytes.append(contentsOf: output)
    } else {
      do {
        try file?.write(output)
      } catch {
        if bytesWritten == 0, let path = file?.path, file?.isRegular == true, !Self.hasHeader(path) {
          file?.remove()
        }
        throw fail(error)
      }
    }
    bytesWritten += output.count
    output.removeAll(keepingCapacity: output.count <= 4 << 20)
  }

  /// Whether what reached a file reads as the beginning of a cassette.
  private static func hasHeader(_ path: String) -> Bool {
    do throws(CassetteError) {
      var reader = try CassetteReader(contentsOf: path)
      return try reader.next() != nil
    } catch {
      return false
    }
  }

  private mutating func fail(_ error: CassetteError) -> CassetteError {
    failure = error
    return error
  }

  /// Writes out everything that is pending, so that a kill from here on costs none of it.
  public mutating func flush() throws(CassetteError) {
    if let failure {
      throw CassetteError(.closed, file: failure.file, "writing failed before: \(failure.message)")
    }
    guard hasUnflushed else { return }
    try compress(.sync)
    try put()
    hasUnflushed = false
  }

  /// Writes the trailer with this writer's totals, ends the member and returns the trailer.
  ///
  /// - Parameter other: members that go beside the totals.
  /// - Throws: ``CassetteError`` `outOfOrder` while an exchange is open; else as ``write(_:)``.
  @discardableResult
  public mutating func finish(other: JSONObject = [:]) throws(CassetteError) -> Cassette.Trailer {
    var trailer = sequence.totals
    trailer.other = other
    try write(.trailer(trailer))
    return trailer
  }

  /// Ends the member without a trailer: what is written reads as an unfinished recording.
  public mutating func close() throws(CassetteError) {
    if let failure {
      throw CassetteError(.closed, file: failure.file, "writing failed before: \(failure.message)")
    }
    isHeld = false
    try closeMember()
    try put()  // also if there was nothing: an overwritten file's old content must go
    failure = CassetteError(.closed, file: file?.path, "the writer is closed")
  }

  /// Ends holding: what was written meanwhile goes out, and takes the place of the old file.
  package mutating func release() throws(CassetteError) {
    if isHeld {
      isHeld = false
      try put()
    }
    do { try file?.commit() } catch { throw fail(error) }
  }

  /// Removes the file, for a recording that came to nothing; one that was to be overwritten, and of which nothing was
  /// overwritten yet, stays as it was. The writer is closed.
  public mutating func discard() {
    file?.remove()
    failure = CassetteError(.closed, file: file?.path, "the recording was discarded")
  }
}

/// The fixed parts of a gzip member (RFC 1952).
package enum GzipMember {
  /// What every gzip file begins with.
  package static let magic: [UInt8] = [0x1F, 0x8B]
  /// Magic, deflate, no flags, no time, no extra flags, unknown system.
  package static let head = magic + [8, 0, 0, 0, 0, 0, 0, 255]
  /// CRC-32 and length.
  static let tailLength = 8
}
