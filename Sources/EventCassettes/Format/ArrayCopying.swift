// Borrowed bytes into arrays, at the price of a copy and no more: with a million small chunks, slices are felt.
//
// UNSAFE, and why: the standard library copies a Span only through its buffer pointer (its safe ways need newer systems
// than this package supports). The pointers never leave these few lines, and bounds are checked before.

extension Array<UInt8> {
  /// A copy of the bytes.
  init(copying bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
  }

  /// Appends a copy of the bytes.
  @inline(__always)
  package mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Moves the bytes of a range to the beginning, over what is there.
  mutating func moveToStart(_ range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "a range outside the array")
    unsafe withUnsafeMutableBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe start.update(from: start + range.lowerBound, count: range.count)
    }
  }

  /// The eight bytes from `place` on, the first one lowest.
  @inline(__always)
  func word(at place: Int) -> UInt64 {
    precondition(place >= 0 && place &+ 8 <= count, "a word outside the array")
    return unsafe withUnsafeBytes {
      UInt64(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: place, as: UInt64.self))
    }
  }

  /// Puts the eight bytes of a word, its lowest first, over those from `place` on.
  @inline(__always)
  mutating func overwrite(from place: Int, with word: UInt64) {
    precondition(place >= 0 && place &+ 8 <= count, "no room in the array")
    unsafe withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: word.littleEndian, toByteOffset: place, as: UInt64.self)
    }
  }

  /// Puts a copy of `source[range]` over the bytes from `place` on. There must be room for ``shortCopy`` bytes: so many are
  /// copied of a range that is shorter, if they are there, since their number is then known and no call is made.
  @inline(__always)
  mutating func overwrite(from place: Int, copying source: [UInt8], _ range: Range<Int>) {
    let isShort = range.count <= Self.shortCopy && range.lowerBound &+ Self.shortCopy <= source.count
    let length = isShort ? Self.shortCopy : range.count
    precondition(
      range.lowerBound >= 0 && range.lowerBound &+ length <= source.count, "a range outside the source")
    precondition(place >= 0 && place &+ length <= count, "no room in the array")
    unsafe source.withUnsafeBytes { source in
      unsafe withUnsafeMutableBytes { target in
        guard let from = source.baseAddress, let to = target.baseAddress else { return }
        if isShort {
          let bytes = unsafe from.loadUnaligned(fromByteOffset: range.lowerBound, as: SIMD32<UInt8>.self)
          unsafe to.storeBytes(of: bytes, toByteOffset: place, as: SIMD32<UInt8>.self)
        } else {
          unsafe (to + place).copyMemory(from: from + range.lowerBound, byteCount: length)
        }
      }
    }
  }

  /// A range of so many bytes is copied fastest.
  static var shortCopy: Int { 32 }
}
