// UNSAFE, and why: the standard library copies a Span into an Array or a String only through its buffer pointer
// (its safe ways need newer systems than this package supports). The pointers never leave these few lines.

extension Array<UInt8> {
  /// Appends a copy of the bytes.
  @inline(__always)
  mutating func append(copying bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension String {
  /// Decodes UTF-8, each maximal subpart of an ill-formed sequence replaced by U+FFFD, as the standard's decoder does.
  @inline(__always)
  init(decoding bytes: Span<UInt8>) {
    self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
  }
}

extension Collection<UInt8> {
  /// Lends the elements as one span, without a copy where they are contiguous.
  @inline(__always)
  func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    let direct = withContiguousStorageIfAvailable { buffer in
      body(unsafe Span(_unsafeElements: buffer))
    }
    return direct ?? body(Array(self).span)
  }
}

extension Span<UInt8> {
  /// Whether these are the text's UTF-8 bytes.
  @inline(__always)
  func isSameText(as text: String) -> Bool {
    guard count == text.utf8.count else { return false }
    var offset = 0
    for byte in text.utf8 {
      if byte != self[offset] { return false }
      offset += 1
    }
    return true
  }

  /// The eight bytes from `offset` on, the first one lowest; zeros where the bytes end before.
  @inline(__always)
  package func word(at offset: Int) -> UInt64 {
    if count - offset >= 8, offset >= 0 {
      return UInt64(
        littleEndian: unsafe bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }
    var word: UInt64 = 0
    for index in offset..<count { word |= UInt64(self[index]) << UInt64((index - offset) * 8) }
    return word
  }
}
