// Bytes of a file or an array into records, one at a time, in constant memory. Everything in the bytes is hostile:
// lengths are checked before anything is kept, buffers grow only with bytes that are really there, and each fault is
// an error with its place. Records are taken apart where they were inflated to; a chunk is not copied unless asked for.

/// Reads one cassette, record by record, in constant memory.
///
/// After an error every further call throws it again.
public struct CassetteReader: ~Copyable, @unchecked Sendable {
  // @unchecked: the inflater holds a pointer, which this value, never copied, alone owns and uses.

  /// Whether the last recording is complete, once there are no more records.
  public enum Status: Hashable, Sendable {
    /// There may be more records.
    case reading
    /// The last record was a trailer.
    case finished
    /// There is no trailer: the recording still runs, or was killed. `lost` is how many inflated bytes of a last,
    /// incomplete record were left out; `torn` whether the last gzip member breaks off.
    case unfinished(torn: Bool, lost: Int)
  }

  private enum Phase { case betweenMembers, inMember, tail, ended }

  /// More bytes than this are inflated together only where one record has as many.
  private static let enoughRoom = 256 << 10

  private var file: CassetteFile?
  private var input: [UInt8]
  private var inputStart = 0
  private var inputEnd: Int
  private var inputOffset = 0  // of inputStart, in the file

  private var inflater: Inflater
  private var phase = Phase.betweenMembers
  private var memberCRC: UInt32 = 0
  private var memberLength = 0
  private var inflated = 0
  /// What zlib found wrong behind what it gave out: an error once the whole records in that are taken.
  private var damage: String?

  @usableFromInline private(set) var buffer = [UInt8](repeating: 0, count: 64 << 10)
  private var start = 0  // of what is inflated and not yet taken
  private var end = 0
  private var payload = 0..<0
  /// The bytes of the chunk read last, empty if it was another record.
  @usableFromInline private(set) var chunkBytes = 0..<0
  private var record: CassetteRecord?
  private var isDecoded = false

  private var format: any CassetteFormat.Type = CassetteFormats.written
  private var sequence = RecordSequence()
  private var failure: CassetteError?
  private var isFailed = false
  let limits: CassetteLimits
  let name: String?

  /// The byte offset in the file of the gzip member that is being read.
  public private(set) var memberOffset = 0
  /// The number of the record read last, from 1; 0 before the first.
  public private(set) var recordNumber = 0
  /// Whether the cassette is complete; settled once there are no more records.
  public private(set) var status = Status.reading
  /// The kind of the record read last, as its byte in the file.
  public private(set) var kind: UInt8 = 0
  /// The delay of the chunk read last.
  public private(set) var chunkDelay: Int64 = 0

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: ``CassetteError`` `noSuchFile`, `isFolder`, `unreadable`.
  public init(contentsOf path: String, limits: CassetteLimits = .default) throws(CassetteError) {
    let inflater = try Inflater()
    let file = try CassetteFile.open(reading: path)
    self.inflater = inflater
    self.file = consume file
    input = [UInt8](repeating: 0, count: 64 << 10)
    inputEnd = 0
    self.limits = limits
    name = path == "-" ? "standard input" : path
  }

  /// Reads from bytes.
  public init(
    bytes: [UInt8], name: String? = nil, limits: CassetteLimits = .default
  ) throws(CassetteError) {
    inflater = try Inflater()
    file = nil
    input = bytes
    inputEnd = bytes.count
    self.limits = limits
    self.name = name
  }

  /// The number of recordings begun so far; joined cassettes have several.
  public var recordings: Int { sequence.recordings }
  /// Microseconds since the present recording's first delay, up to the record read last.
  public var elapsed: Int64 { sequence.elapsed }
  /// The totals of the present recording so far.
  public var totals: Cassette.Trailer { sequence.totals }
  /// Whether an exchange is open after the record read last.
  public var exchangeIsOpen: Bool { sequence.isOpen }
  /// Whether the cassette ended with a trailer and whole; settled once there are no more records.
  public var isFinished: Bool { status == .finished }
  /// The bytes of the file taken so far.
  public var bytesRead: Int { inputOffset }

  /// Reads the next record; `nil` at the end, after which ``status`` says whether it was complete.
  public mutating func next() throws(CassetteError) -> CassetteRecord? {
    try advance() ? try current() : nil
  }

  /// The payload's length of the record read last, in bytes.
  var payloadLength: Int { payload.count }

  /// Whether the record read last is a chunk.
  package var isAtChunk: Bool { kind == RecordKind.chunk }

  /// The record read last as a value.
  package mutating func current() throws(CassetteError) -> CassetteRecord {
    if isAtChunk {
      return .chunk(
        Cassette.Chunk(
          delay: chunkDelay, bytes: Array(copying: buffer.span.extracting(chunkBytes))))
    }
    if isDecoded, let record { return record }
    do {
      if kind == RecordKind.requestBody { return .requestBody(Array(buffer[payload])) }
      return try format.record(kind: kind, payload: buffer[payload])
    } catch {
      throw fail(.damaged, error.message)
    }
  }

