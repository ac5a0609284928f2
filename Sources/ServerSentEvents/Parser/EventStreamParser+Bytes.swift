// A chunk of one byte: the same algorithm as EventStreamParser+Lines.swift without a search for line ends, for streams
// that are fed byte by byte. Both lead to the same state, which the fuzzer holds them to.

extension EventStreamParser {
  /// Takes the chunk's only byte, which isn't part of a byte order mark.
  mutating func readByte(of chunk: Span<UInt8>, _ body: Visitor) {
    let byte = chunk[0]
    if case .value(.data) = line.phase, byte != lineFeed, byte != carriageReturn, line.length < limits.line,
      blockSize < limits.event
    {  // nearly all there is
      block.data.append(byte)
      line.length += 1
      bytesConsumed += 1
      return
    }
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
