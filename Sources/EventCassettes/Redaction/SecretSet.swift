// Values that were masked, and where they turn up again, in every spelling that streams use. Found by an 8-byte window
// over the bytes and from there in a sorted list, long ones in pieces: so a byte costs a few operations however many
// values there are, and at most as many as a piece has bytes where stream and values are made to be alike. Pure; bounded,
// since a hostile stream may name as many secrets as it likes.

/// The secrets known so far.
struct SecretSet: Sendable {
  /// Shorter values are not looked for: they would be found in everything.
  static let shortest = 8
  /// Longer values are looked for piece by piece, each by itself.
  static let longestPiece = 64
  /// A longer value is looked for by its beginning.
  static let longest = 8 << 10
  /// At most so many pieces, and bytes in all; then the older half is forgotten.
  static let mostEntries = 16_384
  static let mostBytes = 1 << 20

  private var entries: [[UInt8]] = []
  private var bytes = 0
  /// The entries that begin with the same window, in order of their bytes: a stream may name thousands that do.
  private var byPrefix: [UInt64: [Int]] = [:]
  private var filter = [UInt64](repeating: 0, count: 1_024)
  private var beginnings: Set<UInt64> = []
  /// Values with other spellings than their own bytes, all of which are in `entries`: the next time it takes one look to
  /// know that.
  private var spelled: Set<[UInt8]> = []
  private var spelledBytes = 0

  var isEmpty: Bool { entries.isEmpty }

  /// What the bytes from some place on are.
  enum Match: Equatable {
    case none
    /// They begin with a secret, or a piece of one, of this length.
    case whole(Int)
    /// They run out while they may still become one; a whole shorter one may be there already.
    case undecided(whole: Int)
  }

