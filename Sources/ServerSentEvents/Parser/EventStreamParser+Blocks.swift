// Blocks that lie in one chunk, read in place: all that is noted of a line is where its value lies, and nothing is
// copied before the chunk ends. What isn't plain (an unknown field or one without a colon, a second data line, a
// block that might pass a limit or that the chunk doesn't end) is left to the long way in EventStreamParser+Lines.swift.
// Both lead to the same state, which the fuzzer holds them to.

extension EventStreamParser {
  /// Fields that a block has had so far.
  private struct Fields: OptionSet {
    let rawValue: UInt8
    static let data = Fields(rawValue: 1)
    static let name = Fields(rawValue: 2)
    static let id = Fields(rawValue: 4)
    static let retry = Fields(rawValue: 8)
  }

  /// Reads blocks from where one starts in the chunk, up to the first line that isn't plain or that the chunk doesn't
  /// end. Returns that line's place, without its line end.
  ///
  /// This is the hot loop: a chain of comparisons on the line's first eight bytes, and nothing that counts references.
  mutating func readBlocks(
    from start: Int, in chunk: Span<UInt8>, _ scanner: inout LineEndScanner, _ body: Visitor
  ) -> Range<Int> {
    let origin = bytesConsumed
    // A block with no more bytes than this, names and line ends counted, passes neither limit.
    let plainSize = Swift.min(limits.line, limits.event)
    let committed = committedID
    var lastID = committed.span
    var hasNewID = false
    // The block's lines: a value counts if its field was seen, but for the name, which is empty otherwise.
    var blockStart = start
    var seen: Fields = []
    var (data, name, id) = (Span<UInt8>(), Span<UInt8>(), Span<UInt8>())
    var blockRetry: Int64 = 0

    var start = start
    var lineEnds = scanner  // in registers
    var end = lineEnds.next(in: chunk)
    while end < chunk.count {
      let offset = origin &+ end &+ 1
      if end == start {
        if !seen.isEmpty {
          if seen.contains(.id) {
            lastID = id
            hasNewID = true
          }
          if seen.contains(.data) {
            let retry = seen.contains(.retry) ? blockRetry : nil
            body(.event(hasID: seen.contains(.id), retry: retry, offset: offset), data, name, lastID)
          }
          seen = []
          name = Span()
        }
        start = LineEndScanner.nextLine(after: end, in: chunk)
        blockStart = start
      } else {
        guard end &- blockStart <= plainSize else { break }
        let word = chunk.word(at: start)
        if EventStreamField.data.begins(line: word) {
          guard !seen.contains(.data) else { break }
          seen.insert(.data)
          data = chunk.extracting(value(of: .data, from: start, to: end, in: chunk))
        } else if EventStreamField.comment.begins(line: word) {
          body(.comment(offset: offset), chunk.extracting(start &+ 1..<end), Span(), lastID)
        } else if EventStreamField.id.begins(line: word) {
          let value = value(of: .id, from: start, to: end, in: chunk)
          if !chunk.containsZero(in: value) {
            seen.insert(.id)
            id = chunk.extracting(value)
          }
        } else if EventStreamField.event.begins(line: word) {
          seen.insert(.name)
          name = chunk.extracting(value(of: .event, from: start, to: end, in: chunk))
        } else if EventStreamField.retry.begins(line: word) {
          let digits = chunk.extracting(value(of: .retry, from: start, to: end, in: chunk))
          if let milliseconds = RetryDigits.value(of: digits) {
            seen.insert(.retry)
            blockRetry = milliseconds
            retry = milliseconds
            body(.retry(milliseconds: milliseconds, offset: offset), Span(), Span(), lastID)
          }
        } else {
          break
        }
        start = LineEndScanner.nextLine(after: end, in: chunk)
      }
      end = lineEnds.next(in: chunk)
    }
    scanner = lineEnds

    // The unfinished block is copied to where it outlives the chunk.
    if hasNewID { committedID = Array(copying: lastID) }
    block.start = origin + blockStart
    block.hasData = seen.contains(.data)
    if block.hasData { block.data.append(copying: data) }
    block.name.append(copying: name)
    block.hasID = seen.contains(.id)
    if block.hasID { block.id.append(copying: id) }
    if seen.contains(.retry) { block.retry = blockRetry }
    return start..<end
  }

  /// The value in a line of the field: behind the colon and one space. The byte looked at is in the chunk, be it the
  /// line end.
  @inline(__always)
  private func value(
    of field: EventStreamField, from start: Int, to end: Int, in chunk: Span<UInt8>
  ) -> Range<Int> {
    let value = start &+ field.prefixLength
    return (chunk[value] == space ? value &+ 1 : value)..<end
  }
}

let space = UInt8(0x20)
