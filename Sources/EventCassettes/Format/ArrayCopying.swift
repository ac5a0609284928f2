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
  mutating func append(copying bytes: Span<UInt8>) {
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

  /// Puts a copy of the bytes over those from `place` on.
  @inline(__always)
  mutating func overwrite(from place: Int, copying bytes: Span<UInt8>) {
    precondition(place >= 0 && place + bytes.count <= count, "no room in the array")
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeMutableBufferPointer { target in
        guard let from = bytes.baseAddress, let to = target.baseAddress else { return }
        unsafe (to + place).update(from: from, count: bytes.count)
      }
    }
  }
}