  /// Adds a value in all its spellings. True if something new is looked for from now on.
  mutating func add(_ value: [UInt8]) -> Bool {
    if spelled.contains(value) { return false }
    let spellings = SecretSpellings.all(of: value)
    // Before they are in: where one of them takes the place of the others, this is forgotten with them.
    if !spellings.isEmpty { remember(value) }
    var isNew = false
    func add(_ spelling: [UInt8]) { if insert(spelling) { isNew = true } }
    // A value of several lines is found line by line: in an event stream other bytes stand between its lines.
    for line in value.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) { add(Array(line)) }
    for spelling in spellings { add(spelling) }
    return isNew
  }

  private mutating func remember(_ value: [UInt8]) {
    if value.count > Self.longest { return }
    if spelled.count >= Self.mostEntries || spelledBytes + value.count > Self.mostBytes { forgetSpelled() }
    spelled.insert(value)
    spelledBytes += value.count
  }

  private mutating func forgetSpelled() {
    spelled = []
    spelledBytes = 0
  }

  private mutating func insert(_ spelling: [UInt8]) -> Bool {
    if spelling.count <= Self.longestPiece { return insert(piece: spelling) }
    let last = min(spelling.count, Self.longest) - Self.longestPiece
    var (start, isNew) = (0, false)
    while true {
      if insert(piece: Array(spelling[start..<start + Self.longestPiece])) { isNew = true }
      if start == last { return isNew }
      // Each piece begins before the last one ends: what breaks off behind a piece is already the beginning of the next.
      start = min(start + Self.longestPiece - Self.shortest, last)
    }
  }

  private mutating func insert(piece: [UInt8]) -> Bool {
    if piece.count < Self.shortest { return false }
    // What a mask left behind is no secret: masking twice changes nothing.
    if piece.allSatisfy({ $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "1") }) { return false }
    let prefix = Self.window(piece, at: 0)
    if let candidates = byPrefix[prefix] {
      let place = place(of: piece, among: candidates)
      if place < candidates.count, entries[candidates[place]] == piece { return false }
    }
    if entries.count >= Self.mostEntries || bytes + piece.count > Self.mostBytes { forgetOlderHalf() }
    index(piece, prefix)
    return true
  }

  /// The place of the first candidate that doesn't come before a piece.
  private func place(of piece: [UInt8], among candidates: [Int]) -> Int {
    var (low, high) = (0, candidates.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[candidates[middle]].lexicographicallyPrecedes(piece) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private mutating func index(_ entry: [UInt8], _ prefix: UInt64) {
    let place = place(of: entry, among: byPrefix[prefix] ?? [])
    byPrefix[prefix, default: []].insert(entries.count, at: place)
    entries.append(entry)
    bytes += entry.count
    let bit = Self.bit(prefix)
    filter[bit >> 6] |= 1 << UInt64(bit & 63)
    for length in 1..<Self.shortest {
      let beginning = Self.beginning(prefix, length)
      beginnings.insert(beginning)
      let bit = Self.bit(beginning)
      filter[bit >> 6] |= 1 << UInt64(bit & 63)
    }
  }

  private mutating func forgetOlderHalf() {
    let kept = entries.suffix(entries.count / 2)
    entries = []
    bytes = 0
    byPrefix = [:]
    beginnings = []
    for index in filter.indices { filter[index] = 0 }
    for entry in kept { index(entry, Self.window(entry, at: 0)) }
    forgetSpelled()
  }

  /// What begins at each place of `haystack[start...]`, until one is undecided; returns that place, or the end.
  ///
  /// - Parameter found: gets each whole secret's range.
  func scan(_ haystack: [UInt8], from start: Int, found: (Range<Int>) -> Void) -> Int {
    if entries.isEmpty { return haystack.count }
    var index = start
    let windows = haystack.count - Self.shortest
    if index <= windows {
      var window = Self.window(haystack, at: index)
      while true {
        let bit = Self.bit(window)
        if filter[bit >> 6] & (1 << UInt64(bit & 63)) != 0, let candidates = byPrefix[window] {
          switch match(haystack, at: index, candidates) {
          case .none: break
          case .whole(let length): found(index..<index + length)
          case .undecided(let length):
            if length > 0 { found(index..<index + length) }
            return index
          }
        }
        index += 1
        if index > windows { break }
        window = window << 8 | UInt64(haystack[index + Self.shortest - 1])
      }
    }
    while index < haystack.count {
      var value: UInt64 = 0
      for byte in haystack[index...] { value = value << 8 | UInt64(byte) }
      let length = haystack.count - index
      let beginning = Self.beginning(value << UInt64(64 - 8 * length), length)
      let bit = Self.bit(beginning)
      if filter[bit >> 6] & (1 << UInt64(bit & 63)) != 0, beginnings.contains(beginning) { return index }
      index += 1
    }
    return index
  }

  /// How many bytes from `index` to the end are the beginning of a secret, at least ``shortest``; else 0.
  func unfinished(_ haystack: [UInt8], at index: Int) -> Int {
    let length = haystack.count - index
    guard length >= Self.shortest, let candidates = byPrefix[Self.window(haystack, at: index)],
      case .undecided = match(haystack, at: index, candidates)
    else { return 0 }
    return length
  }

  private func match(_ haystack: [UInt8], at index: Int, _ candidates: [Int]) -> Match {
    // The candidates that agree with the haystack so far, all of `length` bytes or more.
    var (low, high) = (0, candidates.count)
    var length = Self.shortest
    var longest = 0
    while true {
      if entries[candidates[low]].count == length {
        longest = length
        low += 1
        if low == high { return .whole(longest) }
      }
      if index + length == haystack.count { return .undecided(whole: longest) }
      let byte = haystack[index + length]
      if entries[candidates[low]][length] != byte || entries[candidates[high - 1]][length] != byte {
        low = first(of: candidates, from: low, to: high, at: length) { $0 >= byte }
        high = first(of: candidates, from: low, to: high, at: length) { $0 > byte }
        if low == high { return longest > 0 ? .whole(longest) : .none }
      }
      length += 1
    }
  }

  /// The first of sorted candidates whose byte at `offset` is large enough.
  @inline(__always)
  private func first(
    of candidates: [Int], from start: Int, to end: Int, at offset: Int, _ isLargeEnough: (UInt8) -> Bool
  ) -> Int {
    var (low, high) = (start, end)
    while low < high {
      let middle = (low + high) / 2
      if isLargeEnough(entries[candidates[middle]][offset]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private static func window(_ bytes: [UInt8], at index: Int) -> UInt64 {
    var window: UInt64 = 0
    for offset in 0..<shortest { window = window << 8 | UInt64(bytes[index + offset]) }
    return window
  }

  private static func bit(_ window: UInt64) -> Int { Int((window &* 0x9E37_79B9_7F4A_7C15) >> 48) }

  /// The first `length` bytes of a window together with their number.
  private static func beginning(_ window: UInt64, _ length: Int) -> UInt64 {
    window >> UInt64(64 - 8 * length) | UInt64(length) << 56
  }
}

extension SecretSet {
  /// A text without the secrets in it, each as `[FILTERED]`; `nil` if there are none.
  func masked(_ text: String) -> (text: String, count: Int)? {
    if entries.isEmpty { return nil }
    let bytes = Array(text.utf8)
    var ranges: [Range<Int>] = []
    var start = 0
    while start < bytes.count {
      start = scan(bytes, from: start) { range in
        if let last = ranges.last, range.lowerBound < last.upperBound {
          ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
          ranges.append(range)
        }
      }
      start += 1  // the text ends here: what is undecided stays undecided
    }
    if ranges.isEmpty { return nil }
    var masked: [UInt8] = []
    var place = 0
    for range in ranges {
      masked += bytes[place..<range.lowerBound] + Array(HeadMask.mask.utf8)
      place = range.upperBound
    }
    return (String(decoding: masked + bytes[place...], as: UTF8.self), ranges.count)
  }
}
