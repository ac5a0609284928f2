// Unsigned LEB128, shortest form only: one spelling for each number, so that the same records are the same bytes.

enum LEB128 {
  enum Decoded: Equatable {
    case value(UInt64, length: Int)
    /// The bytes at hand are a beginning.
    case incomplete
    /// What is wrong, as in "a number that is …".
    case malformed(String)
  }

  /// Decodes the number in `bytes[start..<end]` that takes at most `maximumLength` (≤ 10) bytes.
  static func decode<Bytes: RandomAccessCollection<UInt8>>(
    _ bytes: Bytes, from start: Int, to end: Int, maximumLength: Int
  ) -> Decoded where Bytes.Index == Int {
    var value: UInt64 = 0
    var length = 0
    while length < maximumLength {
      if start + length >= end { return .incomplete }
      let byte = bytes[start + length]
      let bits = UInt64(byte & 0x7F)
      if length == 9, bits > 1 { return .malformed("over 64 bits") }
      value |= bits << UInt64(7 * length)
      length += 1
      if byte < 0x80 {
        return byte == 0 && length > 1
          ? .malformed("not in its shortest form") : .value(value, length: length)
      }
    }
    return .malformed("over \(maximumLength) bytes long")
  }

  /// Appends a number in its shortest form.
  static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A number below 2^28 as its bytes, the first one lowest.
  @inline(__always)
  static func word(of number: UInt64) -> UInt64 {
    let groups =
      number & 0x7F | (number & 0x3F80) << 1 | (number & 0x1F_C000) << 2 | (number & 0xFE0_0000) << 3
    // All bytes but the last say that more follow.
    return groups | 0x8080_8080 & ((1 << UInt64(8 * (length(of: number) - 1))) - 1)
  }

  /// How many bytes a number takes.
  static func length(of number: UInt64) -> Int {
    max(1, (64 - number.leadingZeroBitCount + 6) / 7)
  }
}
