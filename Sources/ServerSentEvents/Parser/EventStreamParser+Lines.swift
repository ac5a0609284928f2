// The algorithm of section 9.2.6, line by line, for lines in any number of parts: each goes byte range by byte range
// through its phases (`extendLine`, `endLine`), and its value straight to where it belongs. Lines that lie plain in the
// chunk take the short way of EventStreamParser+WholeLines.swift, single bytes that of EventStreamParser+Bytes.swift.

extension EventStreamParser {
  /// Feeds a chunk and lends each completed thing to `body` without copying what lies whole in the chunk.
  ///
  /// - Parameters:
  ///   - chunk: The bytes, cut anywhere.
  ///   - body: Called in stream order with what happened, its payload (data of an event, text of a comment), the
  ///     event's name (empty for none) and the last event ID in effect. The bytes are as they came, not validated
  ///     UTF-8, and may not be kept.
  public mutating func visit(
    _ chunk: Span<UInt8>,
    _ body: (
      _ visit: Visit, _ payload: Span<UInt8>, _ name: Span<UInt8>, _ lastEventID: Span<UInt8>
    ) -> Void
  ) {
    guard failure == nil, !chunk.isEmpty else { return }
    // Two functions, so that a single byte doesn't pay for what the other one needs.
    if chunk.count == 1, byteOrderMarkMatched == nil { readByte(of: chunk, body) } else { read(chunk, body) }
  }

  @inline(never)
  private mutating func read(_ chunk: Span<UInt8>, _ body: Visitor) {
    let origin = bytesConsumed
    var start = skipByteOrderMark(in: chunk, body)
    if endedWithCR, start < chunk.count, chunk[start] == lineFeed {
      // It belongs to the line before, and to the block before unless a line of this one has been read.
      start += 1
      if block.start == origin { block.start += 1 }
    }
    var scanner = LineEndScanner(from: start)
    while start < chunk.count {
      let lineEnd: LineEndScanner.LineEnd?
      if mayReadWholeLines(from: start, in: chunk) {
        (start, lineEnd) = readWholeLines(from: start, in: chunk, &scanner, body)
      } else {
        lineEnd = scanner.next(in: chunk)
      }
      if line.phase == .start, let lineEnd, lineEnd.offset == start {
        dispatch(at: origin + start + 1, body)
      } else {
        extendLine(with: chunk.extracting(start..<(lineEnd?.offset ?? chunk.count)), at: origin + start, body)
        guard let lineEnd else { break }
        endLine(at: origin + lineEnd.offset + 1, body)
        guard failure == nil else { break }
      }
      guard let lineEnd else { break }
      start = lineEnd.nextLine
      if block.start == origin + lineEnd.offset + 1 { block.start = origin + start }
    }
    endedWithCR = failure == nil && chunk[chunk.count - 1] == carriageReturn
    bytesConsumed = failure?.offset ?? origin + chunk.count
  }

  // MARK: The start of a stream

  /// Takes the byte order mark, also one that is split over chunks. Returns where the lines begin in the chunk.
  private mutating func skipByteOrderMark(in chunk: Span<UInt8>, _ body: Visitor) -> Int {
    guard var matched = byteOrderMarkMatched else { return 0 }
    var start = 0
    while start < chunk.count, chunk[start] == byteOrderMark[matched] {
      start += 1
      matched += 1
      if matched == byteOrderMark.count {
        byteOrderMarkMatched = nil
        block.start = matched
        return start
      }
    }
    guard start < chunk.count else {
      byteOrderMarkMatched = matched
      return start
    }
    byteOrderMarkMatched = nil
    // It was no mark after all: bytes of it that this chunk holds are read with the chunk, earlier ones now.
    let earlier = matched - start
    if earlier > 0 {
      let mark = byteOrderMark
      extendLine(with: mark.span.extracting(0..<earlier), at: 0, body)
    }
    return failure == nil ? 0 : chunk.count
  }

  // MARK: A line in parts

  /// Takes more bytes of the unfinished line; none of them is a line end. `offset` is that of the first.
  private mutating func extendLine(with part: Span<UInt8>, at offset: Int, _ body: Visitor) {
    let allowed = limits.line - line.length
    extendLineWithinLimit(with: part.extracting(first: allowed), at: offset, body)
    guard part.count > allowed, failure == nil else { return }
    exceed(.lineTooLong, limits.line, at: offset + allowed + 1, body)
  }

  private mutating func extendLineWithinLimit(with part: Span<UInt8>, at offset: Int, _ body: Visitor) {
    guard failure == nil, !part.isEmpty else { return }
    line.length += part.count
    guard !block.isSkipped else {
      line.phase = .ignored
      return
    }
    var index = 0
    if line.phase == .start, let field = EventStreamField(line: part.word(at: 0)) {
      index = field.prefixLength
      line.phase = field == .comment ? .value(field) : .colon(field)
      begin(field, at: offset + index, body)
      guard !block.isSkipped, failure == nil else { return }
    }
    while index < part.count {
      switch line.phase {
      case .start, .name:
        index += 1
        extendName(with: part[index - 1], at: offset + index, body)
      case .colon(let field):
        if part[index] == space { index += 1 }
        line.phase = .value(field)
      case .value(let field):
        extend(field, with: part.extracting(index..<part.count), at: offset + index, body)
        return
      case .ignored:
        return
      }
      guard !block.isSkipped, failure == nil else { return }
    }
  }

