// Values that were masked, and where they turn up again, in every spelling that streams use. Found by an 8-byte window
// over the bytes, so that a byte costs a few operations however many values there are. Pure; bounded, since a hostile
// stream may name as many secrets as it likes.

/// The secrets known so far.
struct SecretSet: Sendable {
  /// Shorter values are not looked for: they would be found in everything.
  static let shortest = 8
  /// A longer value is looked for by its beginning.
  static let longest = 8 << 10
  /// At most so many spellings, and bytes in all; then the older half is forgotten.
  static let mostEntries = 4_096
  static let mostBytes = 1 << 20

  private var entries: [[UInt8]] = []
  /// The entries by all their bytes: a stream may name thousands that begin alike.
  private var byDigest: [UInt64: [Int]] = [:]
  private var bytes = 0
  private var byPrefix: [UInt64: [Int]] = [:]
  private var filter = [UInt64](repeating: 0, count: 1_024)
  private var beginnings: Set<UInt64> = []

  var isEmpty: Bool { entries.isEmpty }

  /// What the bytes from some place on are.
  enum Match: Equatable {
    case none
    /// They begin with a secret of this length.
    case whole(Int)
    /// They run out while they may still become one; a whole shorter one may be there already.
    case undecided(whole: Int)
  }

  /// Adds a value in all its spellings. True if something new is looked for from now on.
  mutating func add(_ value: [UInt8]) -> Bool {
    var isNew = false
    func add(_ spelling: [UInt8]) { if insert(spelling) { isNew = true } }
    // A value of several lines is found line by line: in an event stream other bytes stand between its lines.
    for line in value.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) { add(Array(line)) }
    for spelling in SecretSpellings.all(of: value) { add(spelling) }
    return isNew
  }

  private mutating func insert(_ spelling: [UInt8]) -> Bool {
    if spelling.count < Self.shortest { return false }
    // What a mask left behind is no secret: masking twice changes nothing.
    if spelling.allSatisfy({ $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "1") }) { return false }
    let entry = Array(spelling.prefix(Self.longest))
    let prefix = Self.window(entry, at: 0)
    if let known = byDigest[Self.digest(entry)], known.contains(where: { entries[$0] == entry }) {
      return false
    }
    if entries.count >= Self.mostEntries || bytes + entry.count > Self.mostBytes { forgetOlderHalf() }
    index(entry, prefix)
    return true
  }

  private mutating func index(_ entry: [UInt8], _ prefix: UInt64) {
    byPrefix[prefix, default: []].append(entries.count)
    byDigest[Self.digest(entry), default: []].append(entries.count)
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
    byDigest = [:]
    bytes = 0
    byPrefix = [:]
    beginnings = []
    for index in filter.indices { filter[index] = 0 }
    for entry in kept { index(entry, Self.window(entry, at: 0)) }
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
    guard length >= Self.shortest, let candidates = byPrefix[Self.window(haystack, at: index)] else {
      return 0
    }
    return candidates.contains { entries[$0].starts(with: haystack[index...]) } ? length : 0
  }

  private func match(_ haystack: [UInt8], at index: Int, _ candidates: [Int]) -> Match {
    let left = haystack.count - index
    var longest = 0
    var isUndecided = false
    for candidate in candidates {
      let entry = entries[candidate]
      var length = Self.shortest
      let most = min(left, entry.count)
      while length < most, haystack[index + length] == entry[length] { length += 1 }
      if length == entry.count {
        longest = max(longest, length)
      } else if length == left {
        isUndecided = true
      }
    }
    return isUndecided ? .undecided(whole: longest) : longest > 0 ? .whole(longest) : .none
  }

  private static func window(_ bytes: [UInt8], at index: Int) -> UInt64 {
    var window: UInt64 = 0
    for offset in 0..<shortest { window = window << 8 | UInt64(bytes[index + offset]) }
    return window
  }

  /// FNV-1a: the standard library hashes the bytes of an array one call at a time.
  private static func digest(_ bytes: [UInt8]) -> UInt64 {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return digest
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
