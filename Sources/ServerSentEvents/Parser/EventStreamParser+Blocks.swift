// Blocks that lie in one chunk, read in place: all that is noted of a line is where its value lies, and nothing is
// copied before the chunk ends. What isn't plain (an unknown field or one without a colon, a second data line, a
// block that might pass a limit or that the chunk doesn't end) is left to the long way in EventStreamParser+Lines.swift.
// Both lead to the same state, which the fuzzer holds them to.

extension EventStreamParser {
  /// What the lines of a block in the chunk have said so far: values by place, each there if its field was seen.
  private struct PlainBlock {
    struct Fields: OptionSet {
      let rawValue: UInt8
      static let data = Fields(rawValue: 1)
      static let name = Fields(rawValue: 2)
      static let id = Fields(rawValue: 4)
      static let retry = Fields(rawValue: 8)
    }

    var start: Int
    var seen: Fields = []
    var data = 0..<0
    var name = 0..<0
    var id = 0..<0
    var retry: Int64 = 0
    /// The id of the last finished block that had one.
    var lastID: Range<Int>?
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
    var block = PlainBlock(start: start)
    var start = start
    var lineEnds = scanner  // in registers
    var end = lineEnds.next(in: chunk)
    while end < chunk.count {
      let offset = origin &+ end &+ 1
      if end == start {
        if block.seen == .data {  // most blocks
          block.seen = []
          let data = chunk.extracting(block.data)
          report(.event(hasID: false, retry: nil, offset: offset), data, id: block.lastID, chunk, body)
        } else if !block.seen.isEmpty {
          finish(&block, at: offset, in: chunk, body)
        }
        start = LineEndScanner.nextLine(after: end, in: chunk)
        block.start = start
      } else {
        guard end &- block.start <= plainSize else { break }
        let word = chunk.word(at: start)
        if EventStreamField.data.begins(line: word) {
          guard !block.seen.contains(.data) else { break }
          block.seen.insert(.data)
          block.data = value(of: .data, from: start, to: end, in: chunk)
        } else if EventStreamField.comment.begins(line: word) {
          report(.comment(offset: offset), chunk.extracting(start &+ 1..<end), id: block.lastID, chunk, body)
        } else if EventStreamField.id.begins(line: word) {
          let id = value(of: .id, from: start, to: end, in: chunk)
          if !chunk.extracting(id).containsZero {
            block.seen.insert(.id)
            block.id = id
          }
        } else if EventStreamField.event.begins(line: word) {
          block.seen.insert(.name)
          block.name = value(of: .event, from: start, to: end, in: chunk)
        } else if EventStreamField.retry.begins(line: word) {
          let digits = chunk.extracting(value(of: .retry, from: start, to: end, in: chunk))
          if let milliseconds = RetryDigits.value(of: digits) {
            block.seen.insert(.retry)
            block.retry = milliseconds
            retry = milliseconds
            let visit = Visit.retry(milliseconds: milliseconds, offset: offset)
            report(visit, Span(), id: block.lastID, chunk, body)
          }
        } else {
          break
        }
        start = LineEndScanner.nextLine(after: end, in: chunk)
      }
      end = lineEnds.next(in: chunk)
    }
    scanner = lineEnds
    keep(block, of: chunk)
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

  /// The blank line of a block that has more than data. Mutating so that the parser isn't copied to be passed.
  @inline(never)
  private mutating func finish(
    _ block: inout PlainBlock, at offset: Int, in chunk: Span<UInt8>, _ body: Visitor
  ) {
    let seen = block.seen
    block.seen = []
    if seen.contains(.id) { block.lastID = block.id }
    guard seen.contains(.data) else { return }
    let retry = seen.contains(.retry) ? block.retry : nil
    let visit = Visit.event(hasID: seen.contains(.id), retry: retry, offset: offset)
    let name = chunk.extracting(seen.contains(.name) ? block.name : 0..<0)
    report(visit, chunk.extracting(block.data), name: name, id: block.lastID, chunk, body)
  }

  /// Copies an unfinished block to where it outlives the chunk.
  private mutating func keep(_ plain: PlainBlock, of chunk: Span<UInt8>) {
    if let id = plain.lastID {
      committedID.removeAll(keepingCapacity: true)
      committedID.append(copying: chunk.extracting(id))
    }
    block.start = bytesConsumed + plain.start
    if plain.seen.contains(.data) {
      block.hasData = true
      block.data.append(copying: chunk.extracting(plain.data))
    }
    if plain.seen.contains(.name) { block.name.append(copying: chunk.extracting(plain.name)) }
    if plain.seen.contains(.id) {
      block.hasID = true
      block.id.append(copying: chunk.extracting(plain.id))
    }
    if plain.seen.contains(.retry) { block.retry = plain.retry }
  }

  /// Lends `body` what came out, with the last event ID in effect: the one at `id`, or the parser's own.
  @inline(__always)
  private func report(
    _ visit: Visit, _ payload: Span<UInt8>, name: Span<UInt8> = Span(), id: Range<Int>?, _ chunk: Span<UInt8>,
    _ body: Visitor
  ) {
    if let id {
      body(visit, payload, name, chunk.extracting(id))
    } else {
      body(visit, payload, name, committedID.span)
    }
  }
}

let space = UInt8(0x20)
