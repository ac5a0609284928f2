// UNSAFE, and why: the standard library copies a Span into an Array or a String only through its buffer pointer
// (its safe ways need newer systems than this package supports), and loads a word only unchecked. The pointers never
// leave these few lines, and the word's bounds are checked here.

extension Array<UInt8> {
  /// A copy of the bytes.
  init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends a copy of the bytes.
  @inline(__always)
  mutating func append(copying bytes: Span<UInt8>) {
    if bytes.count == 1 { return append(bytes[0]) }  // much cheaper, and all there is when bytes come singly
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension String {
  /// Decodes UTF-8, each maximal subpart of an ill-formed sequence replaced by U+FFFD, as the standard's decoder does.
  @inline(__always)
  package init(decoding bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { bytes in
      // What a String holds without storage is made a third faster in place.
      if bytes.count > 15 { return unsafe String(decoding: bytes, as: UTF8.self) }
      return unsafe String(unsafeUninitializedCapacity: bytes.count) {
        unsafe $0.initialize(fromContentsOf: bytes)
      }
    }
  }
}

extension String {
  /// Whether both have the same UTF-8 bytes, which is stricter than `==`.
  func hasSameBytes(as other: String) -> Bool {
    other.utf8.withBytes { hasSameBytes(as: $0) }
  }

  /// Whether its UTF-8 bytes are these. Not generic, so that it is as fast for other modules.
  package func hasSameBytes(as bytes: Span<UInt8>) -> Bool {
    utf8.withBytes { $0.hasSameBytes(as: bytes) }
  }
}

extension Collection<UInt8> {
  /// Lends the elements as one span, without a copy where they are contiguous.
  @inline(__always)
  package func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    let direct = withContiguousStorageIfAvailable { buffer in
      body(unsafe Span(_unsafeElements: buffer))
    }
    return direct ?? body(Array(self).span)
  }
}

extension Span<UInt8> {
  /// Whether both hold the same bytes, 32 and then eight at a time.
  package func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    if count < 8 { return hasSameFewBytes(as: other) }
    var offset = 0
    while offset &+ 32 < count {
      let first = word(at: offset) ^ other.word(at: offset)
      let second = word(at: offset &+ 8) ^ other.word(at: offset &+ 8)
      let third = word(at: offset &+ 16) ^ other.word(at: offset &+ 16)
      let fourth = word(at: offset &+ 24) ^ other.word(at: offset &+ 24)
      guard first | second | third | fourth == 0 else { return false }
      offset &+= 32
    }
    while offset &+ 8 < count {
      guard word(at: offset) == other.word(at: offset) else { return false }
      offset &+= 8
    }
    // Some of the last eight were compared before: that costs less than to pick the rest.
    return word(at: count &- 8) == other.word(at: count &- 8)
  }

  /// The same for as many bytes in both, fewer than eight.
  @inline(__always)
  private func hasSameFewBytes(as other: Span<UInt8>) -> Bool {
    if count >= 4 {
      return halfWord(at: 0) == other.halfWord(at: 0)
        && halfWord(at: count &- 4) == other.halfWord(at: count &- 4)
    }
    for index in indices where self[index] != other[index] { return false }
    return true
  }

  /// The four bytes from `offset` on, which are there.
  @inline(__always)
  private func halfWord(at offset: Int) -> UInt32 {
    precondition(offset &+ 4 <= count)
    return unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt32.self)
  }

  /// The first eight bytes and the last eight: with the count, they are all there is to know of up to sixteen.
  struct Ends: Equatable, Sendable {
    static let mostBytes = 16
    var first: UInt64
    var last: UInt64
  }

  /// Its ends, which overlap where it is short.
  @inline(__always)
  var ends: Ends {
    if count >= 8 { return Ends(first: word(at: 0), last: word(at: count &- 8)) }
    if count >= 4 { return Ends(first: UInt64(halfWord(at: 0)), last: UInt64(halfWord(at: count &- 4))) }
    var word: UInt64 = 0
    for index in indices { word = word &<< 8 | UInt64(self[index]) }
    return Ends(first: word, last: 0)
  }

  /// Whether a byte in the range is NUL, eight looked at together.
  @inline(__always)
  func containsZero(in range: Range<Int>) -> Bool {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = Swift.min(range.upperBound &- offset, 8)
      // What lies behind the range doesn't count.
      let others = count == 8 ? 0 : UInt64.max &<< UInt64(truncatingIfNeeded: count &* 8)
      let word = word(at: offset) | others
      if (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080 != 0 { return true }
      offset &+= 8
    }
    return false
  }

  /// The eight bytes from `offset` on, the first one lowest; zeros where the bytes end before.
  @inlinable @inline(__always)
  package func word(at offset: Int) -> UInt64 {
    if offset &+ 8 <= count {
      return UInt64(
        littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
    return lastWord(at: offset)
  }

  @usableFromInline @inline(never)
  package func lastWord(at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in offset..<count { word |= UInt64(self[index]) << UInt64((index - offset) * 8) }
    return word
  }
}
