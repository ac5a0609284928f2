// The algorithm of section 9.2.6, line by line. A line that lies whole in the chunk and is within the limits is read
// in place (`readLine`); one that began in an earlier chunk, or that passes a limit, goes byte range by byte range
// through its phases (`extendLine`, `endLine`). Both leave the same state, which the fuzzer holds them to.

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
    var reading = Reading(origin: bytesConsumed)
    var start = skipByteOrderMark(in: chunk, body)
    var scanner = LineEndScanner(from: start)
    while start < chunk.count, failure == nil {  // a false byte order mark can be a line that is too long
      let end = scanner.next(in: chunk)
      if endedWithCR {
        endedWithCR = false
        if end == start, chunk[start] == lineFeed {
          start += 1
          // The LF belongs to the block before, unless a line of this one has been read.
          if block.start == reading.origin + end { block.start += 1 }
          continue
        }
      }
      if line.phase == .start, end < chunk.count {
        if end == start {
          dispatch(at: reading.origin + end + 1, chunk, &reading, body)
        } else if !readLine(start..<end, of: chunk, &reading, body) {
          extendLine(with: chunk.extracting(start..<end), at: reading.origin + start, chunk, &reading, body)
          endLine(at: reading.origin + end + 1, body)
        }
      } else {
        extendLine(with: chunk.extracting(start..<end), at: reading.origin + start, chunk, &reading, body)
        guard end < chunk.count else { break }
        endLine(at: reading.origin + end + 1, body)
      }
      guard failure == nil else { break }
      endedWithCR = chunk[end] == carriageReturn
      start = end + 1
    }
    settle(&reading, from: chunk)
    bytesConsumed = failure?.offset ?? reading.origin + chunk.count
  }

  /// A data line that lies whole in the chunk at hand and is not copied unless it must be, and where that chunk is.
  struct Reading {
    /// Offset of the chunk's first byte in the stream.
    var origin: Int
    /// The block's only data line so far, within the chunk.
    var data: Range<Int>?
  }

  typealias Visitor = (Visit, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void

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
      var reading = Reading(origin: 0)
      let mark = byteOrderMark
      extendLine(with: mark.span.extracting(0..<earlier), at: 0, Span(), &reading, body)
    }
    return 0
  }

  // MARK: A line that is whole

  /// Reads a line of a known field in place. Returns false, with nothing changed, where it must go the long way.
  @inline(__always)
  private mutating func readLine(
    _ range: Range<Int>, of chunk: Span<UInt8>, _ reading: inout Reading, _ body: Visitor
  ) -> Bool {
    guard range.count <= limits.line, !block.isSkipped,
      let (field, length) = EventStreamField.prefix(ofLine: chunk.word(at: range.lowerBound)),
      length <= range.count
    else { return false }
    var value = range.lowerBound + length..<range.upperBound
    if field == .comment {
      body(
        .comment(offset: reading.origin + range.upperBound + 1), chunk.extracting(value), Span(),
        committedID.span)
      return true
    }
    if !value.isEmpty, chunk[value.lowerBound] == space { value = value.lowerBound + 1..<value.upperBound }
    switch field {
    case .data:
      let isFirst = !block.hasData
      let size = isFirst ? value.count : dataCount(reading) + 1 + value.count
      guard size + block.name.count + (block.id?.count ?? 0) <= limits.event else { return false }
      block.hasData = true
      if isFirst {
        reading.data = value
      } else {
        settle(&reading, from: chunk)
        block.data.append(lineFeed)
        block.data.append(copying: chunk.extracting(value))
      }
    case .event:
      guard dataCount(reading) + value.count + (block.id?.count ?? 0) <= limits.event else { return false }
      block.name.removeAll(keepingCapacity: true)
      block.name.append(copying: chunk.extracting(value))
    case .id:
      guard dataCount(reading) + block.name.count + value.count <= limits.event else { return false }
      setID(chunk.extracting(value))
    case .retry:
      var digits = RetryDigits()
      for index in value { digits.append(chunk[index]) }
      setRetry(digits.value, at: reading.origin + range.upperBound + 1, body)
    case .comment:
      break  // handled above: a comment strips no space
    }
    return true
  }

  // MARK: A line in parts

  /// Takes more bytes of the unfinished line; none of them is a line end. `offset` is that of the first.
  private mutating func extendLine(
    with part: Span<UInt8>, at offset: Int, _ chunk: Span<UInt8>, _ reading: inout Reading, _ body: Visitor
  ) {
    settle(&reading, from: chunk)
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
    while index < part.count {
      switch line.phase {
      case .start, .name:
        let byte = part[index]
        index += 1
        if byte == colon {
          let field = EventStreamField(name: line.held.span)
          line.held.removeAll(keepingCapacity: true)
          line.phase = field.map { $0 == .comment ? .value($0) : .colon($0) } ?? .ignored
          if let field { begin(field, at: offset + index, body) }
        } else if line.held.count == EventStreamField.longestName {
          line.held.removeAll(keepingCapacity: true)
          line.phase = .ignored
        } else {
          line.held.append(byte)
          line.phase = .name
        }
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

  private mutating func extend(
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
  private mutating func endLine(at offset: Int, _ body: Visitor) {
    guard failure == nil else { return }
    if case .name = line.phase, let field = EventStreamField(name: line.held.span) {
      line.held.removeAll(keepingCapacity: true)  // a name alone is a field with an empty value
      line.phase = .value(field)
      begin(field, at: offset, body)
    }
    let ended = line
    line.phase = .start
    line.length = 0
    line.held.removeAll(keepingCapacity: line.held.capacity <= Self.keptCapacity)
    line.retry = RetryDigits()
    guard failure == nil, !block.isSkipped else { return }
    switch ended.phase {
    case .value(.comment): body(.comment(offset: offset), ended.held.span, Span(), committedID.span)
    case .value(.id), .colon(.id): setID(ended.held.span)
    case .value(.retry), .colon(.retry): setRetry(ended.retry.value, at: offset, body)
    case .value(.data), .value(.event), .colon(.data), .colon(.event), .colon(.comment): break
    case .start, .name, .ignored: break
    }
  }

  // MARK: What fields do

  private mutating func setID(_ value: Span<UInt8>) {
    for index in 0..<value.count where value[index] == 0 { return }  // an id that holds NUL is ignored
    var id = block.id ?? []
    block.id = nil  // so that the bytes have one owner and are written in place
    id.removeAll(keepingCapacity: true)
    id.append(copying: value)
    block.id = id
  }

  private mutating func setRetry(_ value: Int64?, at offset: Int, _ body: Visitor) {
    guard let value else { return }
    retry = value
    block.retry = value
    body(.retry(milliseconds: value, offset: offset), Span(), Span(), committedID.span)
  }

  // MARK: The end of a block

  private mutating func dispatch(
    at offset: Int, _ chunk: Span<UInt8>, _ reading: inout Reading, _ body: Visitor
  ) {
    if block.isSkipped {
      body(.dropped(bytes: offset - block.start, offset: offset), Span(), Span(), committedID.span)
    } else {
      let hasID = block.id != nil
      if let id = block.id { committedID = id }
      if block.hasData {
        let visit = Visit.event(hasID: hasID, retry: block.retry, offset: offset)
        if let range = reading.data {
          body(visit, chunk.extracting(range), block.name.span, committedID.span)
        } else {
          body(visit, block.data.span, block.name.span, committedID.span)
        }
      }
    }
    reading.data = nil
    resetBlock(start: offset)
  }

  private mutating func resetBlock(start: Int) {
    block.start = start
    block.hasData = false
    if !block.data.isEmpty { block.data.removeAll(keepingCapacity: block.data.capacity <= Self.keptCapacity) }
    if !block.name.isEmpty { block.name.removeAll(keepingCapacity: block.name.capacity <= Self.keptCapacity) }
    block.id = nil
    block.retry = nil
    block.isSkipped = false
  }

  // MARK: Limits

  /// Past a limit at the byte before `offset`: fails or begins to skip, as the policy says.
  private mutating func exceed(
    _ code: EventStreamLimitError.Code, _ limit: Int, at offset: Int, _ body: Visitor
  ) {
    guard failure == nil, !block.isSkipped else { return }
    resetBlock(start: block.start)
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

  // MARK: Where a block's data is

  /// Copies data that still lies in the chunk into the block, where it outlives the chunk and can be added to.
  @inline(__always)
  private mutating func settle(_ reading: inout Reading, from chunk: Span<UInt8>) {
    guard let range = reading.data else { return }
    reading.data = nil
    block.data.append(copying: chunk.extracting(range))
  }

  @inline(__always)
  private func dataCount(_ reading: Reading) -> Int { reading.data?.count ?? block.data.count }

  private var blockSize: Int { block.data.count + block.name.count + (block.id?.count ?? 0) }

  /// Buffers up to this many bytes stay for the next event; a larger one is given back after a single huge event.
  private static var keptCapacity: Int { 64 << 10 }
}

private let lineFeed = UInt8(0x0A)
private let carriageReturn = UInt8(0x0D)
private let space = UInt8(0x20)
private let colon = UInt8(0x3A)
private let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
