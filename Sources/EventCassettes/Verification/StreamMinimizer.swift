// From a failing stream to one that a person can read: fewer events, then lines, then bytes, then cuts. It is told by a
// closure what still fails, and how, so that it can't slip from one fault to another; it knows nothing of parsers. What is
// text stays text: bytes that no sane server sends would only distract from the fault.

/// Makes a failing stream and its cuts small (Zeller and Hildebrandt's ddmin, over ever finer units).
public struct StreamMinimizer<Kind: Equatable> {
  /// A stream and where it is cut: offsets into its bytes, ascending.
  public struct Candidate: Hashable, Sendable {
    /// The stream's bytes.
    public var bytes: [UInt8]
    /// Offsets of the cuts, 0 < cut < count. One that stands there again makes an empty chunk.
    public var cuts: [Int]

    /// Creates a candidate.
    public init(bytes: [UInt8], cuts: [Int] = []) {
      self.bytes = bytes
      self.cuts = cuts
    }

    /// The chunks.
    public var chunks: [[UInt8]] {
      guard !bytes.isEmpty else { return [] }
      let places = [0] + cuts + [bytes.count]
      return zip(places, places.dropFirst()).map { Array(bytes[$0..<$1]) }
    }

    /// The stream without some ranges (ascending, apart); cuts move with the bytes around them.
    func without(_ ranges: ArraySlice<Range<Int>>) -> Candidate {
      var kept: [UInt8] = []
      var moved: [Int] = []
      var rest = cuts[...]
      var start = 0
      for range in ranges + [bytes.count..<bytes.count] {
        // A cut at the edge of what is removed stays, as a cut between its neighbours.
        while let cut = rest.first, cut <= range.lowerBound {
          let isRepeated = rest.startIndex > 0 && cuts[rest.startIndex - 1] == cut
          rest.removeFirst()
          let place = kept.count + cut - start
          // Two that come to the same place are one, unless they made an empty chunk before.
          if place > 0, isRepeated || place != moved.last { moved.append(place) }
        }
        kept += bytes[start..<range.lowerBound]
        start = range.upperBound
        rest = rest.drop { $0 < start }
      }
      return Candidate(bytes: kept, cuts: moved.filter { $0 < kept.count })
    }
  }

  /// How many more tries it may make.
  public private(set) var tries: Int
  private let kind: (Candidate) -> Kind?
  /// Whether the stream is valid UTF-8, and is to stay so.
  private var isText = false

  /// Creates a minimizer.
  ///
  /// - Parameters:
  ///   - tries: how often it may call `kind`; when they are used up the smallest so far is the result.
  ///   - kind: how a candidate fails, `nil` if it doesn't.
  public init(tries: Int = 20_000, kind: @escaping (Candidate) -> Kind?) {
    self.tries = tries
    self.kind = kind
  }

  /// The smallest candidate found that fails as `start` does; `nil` if `start` doesn't fail.
  public mutating func minimized(_ start: Candidate) -> Candidate? {
    guard let wanted = kind(start) else { return nil }
    isText = start.bytes.isUTF8
    var best = start
    while true {
      let before = best
      for unit in Unit.allCases { best = removing(unit, from: best, wanted) }
      best = removingCuts(from: best, wanted)
      best = plainer(best, wanted)
      if best == before || tries <= 0 { return best }
    }
  }

  /// What is removed together.
  private enum Unit: CaseIterable {
    case block, line, character

    func ranges(of bytes: [UInt8], asText isText: Bool) -> [Range<Int>] {
      switch self {
      case .character:
        let starts = bytes.indices.filter { !isText || !bytes[$0].isContinuation }
        return zip(starts, starts.dropFirst() + [bytes.count]).map { $0..<$1 }
      case .line, .block:
        var ranges: [Range<Int>] = []
        var start = 0
        var lineStart = 0
        for index in bytes.indices where bytes[index] == 0x0A || bytes[index] == 0x0D {
          let isCRLF = bytes[index] == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A
          if isCRLF { continue }
          let isBlank = bytes[lineStart..<index].allSatisfy { $0 == 0x0D }
          if self == .line || isBlank {
            ranges.append(start..<index + 1)
            start = index + 1
          }
          lineStart = index + 1
        }
        if start < bytes.count { ranges.append(start..<bytes.count) }
        return ranges
      }
    }
  }

  private mutating func fails(_ candidate: Candidate, _ wanted: Kind) -> Bool {
    tries -= 1
    return kind(candidate) == wanted
  }

  /// Removes units, many at once first, then ever fewer.
  private mutating func removing(_ unit: Unit, from start: Candidate, _ wanted: Kind) -> Candidate {
    var best = start
    var size = unit.ranges(of: best.bytes, asText: isText).count / 2
    while size >= 1, tries > 0 {
      var place = 0
      while tries > 0 {
        let ranges = unit.ranges(of: best.bytes, asText: isText)
        guard place < ranges.count else { break }
        let shorter = best.without(ranges[place..<Swift.min(place + size, ranges.count)])
        if shorter.bytes.count < best.bytes.count, fails(shorter, wanted) {
          best = shorter
        } else {
          place += size
        }
      }
      size /= 2
    }
    return best
  }

  private mutating func removingCuts(from start: Candidate, _ wanted: Kind) -> Candidate {
    var best = start
    var size = best.cuts.count
    while size >= 1, tries > 0 {
      var place = 0
      while place < best.cuts.count, tries > 0 {
        var fewer = best
        fewer.cuts.removeSubrange(place..<Swift.min(place + size, fewer.cuts.count))
        if fails(fewer, wanted) { best = fewer } else { place += size }
      }
      size /= 2
    }
    return best
  }

  /// Turns letters, digits and what is beyond ASCII into `a`, and CR into LF, where that changes nothing, so that what
  /// matters stands out.
  private mutating func plainer(_ start: Candidate, _ wanted: Kind) -> Candidate {
    guard start.bytes.count <= 256 else { return start }
    var best = start
    var place = 0
    while tries > 0 {
      let ranges = Unit.character.ranges(of: best.bytes, asText: isText)
      guard place < ranges.count else { break }
      let range = ranges[place]
      place += 1
      let byte = best.bytes[range.lowerBound]
      switch byte {
      case 0x0D, UInt8(ascii: "b")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), 0x80...:
        var plain = best.without([range.lowerBound + 1..<range.upperBound])
        plain.bytes[range.lowerBound] = byte == 0x0D ? 0x0A : UInt8(ascii: "a")
        if fails(plain, wanted) { best = plain }
      case _: break
      }
    }
    return best
  }
}

extension [UInt8] {
  /// Whether they are valid UTF-8.
  fileprivate var isUTF8: Bool { String(decoding: self, as: UTF8.self).utf8.elementsEqual(self) }
}

extension UInt8 {
  /// Whether it continues a UTF-8 sequence.
  fileprivate var isContinuation: Bool { self & 0xC0 == 0x80 }
}
