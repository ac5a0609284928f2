// The "UTF-8 decode" algorithm as the standard writes it down, over a whole buffer: no fast path, no use of the
// standard library's own validation, because that is what the product is built on and what this is held against.

/// Decodes UTF-8 with replacement, a byte at a time, exactly as the WHATWG Encoding Standard's decoder does.
///
/// See the Encoding Standard, section 8.1.1 (*UTF-8 decoder*): an ill-formed sequence becomes one U+FFFD for each
/// maximal subpart.
public enum ReferenceDecoder {
  /// One decoded scalar and how many bytes had been read once it was known.
  public struct Decoded: Hashable, Sendable {
    /// The scalar, U+FFFD for bytes that are no UTF-8.
    public var scalar: Unicode.Scalar
    /// The offset in the bytes at which the scalar's bytes end.
    public var end: Int
  }

  private static let replacement: Unicode.Scalar = "\u{FFFD}"

  /// Every scalar of the bytes. A byte order mark is a scalar like any other here.
  public static func decode(_ bytes: [UInt8]) -> [Decoded] {
    var decoded: [Decoded] = []
    var codePoint: UInt32 = 0
    var needed = 0
    var seen = 0
    var lower: UInt8 = 0x80
    var upper: UInt8 = 0xBF
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      if needed == 0 {
        index += 1
        switch byte {
        case 0x00...0x7F:
          decoded.append(Decoded(scalar: Unicode.Scalar(byte), end: index))
        case 0xC2...0xDF:
          needed = 1
          codePoint = UInt32(byte & 0x1F)
        case 0xE0...0xEF:
          if byte == 0xE0 { lower = 0xA0 }
          if byte == 0xED { upper = 0x9F }
          needed = 2
          codePoint = UInt32(byte & 0x0F)
        case 0xF0...0xF4:
          if byte == 0xF0 { lower = 0x90 }
          if byte == 0xF4 { upper = 0x8F }
          needed = 3
          codePoint = UInt32(byte & 0x07)
        default:
          decoded.append(Decoded(scalar: replacement, end: index))
        }
        continue
      }
      guard lower <= byte, byte <= upper else {
        // The byte is read again as the beginning of something new.
        decoded.append(Decoded(scalar: replacement, end: index))
        (codePoint, needed, seen, lower, upper) = (0, 0, 0, 0x80, 0xBF)
        continue
      }
      index += 1
      (lower, upper) = (0x80, 0xBF)
      codePoint = codePoint << 6 | UInt32(byte & 0x3F)
      seen += 1
      if seen == needed {
        decoded.append(Decoded(scalar: Unicode.Scalar(codePoint) ?? replacement, end: index))
        (codePoint, needed, seen) = (0, 0, 0)
      }
    }
    if needed != 0 { decoded.append(Decoded(scalar: replacement, end: bytes.count)) }
    return decoded
  }

  /// The bytes as text.
  public static func text(_ bytes: [UInt8]) -> String {
    var text = String.UnicodeScalarView()
    for item in decode(bytes) { text.append(item.scalar) }
    return String(text)
  }
}
