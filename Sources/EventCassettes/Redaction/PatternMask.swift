// The user's regular expressions, matched within one event's joined data. They can match anything, so the data is held
// until the event ends, at most 64 KiB of it; the next 64 KiB are matched apart.

/// Collects an event's data and matches patterns in it.
struct PatternMask {
  static let mostBytes = 64 << 10

  /// What the patterns say of data.
  struct Verdict {
    /// The positions and the bytes of each match.
    var matches: [(positions: ArraySlice<Int>, bytes: [UInt8])] = []
    /// All positions, if a pattern took too long to say.
    var unsearched: [Int] = []
  }

  private let patterns: [PatternMatcher]
  private var text: [UInt8] = []
  private var positions: [Int] = []

  /// - Parameter patience: how long each pattern has for the data of an event.
  /// - Throws: ``CassetteError`` `badRule` for a pattern that doesn't compile.
  init(_ patterns: [String], patience: Duration = PatternMatcher.patience) throws(CassetteError) {
    self.patterns = try patterns.map { (text) throws(CassetteError) in
      try PatternMatcher(text, patience: patience)
    }
  }

  var isEmpty: Bool { patterns.isEmpty }
  /// The position of the first byte whose fate is open.
  var heldFrom: Int? { positions.first }
  var isFull: Bool { text.count >= Self.mostBytes }

  mutating func append(_ byte: UInt8, at position: Int) {
    text.append(byte)
    positions.append(position)
  }

  /// Matches, and forgets the data.
  mutating func run() -> Verdict {
    defer {
      text.removeAll(keepingCapacity: true)
      positions.removeAll(keepingCapacity: true)
    }
    var verdict = Verdict()
    if text.isEmpty { return verdict }
    let subject = Self.decoded(text)
    for pattern in patterns {
      if let ranges = pattern.ranges(in: subject) {
        verdict.matches += ranges.map { (positions[$0], Array(text[$0])) }
      } else {
        verdict.unsearched = positions
      }
    }
    return verdict
  }

  /// The text with each byte that isn't UTF-8 as one ASCII character, so that lengths stay.
  private static func decoded(_ bytes: [UInt8]) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    if text.utf8.elementsEqual(bytes) { return text }
    var valid: [UInt8] = []
    valid.reserveCapacity(bytes.count)
    var index = 0
    while index < bytes.count {
      let length = validLength(bytes, at: index)
      if length == 0 {
        valid.append(0x1A)  // "substitute"
        index += 1
      } else {
        valid.append(contentsOf: bytes[index..<index + length])
        index += length
      }
    }
    return String(decoding: valid, as: UTF8.self)
  }

  /// The length of the UTF-8 sequence at `index`; 0 if there is none.
  private static func validLength(_ bytes: [UInt8], at index: Int) -> Int {
    let first = bytes[index]
    if first < 0x80 { return 1 }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    if index + length > bytes.count { return 0 }
    let sequence = bytes[index..<index + length]
    return String(decoding: sequence, as: UTF8.self).utf8.elementsEqual(sequence) ? length : 0
  }
}
