// UNSAFE, and why: the sums are compared with those of zlib itself, which takes a pointer.

import CZlib
import Testing

@testable import EventCassettes

@Suite("The checksum")
struct ChecksumTests {
  /// Bytes without a pattern.
  private func makeBytes(_ count: Int) -> [UInt8] {
    var generator = SplitMix64(seed: UInt64(count))
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
  }

  private func zlibSum(_ crc: UInt32, _ bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { unsafe UInt32(crc32_z(UInt(crc), $0.baseAddress, $0.count)) }
  }

  @Test("is zlib's for every length around its strides, and goes on from any sum before")
  func agreesWithZlib() {
    for count in Array(0...600) + [1023, 4096, 65_535, 65_536] {
      let bytes = makeBytes(count)
      for before in [0, 1, 0xDEAD_BEEF, .max] as [UInt32] {
        let expected = count == 0 ? before : zlibSum(before, bytes)
        #expect(Checksum.crc32(before, bytes.span) == expected, "\(count) bytes after \(before)")
      }
    }
  }

  @Test("of a stream doesn't depend on how it is cut or where it lies")
  func goesOn() {
    let bytes = makeBytes(3000)
    for cut in stride(from: 0, through: 3000, by: 7) {
      let first = Checksum.crc32(0, bytes.span.extracting(0..<cut))
      #expect(Checksum.crc32(first, bytes.span.extracting(cut..<3000)) == zlibSum(0, bytes))
    }
  }

  @Test("is the known one of the digits 1 to 9")
  func knownValue() {
    #expect(Checksum.crc32(0, Array("123456789".utf8).span) == 0xCBF4_3926)
  }
}
