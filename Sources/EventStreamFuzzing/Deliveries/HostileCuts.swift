// Where parsers of event streams break when a chunk ends there. Kept apart from the deliveries because it reads the
// bytes: it has to know where lines, names and characters are.

extension Delivery {
  /// Cuts where faults live: inside every CR LF, between the two line ends of a blank line, inside every UTF-8
  /// sequence and the byte order mark, after every colon, inside every field name; each with an empty chunk.
  public static func hostile(_ bytes: [UInt8]) -> Delivery {
    let cuts = hostileOffsets(in: bytes)
    return at(cuts.flatMap { [$0, $0] })
  }

  /// The offsets of ``hostile(_:)``, each once, in ascending order.
  public static func hostileOffsets(in bytes: [UInt8]) -> [Int] {
    var cuts: Set<Int> = []
    var inName = true
    for (index, byte) in bytes.enumerated() where index > 0 {
      let previous = bytes[index - 1]
      let endsLine = previous == 0x0A || (previous == 0x0D && byte != 0x0A)
      if previous == 0x0D, byte == 0x0A { cuts.insert(index) }
      if endsLine, byte == 0x0A || byte == 0x0D { cuts.insert(index) }
      // A continuation byte: the second and third of U+FEFF are such, too.
      if byte & 0xC0 == 0x80 { cuts.insert(index) }
      if previous == 0x3A { cuts.insert(index) }
      if endsLine { inName = true }
      if previous == 0x3A || byte == 0x3A { inName = false }
      if inName, !endsLine, byte != 0x0A, byte != 0x0D { cuts.insert(index) }
    }
    return cuts.sorted()
  }
}
