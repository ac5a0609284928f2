// Lines that lie whole in one chunk, read in place: all that is noted of a line is where its value lies, and nothing is
// copied before the chunk ends, but for the values of a block with many data lines. What isn't plain (an unknown field
// or one without a colon, a line the chunk doesn't end, a block that might pass a limit) is left to the long way in
// EventStreamParser+Lines.swift. Both lead to the same state, which the fuzzer holds them to.
//
// UNSAFE, and why: a value's bounds were found by the scan of the same bytes and lie within one line; to check them once
// more for each line took a third of the time.

extension EventStreamParser {
  /// What the lines of a block have said so far.
  private struct Seen: OptionSet {
    let rawValue: UInt8
    static let data = Seen(rawValue: 1)
    static let name = Seen(rawValue: 2)
    static let id = Seen(rawValue: 4)
    static let retry = Seen(rawValue: 8)
    /// There was more than one data line, or the first was in an earlier chunk: they were copied together.
    static let joinedData = Seen(rawValue: 16)
  }

  /// Whether `readWholeLines` may begin where a line does. With few bytes left of a block that has begun it isn't worth its
  /// preparations.
  func mayReadWholeLines(from start: Int, in chunk: Span<UInt8>) -> Bool {
    if block.start == bytesConsumed + start { return true }
    return chunk.count - start >= 64 && line.phase == .start && !block.isSkipped
  }

  /// Reads whole lines from where one starts in the chunk, up to the first that isn't plain or that the chunk doesn't
  /// end. Returns where that one starts, and where it ends unless the chunk does before.
  ///
  /// This is the hot loop: few branches, all on the line's first bytes, and nothing that counts references.
  mutating func readWholeLines(
    from start: Int, in chunk: Span<UInt8>, _ scanner: inout LineEndScanner, _ body: Visitor
  ) -> (start: Int, lineEnd: LineEndScanner.LineEnd?) {
    let origin = bytesConsumed
    // A block with no more bytes than this, names and line ends counted, passes neither limit.
    let plainSize = Swift.min(limits.line, limits.event, .max / 2)
    let committed = committedID
    var lastID = committed.span
    var hasNewID = false
    // The block. Values count if they were seen.
    var blockStart = block.start &- origin
    var plainEnd = blockStart &+ plainSize
    var seen: Seen = block.hasData ? [.data, .joinedData] : []
    if block.retry != nil { seen.insert(.retry) }
    if !block.name.isEmpty { seen.insert(.name) }
    if block.hasID { seen.insert(.id) }
    var blockRetry = block.retry ?? 0
    var data = start..<start
    var joinedData: [UInt8] = []
    swap(&joinedData, &block.data)
    let (earlierName, earlierID) = block.takeNameAndID()
    var (name, id) = (earlierName.span, earlierID.span)

    var start = start
    var lineEnds = scanner  // in registers
    var next = lineEnds.next(in: chunk)
    lines: while let lineEnd = next {
      let end = lineEnd.offset
      if end == start {
        if !seen.isEmpty {
          if seen.contains(.id) {
            lastID = id
            hasNewID = true
          }
          if seen.contains(.data) {
            let retry = seen.contains(.retry) ? blockRetry : nil
            let visit = Visit.event(hasID: seen.contains(.id), retry: retry, offset: origin &+ end &+ 1)
            let name = seen.contains(.name) ? name : Span()
            if seen.contains(.joinedData) {
              body(visit, joinedData.span, name, lastID)
              joinedData.empty()
            } else {
              body(visit, unsafe chunk.extracting(unchecked: data), name, lastID)
            }
          }
          seen = []
        }
        blockStart = lineEnd.nextLine
        plainEnd = blockStart &+ plainSize
      } else if end > plainEnd {
        break
      } else if unsafe chunk[unchecked: start] == colon {
        let comment = unsafe chunk.extracting(unchecked: Range(uncheckedBounds: (start &+ 1, end)))
        body(.comment(offset: origin &+ end &+ 1), comment, Span(), lastID)
      } else {
        switch EventStreamField(line: chunk.word(at: start)) {
        case .data:
          let value = value(of: .data, from: start, to: end, in: chunk)
          if seen.contains(.data) {
            if !seen.contains(.joinedData) {
              joinedData.append(copying: unsafe chunk.extracting(unchecked: data))
              seen.insert(.joinedData)
            }
            joinedData.append(lineFeed)
            joinedData.append(copying: unsafe chunk.extracting(unchecked: value))
          } else {
            seen.insert(.data)
            data = value
          }
        case .id:
          let value = value(of: .id, from: start, to: end, in: chunk)
          if chunk.containsZero(in: value) { break }  // ignored
          seen.insert(.id)
          id = unsafe chunk.extracting(unchecked: value)
        case .event:
          seen.insert(.name)
          name = unsafe chunk.extracting(unchecked: value(of: .event, from: start, to: end, in: chunk))
        case .retry:
          let digits = value(of: .retry, from: start, to: end, in: chunk)
          guard let milliseconds = RetryDigits.value(of: digits, in: chunk) else { break }
          seen.insert(.retry)
          blockRetry = milliseconds
          retry = milliseconds
          body(.retry(milliseconds: milliseconds, offset: origin &+ end &+ 1), Span(), Span(), lastID)
        case .comment, nil: break lines  // comments were told above
        }
      }
      start = lineEnd.nextLine
      next = lineEnds.next(in: chunk)
    }
    scanner = lineEnds

    // The unfinished block is copied to where it outlives the chunk.
    if hasNewID { committedID = Array(copying: lastID) }
    block.start = origin + blockStart
    block.hasData = seen.contains(.data)
    if block.hasData, !seen.contains(.joinedData) { joinedData.append(copying: chunk.extracting(data)) }
    swap(&block.data, &joinedData)
    if seen.contains(.name) { block.name.append(copying: name) }
    block.hasID = seen.contains(.id)
    if block.hasID { block.id.append(copying: id) }
    block.retry = seen.contains(.retry) ? blockRetry : nil
    return (start, next)
  }

  /// The value in a line of the field: behind the colon and one space. The byte looked at is in the chunk, be it the
  /// line end.
  @inline(__always)
  private func value(
    of field: EventStreamField, from start: Int, to end: Int, in chunk: Span<UInt8>
  ) -> Range<Int> {
    let value = start &+ field.prefixLength
    return unsafe Range(uncheckedBounds: (chunk[unchecked: value] == space ? value &+ 1 : value, end))
  }
}

extension EventStreamParser.Block {
  /// The name and the ID of earlier lines. Where there are none, their storage stays where it is.
  fileprivate mutating func takeNameAndID() -> (name: [UInt8], id: [UInt8]) {
    var taken: (name: [UInt8], id: [UInt8]) = ([], [])
    if !name.isEmpty { swap(&taken.name, &name) }
    if !id.isEmpty { swap(&taken.id, &id) }
    return taken
  }
}