  /// Takes a byte of the name or the colon after it, which is the one before `offset`.
  mutating func extendName(with byte: UInt8, at offset: Int, _ body: Visitor) {
    if byte == colon {
      let field = line.name.field
      line.name = FieldName()
      line.phase = field.map { $0 == .comment ? .value($0) : .colon($0) } ?? .ignored
      if let field { begin(field, at: offset, body) }
    } else if line.name.append(byte) {
      line.phase = .name
    } else {
      line.name = FieldName()
      line.phase = .ignored
    }
  }

  /// A field's value begins, `offset` bytes into the stream.
  private mutating func begin(_ field: EventStreamField, at offset: Int, _ body: Visitor) {
    switch field {
    case .data:
      if block.hasData {
        guard blockSize < limits.event else { return exceed(.eventTooLarge, limits.event, at: offset, body) }
        block.data.append(lineFeed)
      }
      block.hasData = true
    case .event: block.name.removeAll(keepingCapacity: true)
    case .retry: line.retry = RetryDigits()
    case .id, .comment: break
    }
  }

  mutating func extend(
    _ field: EventStreamField, with value: Span<UInt8>, at offset: Int, _ body: Visitor
  ) {
    let room: Int
    switch field {
    case .retry:
      for index in 0..<value.count { line.retry.append(value[index]) }
      return
    case .comment:
      line.held.append(copying: value)
      return
    case .data, .event: room = limits.event - blockSize
    case .id: room = limits.event - block.data.count - block.name.count - line.held.count
    }
    guard value.count <= room else {
      return exceed(.eventTooLarge, limits.event, at: offset + Swift.max(room, 0) + 1, body)
    }
    switch field {
    case .data: block.data.append(copying: value)
    case .event: block.name.append(copying: value)
    case .id: line.held.append(copying: value)
    case .retry, .comment: break  // done above: they count against the line alone
    }
  }

  /// The line end came as the byte before `offset`.
  mutating func endLine(at offset: Int, _ body: Visitor) {
    guard failure == nil else { return }
    if case .name = line.phase, let field = line.name.field {  // a name alone is a field with an empty value
      line.phase = .value(field)
      begin(field, at: offset, body)
    }
    if failure == nil, !block.isSkipped {
      switch line.phase {
      case .value(.comment): body(.comment(offset: offset), line.held.span, Span(), committedID.span)
      case .value(.id), .colon(.id):
        if line.held.span.containsZero(in: 0..<line.held.count) { break }  // an id that holds NUL is ignored
        swap(&block.id, &line.held)
        block.hasID = true
      case .value(.retry), .colon(.retry): setRetry(line.retry.value, at: offset, body)
      case .value(.data), .value(.event), .colon(.data), .colon(.event), .colon(.comment): break
      case .start, .name, .ignored: break
      }
    }
    line.phase = .start
    line.length = 0
    line.name = FieldName()
    line.held.empty()
    line.retry = RetryDigits()
  }

  // MARK: What fields do

  private mutating func setRetry(_ value: Int64?, at offset: Int, _ body: Visitor) {
    guard let value else { return }
    retry = value
    block.retry = value
    body(.retry(milliseconds: value, offset: offset), Span(), Span(), committedID.span)
  }

  // MARK: The end of a block

  mutating func dispatch(at offset: Int, _ body: Visitor) {
    if block.isSkipped {
      body(.dropped(bytes: offset - block.start, offset: offset), Span(), Span(), committedID.span)
    } else {
      if block.hasID { swap(&committedID, &block.id) }
      if block.hasData {
        body(
          .event(hasID: block.hasID, retry: block.retry, offset: offset), block.data.span, block.name.span,
          committedID.span)
      }
    }
    resetBlock(start: offset)
  }

  private mutating func resetBlock(start: Int) {
    block.start = start
    block.hasData = false
    block.data.empty()
    block.name.empty()
    block.id.empty()
    block.hasID = false
    block.retry = nil
    block.isSkipped = false
  }

  // MARK: Limits

  /// Past a limit at the byte before `offset`: fails or begins to skip, as the policy says.
  mutating func exceed(
    _ code: EventStreamLimitError.Code, _ limit: Int, at offset: Int, _ body: Visitor
  ) {
    guard failure == nil, !block.isSkipped else { return }
    resetBlock(start: block.start)
    line.name = FieldName()
    line.held = []
    line.retry = RetryDigits()
    line.phase = .ignored
    switch limits.policy {
    case .fail:
      line = Line()
      let error = EventStreamLimitError(code: code, limit: limit, offset: offset)
      failure = error
      body(.failed(error), Span(), Span(), committedID.span)
    case .skipEvent:
      block.isSkipped = true
    }
  }

  var blockSize: Int { block.data.count + block.name.count + block.id.count }
}

extension Array<UInt8> {
  /// Removes all bytes and keeps the storage for the next event, unless one huge event has made it large.
  @inline(__always)
  mutating func empty() {
    if !isEmpty { removeAll(keepingCapacity: capacity <= 64 << 10) }
  }
}

let lineFeed = UInt8(0x0A)
let carriageReturn = UInt8(0x0D)
let space = UInt8(0x20)
let colon = UInt8(0x3A)
private let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
