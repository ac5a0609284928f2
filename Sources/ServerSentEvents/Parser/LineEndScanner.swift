// The byte scan: where is the next LF or CR? It looks at each byte once, 64 at a time, and keeps the line ends it
// found as a bit mask, so that short lines cost a bit operation each. This is its only job.
//
// UNSAFE, and why: words are loaded without a bounds check of their own; `refill` checks the whole window first.

/// Finds the line ends of one chunk in order.
package struct LineEndScanner {
  /// Line ends not yet handed out: bit n stands for the byte at `window + n`.
  private var mask: UInt64 = 0
  /// Offset of the window's first byte.
  private var window: Int
  /// Offset behind the window: where the next one begins.
  private var scanned: Int

  package init(from start: Int) {
    window = start
    scanned = start
  }

  /// The offset of the next LF or CR, or `bytes.count` if there is none. Must be given the same bytes each time.
  @inline(__always)
  package mutating func next(in bytes: Span<UInt8>) -> Int {
    while mask == 0 {
      if scanned == bytes.count { return scanned }
      refill(from: bytes)
    }
    let end = window &+ mask.trailingZeroBitCount
    mask &= mask &- 1
    return end
  }

  @inline(__always)
  private mutating func refill(from bytes: Span<UInt8>) {
    window = scanned
    let raw = unsafe bytes.bytes
    if bytes.count - window >= 64 {
      for word in 0..<8 {
        let eight = unsafe raw.unsafeLoadUnaligned(
          fromUncheckedByteOffset: window &+ word &* 8, as: UInt64.self)
        mask |= Self.lineEnds(UInt64(littleEndian: eight)) &<< UInt64(word &* 8)
      }
      scanned = window &+ 64
    } else {
      for offset in window..<bytes.count where bytes[offset] == 0x0A || bytes[offset] == 0x0D {
        mask |= 1 &<< UInt64(offset &- window)
      }
      scanned = bytes.count
    }
  }

  /// One bit for each of the eight bytes that is LF or CR, the first byte's lowest.
  @inline(__always)
  private static func lineEnds(_ word: UInt64) -> UInt64 {
    let low7: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    let lf = word ^ 0x0A0A_0A0A_0A0A_0A0A
    let cr = word ^ 0x0D0D_0D0D_0D0D_0D0D
    // Bit 7 of a byte of `x` is clear after this exactly where the byte is zero: no carry crosses bytes.
    let notLF = ((lf & low7) &+ low7) | lf
    let notCR = ((cr & low7) &+ low7) | cr
    let hits = ~(notLF & notCR) & ~low7
    // The multiplication gathers the eight bits in the top byte.
    return ((hits &>> 7) &* 0x0102_0408_1020_4080) &>> 56
  }
}
