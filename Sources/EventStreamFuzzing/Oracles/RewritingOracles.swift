// Changes to a stream that the standard gives no meaning: the kind of line end, a byte order mark in front.

import ServerSentEvents

extension Oracle {
  static let lineEnds = Oracle(
    name: "lineEnds", statement: "LF, CR LF and CR mean the same, also mixed."
  ) { input in
    lineEndVariants(of: input).lazy.compactMap { variant in
      let (expected, got) = (Trace(input, .whole), Trace(variant, .byteByByte(variant.count)))
      let difference = firstDifference(withoutOffsets(expected.items), withoutOffsets(got.items))
      return difference.map {
        Finding(oracle: "lineEnds", delivery: "bytes:1", expected: $0.expected, got: $0.got)
          .failing("with \(lineEndNames(in: variant))", as: variant)
      }
    }.first
  }

  static let byteOrderMark = Oracle(
    name: "byteOrderMark", statement: "A byte order mark at the very beginning changes nothing."
  ) { input in
    // A stream that begins with a mark would have its own one kept: look at it without.
    let bare = Array(input.starts(with: mark) ? input.dropFirst(3) : input[...])
    guard !bare.starts(with: mark) else { return nil }
    let marked = mark + bare
    let (expected, got) = (Trace(bare, .whole), Trace(marked, .hashed(marked)))
    return firstDifference(withoutOffsets(expected.items), withoutOffsets(got.items)).map {
      Finding(
        oracle: "byteOrderMark", delivery: Delivery.hashed(marked).description, expected: $0.expected,
        got: $0.got
      ).failing(markForm, as: marked)
    }
  }

  static let mark = EventStreamEncoder.byteOrderMark
  static let markForm = "with a byte order mark in front"

  /// What a stream's lines end in, in words: `CR LF line ends`.
  static func lineEndNames(in stream: [UInt8]) -> String {
    var names: Set<String> = []
    for (index, byte) in stream.enumerated() {
      let isAfterCR = index > 0 && stream[index - 1] == 0x0D
      let isBeforeLF = index + 1 < stream.count && stream[index + 1] == 0x0A
      if byte == 0x0A { names.insert(isAfterCR ? "CR LF" : "LF") }
      if byte == 0x0D, !isBeforeLF { names.insert("CR") }
    }
    return (names.count == 1 ? names.first ?? "" : names.isEmpty ? "no" : "mixed") + " line ends"
  }

  static func withoutOffsets(_ items: [ReferenceParser.Item]) -> [ReferenceParser.Item] {
    items.map { ReferenceParser.Item(output: $0.output, offset: 0) }
  }

  /// The stream with all line ends LF, all CR LF, all CR, and mixed as its content says.
  static func lineEndVariants(of input: [UInt8]) -> [[UInt8]] {
    let lines = lines(of: input)
    var generator = SeededGenerator(hashing: input)
    var mixed: [UInt8] = []
    for (index, line) in lines.enumerated() {
      mixed += line
      guard index < lines.count - 1 else { break }
      // An LF right after a lone CR would be taken for the CR's own.
      let ends: [[UInt8]] = mixed.last == 0x0D ? [[0x0D, 0x0A], [0x0D]] : [[0x0A], [0x0D, 0x0A], [0x0D]]
      mixed += generator.pick(ends)
    }
    return [[0x0A], [0x0D, 0x0A], [0x0D]].map { Array(lines.joined(separator: $0 as [UInt8])) } + [mixed]
  }

  private static func lines(of input: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines: [ArraySlice<UInt8>] = []
    var start = 0
    var index = 0
    while index < input.count {
      defer { index += 1 }
      guard input[index] == 0x0A || input[index] == 0x0D else { continue }
      lines.append(input[start..<index])
      if input[index] == 0x0D, index + 1 < input.count, input[index + 1] == 0x0A { index += 1 }
      start = index + 1
    }
    lines.append(input[start...])
    return lines
  }
}
