// The user's regular expressions, matched within one event's joined data. They can match anything, so the data is held
// until the event ends, at most 64 KiB of it; the next 64 KiB are matched apart.

/// Collects an event's data and matches patterns in it.
struct PatternMask {
  static let mostBytes = 64 << 10

  private let patterns: [Regex<AnyRegexOutput>]
  private var text: [UInt8] = []
  private var positions: [Int] = []

  /// - Throws: ``CassetteError`` `badRule` for a pattern that doesn't compile.
  init(_ patterns: [String]) throws(CassetteError) {
    var compiled: [Regex<AnyRegexOutput>] = []
    for pattern in patterns {
      do {
        compiled.append(try Regex(pattern).matchingSemantics(.unicodeScalar))
      } catch {
        throw CassetteError(.badRule, "the pattern \"\(pattern)\" is no regular expression: \(error)")
      }
    }
    self.patterns = compiled
  }

  var isEmpty: Bool { patterns.isEmpty }
  /// The position of the first byte whose fate is open.
  var heldFrom: Int? { positions.first }
  var isFull: Bool { text.count >= Self.mostBytes }

  mutating func append(_ byte: UInt8, at position: Int) {
    text.append(byte)
    positions.append(position)
  }

  /// Matches, forgets the data, and returns the positions and the bytes of each match.
  mutating func run() -> [(positions: ArraySlice<Int>, bytes: [UInt8])] {
    defer {
      text.removeAll(keepingCapacity: true)
      positions.removeAll(keepingCapacity: true)
    }
    if text.isEmpty { return [] }
    let subject = Self.decoded(text)
    var matches: [(ArraySlice<Int>, [UInt8])] = []
    for pattern in patterns {
      for range in subject.ranges(of: pattern) where !range.isEmpty {
        let start = subject.utf8.distance(from: subject.startIndex, to: range.lowerBound)
        let end = subject.utf8.distance(from: subject.startIndex, to: range.upperBound)
        matches.append((positions[start..<end], Array(text[start..<end])))
      }
    }
    return matches
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
