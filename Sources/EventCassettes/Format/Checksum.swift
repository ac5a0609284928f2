// The one checksum of the format.
//
// UNSAFE, and why: C takes a pointer. It stays within the closure that lends it, with the count of what it comes from.

import CChecksum

enum Checksum {
  /// The CRC-32 of bytes, going on from `crc` (0 at the start).
  static func crc32(_ crc: UInt32, _ bytes: Span<UInt8>) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      guard let start = bytes.baseAddress else { return crc }
      return unsafe cchecksum_crc32(crc, start, bytes.count)
    }
  }
}