  /// Goes on to the next record without making a value of a binary one: see ``kind``, ``chunkDelay``,
  /// ``withChunkBytes(_:)``. Returns false at the end.
  public mutating func advance() throws(CassetteError) -> Bool {
    // Flags, because looking at a large optional copies it, and this runs for every chunk.
    if isFailed, let failure { throw failure }
    if isDecoded {
      record = nil
      isDecoded = false
    }
    start = payload.upperBound > start ? payload.upperBound : start
    if takeChunk() { return true }
    while phase != .ended {
      if let length = try wholeRecord() {
        start += length.head
        payload = start..<start + length.payload
        try take()
        return true
      }
      try more()
    }
    return false
  }

  /// Lends the bytes of the chunk read last; they are valid until the next one is read.
  ///
  /// Inlinable, since a call for any type of result costs more than reading a chunk of twenty bytes.
  @inlinable public func withChunkBytes<Result, Failure: Error>(
    _ body: (_ buffer: [UInt8], _ range: Range<Int>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(buffer, chunkBytes)
  }

  // MARK: Records

  /// Takes a chunk by the shortest way if one is there in whole, with short numbers; anything else, and everything
  /// wrong, is for the long way. (Cassettes are mostly small chunks.)
  private mutating func takeChunk() -> Bool {
    guard sequence.state == .responded, end - start >= 16 else { return false }
    var head = buffer.word(at: start)
    guard UInt8(truncatingIfNeeded: head) == RecordKind.chunk else { return false }
    head >>= 8
    var index = start + 1
    /// The next number of the head: one of up to three bytes in its shortest form.
    @inline(__always)
    func number() -> Int? {
      var number = head & 0x7F
      var length = 1
      while head & 0x80 != 0 {
        guard length < 3 else { return nil }
        head >>= 8
        number |= (head & 0x7F) << UInt64(7 * length)
        length += 1
      }
      guard length == 1 || head & 0x7F != 0 else { return nil }
      head >>= 8
      index += length
      return Int(number)
    }
    guard let length = number(), end - index >= length else { return false }
    let whole = index..<index + length
    guard let delay = number(), index < whole.upperBound else { return false }
    start = whole.lowerBound
    payload = whole
    kind = RecordKind.chunk
    chunkDelay = Int64(delay)
    chunkBytes = index..<whole.upperBound
    sequence.pass(chunkDelay)
    sequence.count(buffer, chunkBytes)
    recordNumber += 1
    return true
  }

  /// The lengths of the record at `start` if all of it is there.
  private mutating func wholeRecord() throws(CassetteError) -> (head: Int, payload: Int)? {
    if start >= end { return nil }
    let kind = buffer[start]
    if kind >= 0x80 { throw fail(.damaged, "a kind of record that is not ASCII (\(kind))") }
    switch LEB128.decode(buffer, from: start + 1, to: end, maximumLength: 5) {
    case .incomplete: return nil
    case .malformed(let what): throw fail(.damaged, "a record's length that is \(what)")
    case .value(let length, let bytes):
      if length > UInt64(CassetteLimits.record) {
        throw fail(.overLimit, "a record of \(length) bytes; at most 64 MiB are allowed")
      }
      if RecordKind.isJSON(kind), length > UInt64(CassetteLimits.json) {
        throw fail(.overLimit, "a record of \(length) bytes of JSON; at most 1 MiB is allowed")
      }
      let head = 1 + bytes
      return end - start - head >= Int(length) ? (head, Int(length)) : nil
    }
  }

  private mutating func take() throws(CassetteError) {
    kind = buffer[payload.lowerBound - 1 - LEB128.length(of: UInt64(payload.count))]
    if let fault = sequence.advance(kind) {
      // What is not even a beginning is no cassette.
      throw fail(sequence.recordings == 0 ? .notACassette : .outOfOrder, fault)
    }
    chunkBytes = payload.upperBound..<payload.upperBound
    do {
      if kind == RecordKind.chunk {
        let (delay, length) = try ChunkPayload.delay(of: buffer[payload])
        chunkDelay = delay
        chunkBytes = payload.lowerBound + length..<payload.upperBound
        sequence.pass(delay)
        sequence.count(buffer, chunkBytes)
      } else if RecordKind.isJSON(kind) {
        if kind == RecordKind.header { try checkFormat() }
        let record = try format.record(kind: kind, payload: buffer[payload])
        if let delay = record.delay { sequence.pass(delay) }
        if case .trailer(let trailer) = record, !sequence.agrees(with: trailer) {
          throw fail(.totalsDiffer, "the trailer's totals differ from what was read")
        }
        self.record = record
        isDecoded = true
      }
    } catch let error as JSONFault {
      throw fail(.damaged, error.message)
    } catch let error as CassetteError {
      throw error
    } catch {
      throw fail(.damaged, "\(error)")
    }
    recordNumber += 1
  }

  private mutating func checkFormat() throws {
    switch try CassetteFormats.choice(byHeader: buffer[payload]) {
    case .known(let known): format = known
    case .unknown(let message): throw fail(.unknownFormat, message)
    }
  }

  // MARK: Members

  private mutating func more() throws(CassetteError) {
    switch phase {
    case .betweenMembers: try openMember()
    case .inMember: try inflate()
    case .tail: try closeMember()
    case .ended: break
    }
  }

  private mutating func openMember() throws(CassetteError) {
    if start < end { throw fail(.damaged, "a record runs past its member") }
    memberOffset = inputOffset
    let present = try fill(GzipMember.head.count)
    let head = input[inputStart..<inputStart + present]
    guard GzipMember.head.starts(with: head) else {
      if recordNumber == 0, memberOffset == 0 {
        throw fail(.notACassette, "this is not a cassette: it doesn't begin as one (gzip with a plain head)")
      }
      throw fail(.damaged, "bytes that are no gzip member of a cassette")
    }
    if present < GzipMember.head.count { return try finish(torn: present > 0) }
    drop(present)
    inflater.reset()
    memberCRC = 0
    memberLength = 0
    phase = .inMember
  }

  private mutating func inflate() throws(CassetteError) {
    if let damage { throw fail(.damaged, "damaged compressed data (\(damage))") }
    makeRoom()
    if inputStart == inputEnd, try fill(1) == 0 { return try finish(torn: true) }
    let (status, taken, made) = inflater.inflate(
      input, inputStart..<inputEnd, into: &buffer, end..<buffer.count)
    drop(taken)
    memberCRC = Checksum.crc32(memberCRC, buffer.span.extracting(end..<end + made))
    end += made
    memberLength &+= made
    inflated += made
    if inflated > limits.inflated {
      throw fail(
        .overLimit, "more than \(limits.inflated) bytes when inflated; raise the limit if this is meant")
    }
    switch status {
    case .running:
      if taken == 0, made == 0 { throw fail(.damaged, "compressed data that leads nowhere") }
    case .ended: phase = .tail
    case .damaged(let what): damage = what
    }
  }

  private mutating func closeMember() throws(CassetteError) {
    if try fill(GzipMember.tailLength) < GzipMember.tailLength { return try finish(torn: true) }
    var crc: UInt32 = 0
    var length: UInt32 = 0
    for index in (0..<4).reversed() {
      crc = crc << 8 | UInt32(input[inputStart + index])
      length = length << 8 | UInt32(input[inputStart + 4 + index])
    }
    if crc != memberCRC { throw fail(.damaged, "a gzip member whose checksum differs from its content") }
    if length != UInt32(truncatingIfNeeded: memberLength) {
      throw fail(.damaged, "a gzip member whose length differs from its content")
    }
    drop(GzipMember.tailLength)
    phase = .betweenMembers
  }

  private mutating func finish(torn: Bool) throws(CassetteError) {
    if sequence.recordings == 0 {
      let isEmpty = inputOffset == 0 && !torn
      if isEmpty { throw fail(.notACassette, "this file is empty: nothing was recorded into it yet") }
      throw fail(.notACassette, "this is not a cassette: it ends before a whole header record")
    }
    phase = .ended
    let isFinished = sequence.state == .ended && !torn
    status = isFinished ? .finished : .unfinished(torn: torn, lost: end - start)
  }

  private mutating func makeRoom() {
    if start > 0 {
      // Only the beginning of one record is left over here: what was whole has been taken.
      buffer.moveToStart(start..<end)
      end -= start
      start = 0
      payload = 0..<0
      chunkBytes = 0..<0
    }
    // Doubling only when full of bytes that really came keeps a lying length from taking memory. A cassette of many bytes
    // gets more room at a time, too: zlib copies 32 KiB aside whenever it runs out of room.
    let isLong = buffer.count < Self.enoughRoom && inflated >= 4 * buffer.count
    if end == buffer.count || isLong { buffer.append(contentsOf: repeatElement(0, count: buffer.count)) }
  }

  // MARK: Input

  /// Sees to it that `count` bytes of input are there; returns how many of them are.
  private mutating func fill(_ count: Int) throws(CassetteError) -> Int {
    while inputEnd - inputStart < count, file != nil {
      if inputStart > 0 {
        input.moveToStart(inputStart..<inputEnd)
        inputEnd -= inputStart
        inputStart = 0
      }
      let read: Int
      do {
        read = try file?.read(into: &input, inputEnd..<input.count) ?? 0
      } catch {
        failure = error
        isFailed = true
        throw error
      }
      if read == 0 { file = nil }  // an end is an end, also on a terminal
      inputEnd += read
    }
    return min(count, inputEnd - inputStart)
  }

  private mutating func drop(_ count: Int) {
    inputStart += count
    inputOffset += count
  }

  private mutating func fail(_ code: CassetteError.Code, _ message: String) -> CassetteError {
    let place = CassetteError.Place(memberOffset: memberOffset, record: recordNumber + 1)
    let error = CassetteError(code, file: name, place: place, message)
    failure = error
    isFailed = true
    return error
  }
}
