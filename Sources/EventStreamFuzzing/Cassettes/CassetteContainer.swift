// A fuzzer can't guess checksums. So inputs for the cassette oracles are the inflated records, and are put into gzip
// members here, without compression; inputs that are gzip already are taken as they are.

import EventCassettes

enum CassetteContainer {
  /// The bytes of a cassette file: the input itself if it begins as gzip does, else the input as one member.
  static func file(of input: [UInt8]) -> [UInt8] {
    if input.starts(with: GzipMember.magic) { return input }
    var file = GzipMember.head
    var start = 0
    repeat {
      // A stored block: whether it is the last one, its length, the complement of that, and the bytes.
      let end = min(start + 0xFFFF, input.count)
      let length = UInt16(end - start)
      file.append(end == input.count ? 1 : 0)
      for value in [length, ~length] { file += [UInt8(value & 0xFF), UInt8(value >> 8)] }
      file += input[start..<end]
      start = end
    } while start < input.count
    for value in [crc32(input), UInt32(truncatingIfNeeded: input.count)] {
      for shift in [0, 8, 16, 24] as [UInt32] { file.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    return file
  }

  /// CRC-32 as in RFC 1952, bit by bit: the inputs are small.
  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 0 ? crc >> 1 : (crc >> 1) ^ 0xEDB8_8320 }
    }
    return ~crc
  }
}
