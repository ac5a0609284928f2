// How a whole stream falls into lines, with the byte offsets that limits and outputs are measured in.

/// A line of a decoded stream.
struct ReferenceLine {
  /// The line's scalars without its end, each with the offset at which its bytes end.
  var content: [ReferenceDecoder.Decoded] = []
  /// The offset of its first byte.
  var start = 0
  /// The offset after the first byte of its end (of a CR LF: after the CR); `nil` for pending data at the stream's end.
  var endsAt: Int?
  /// The offset after its whole end.
  var nextAt = 0

  /// Its text.
  var scalars: [Unicode.Scalar] { content.map(\.scalar) }

  /// The offset of the byte after the line's n-th scalar, or of its first byte for 0.
  func offset(after count: Int) -> Int { count == 0 ? start : content[count - 1].end }

  /// Cuts a decoded stream into lines: LF, CR LF and CR end one. The last line is the pending data, perhaps empty.
  static func lines(of scalars: [ReferenceDecoder.Decoded], from start: Int) -> [ReferenceLine] {
    var lines: [ReferenceLine] = []
    var line = ReferenceLine(start: start)
    var index = 0
    while index < scalars.count {
      let current = scalars[index]
      index += 1
      guard current.scalar == "\r" || current.scalar == "\n" else {
        line.content.append(current)
        continue
      }
      line.endsAt = current.end
      line.nextAt = current.end
      if current.scalar == "\r", index < scalars.count, scalars[index].scalar == "\n" {
        line.nextAt = scalars[index].end
        index += 1
      }
      lines.append(line)
      line = ReferenceLine(start: line.nextAt)
    }
    lines.append(line)
    return lines
  }
}
