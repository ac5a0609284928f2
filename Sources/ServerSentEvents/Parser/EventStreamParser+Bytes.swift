// A chunk of one byte: the same algorithm as EventStreamParser+Lines.swift without a search for line ends, for streams
// that are fed byte by byte. Both lead to the same state, which the fuzzer holds them to.

extension EventStreamParser {
  /// Takes the chunk's only byte, which isn't part of a byte order mark.
  @inline(__always)
  mutating func readByte(of chunk: Span<UInt8>, _ body: Visitor) {
    // Nearly all there is: one more byte of a value, in a block that has too few bytes to pass either limit.
    let byte = chunk[0]
    let blockLength = bytesConsumed &- block.start
    guard case .value(let field) = line.phase, byte != lineFeed, byte != carriageReturn,
      blockLength < limits.line, blockLength < limits.event
    else { return readAnyByte(byte, of: chunk, body) }
    switch field {
    case .data: block.data.append(byte)
    case .event: block.name.append(byte)
    case .id, .comment: line.held.append(byte)
    case .retry: line.retry.append(byte)
    }
    line.length &+= 1
    bytesConsumed &+= 1
  }

  @inline(never)
  private mutating func readAnyByte(_ byte: UInt8, of chunk: Span<UInt8>, _ body: Visitor) {
    let offset = bytesConsumed + 1
    let belongsToCR = endedWithCR && byte == lineFeed
    endedWithCR = false
    if belongsToCR {
      if block.start == bytesConsumed { block.start = offset }
    } else if byte == lineFeed || byte == carriageReturn {
      if line.phase == .start { dispatch(at: offset, body) } else { endLine(at: offset, body) }
      endedWithCR = failure == nil && byte == carriageReturn
    } else if line.length == limits.line {
      exceed(.lineTooLong, limits.line, at: offset, body)
    } else if block.isSkipped {
      line.length += 1
      line.phase = .ignored
    } else {
      line.length += 1
      switch line.phase {
      case .start, .name: extendName(with: byte, at: offset, body)
      case .colon(let field):
        line.phase = .value(field)
        if byte != space { extend(field, with: chunk, at: bytesConsumed, body) }
      case .value(let field): extend(field, with: chunk, at: bytesConsumed, body)
      case .ignored: break
      }
    }
    bytesConsumed = failure?.offset ?? offset
  }
}
