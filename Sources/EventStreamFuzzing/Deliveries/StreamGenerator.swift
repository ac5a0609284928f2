// Event streams at random that are worth parsing: built from the format's own pieces and from the bytes that break
// parsers. For tests without a fuzzer, and as a mutator's supply.

/// Makes event streams from a seed.
public struct StreamGenerator: Sendable {
  private var generator: SeededGenerator

  /// A generator for a seed: the same seed, the same streams.
  public init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private static let fields = [
    "data", "data", "data", "event", "id", "retry", "", "Data", "dat", "datas", "idx", "retry ",
    "data\u{301}", "x",
  ]
  private static let values = [
    "", " ", "  ", "a", "1", "1000", "00", "99999999999999999999", "+5", "é", "e\u{301}", "\u{301}", "日本",
    "😀", ":",
    "a: b", "{\"t\":\"x\"}", "[DONE]", "\u{FEFF}", "\u{2028}", "\u{85}", "\0", "a\0b", "\t", "message",
    "0x10",
  ]
  private static let raw: [[UInt8]] = [
    [0xFF], [0xC3], [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xEF, 0xBB], [0xEF, 0xBB, 0xBF], [0xC0, 0x80],
    [0xED, 0xA0, 0x80],
    [0xF4, 0x90, 0x80, 0x80], [0x80], [0x00],
  ]
  private static let ends: [[UInt8]] = [[0x0A], [0x0D, 0x0A], [0x0D]]

  /// A stream of some lines (up to 24, mostly fewer).
  public mutating func next() -> [UInt8] {
    var stream: [UInt8] = []
    if generator.below(6) == 0 { stream += [0xEF, 0xBB, 0xBF] }
    let usualEnd = generator.pick(Self.ends)
    let isMixed = generator.below(4) == 0
    for _ in 0..<generator.below(generator.pick([3, 8, 25])) {
      stream += nextLine()
      stream += isMixed ? generator.pick(Self.ends) : usualEnd
    }
    if generator.below(4) == 0 { stream += nextLine() }
    return stream
  }

  /// A line without its end; every fourth is blank.
  public mutating func nextLine() -> [UInt8] {
    guard generator.below(4) != 0 else { return [] }
    var line = Array(generator.pick(Self.fields).utf8)
    if generator.below(10) != 0 {
      line.append(0x3A)
      if generator.below(2) == 0 { line.append(0x20) }
      for _ in 0...generator.below(3) { line += Array(generator.pick(Self.values).utf8) }
    }
    if generator.below(6) == 0 {
      line.insert(contentsOf: generator.pick(Self.raw), at: generator.below(line.count + 1))
    }
    return line
  }

  /// Bytes that break parsers wherever they stand in a line: a piece of UTF-8 or a value.
  mutating func nextPiece() -> [UInt8] {
    generator.below(2) == 0 ? generator.pick(Self.raw) : Array(generator.pick(Self.values).utf8)
  }
}
