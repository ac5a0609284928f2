// The byte scan: where does the next line end? It looks at each byte once, 64 at a time, for LF and CR together, and
// keeps what it found as a bit mask, so that short lines cost a bit operation each. This is its only job.
//
// UNSAFE, and why: the windows are C's (CByteScan.h says why) and C takes pointers; that 64 bytes are there is checked at
// each call. `nextLine` reads the byte of a line end that `next` has found in the same bytes.

import CByteScan

/// Finds the line ends of one chunk in order.
package struct LineEndScanner {
  /// Line ends not yet handed out: bit n stands for the byte at `window + n`. The LF of a CR LF is not among them.
  private var mask: UInt64 = 0
  /// Offset of the window's first byte.
  private var window: Int
  /// Offset behind the window: where the next one begins.
  private var scanned: Int
  /// 1 if the window's last byte is a CR.
  private var carriedCR: UInt64 = 0

  /// Begins at an offset that is not the LF of a CR LF.
  package init(from start: Int) {
    window = start
    scanned = start
  }

  /// The offset of the next LF, CR, or CR of a CR LF; `bytes.count` if there is none. Must be given the same bytes
  /// each time.
  @inline(__always)
  package mutating func next(in bytes: Span<UInt8>) -> Int {
    if mask == 0 { self = nextWindow(in: bytes) }
    guard mask != 0 else { return bytes.count }
    let end = window &+ mask.trailingZeroBitCount
    mask &= mask &- 1
    return end
  }

  /// Where the line after the line end at `end`, which `next` has found, begins: behind a CR LF where there is one.
  @inline(__always)
  package static func nextLine(after end: Int, in bytes: Span<UInt8>) -> Int {
    let next = end &+ 1
    guard _slowPath(unsafe bytes[unchecked: end] == 0x0D), next < bytes.count else { return next }
    return unsafe bytes[unchecked: next] == 0x0A ? next &+ 1 : next
  }

  /// The next window that holds a line end; an empty one where there is none. A value in and out, not inlined: so the
  /// caller's loop keeps the mask in a register and is not crowded by vectors.
  @inline(never)
  private func nextWindow(in bytes: Span<UInt8>) -> LineEndScanner {
    var result = self
    while result.mask == 0, bytes.count &- result.scanned >= 64 {
      let found = unsafe bytes.withUnsafeBufferPointer {
        unsafe cbytescan_next($0.baseAddress, result.scanned, bytes.count)
      }
      if found.offset != result.scanned { result.carriedCR = 0 }
      result.enter(at: found.offset, lf: found.lf, cr: found.cr, count: 64)
    }
    return result.mask == 0 ? result.lastWindow(in: bytes) : result
  }

  /// The window of a chunk's last bytes, fewer than 64.
  @inline(never)
  private func lastWindow(in bytes: Span<UInt8>) -> LineEndScanner {
    let count = bytes.count &- scanned
    var lf: UInt64 = 0
    var cr: UInt64 = 0
    if bytes.count >= 64, count > 0 {  // bytes before them fill the window up, and are shifted out
      let window = unsafe bytes.withUnsafeBufferPointer {
        unsafe cbytescan_window($0.baseAddress, bytes.count &- 64)
      }
      lf = window.lf &>> UInt64(64 &- count)
      cr = window.cr &>> UInt64(64 &- count)
    } else {
      for offset in scanned..<bytes.count {
        let bit: UInt64 = 1 &<< UInt64(offset &- scanned)
        if bytes[offset] == 0x0A { lf |= bit } else if bytes[offset] == 0x0D { cr |= bit }
      }
    }
    var result = self
    result.enter(at: scanned, lf: lf, cr: cr, count: count)
    return result
  }

  @inline(__always)
  private mutating func enter(at offset: Int, lf: UInt64, cr: UInt64, count: Int) {
    window = offset
    scanned = offset &+ count
    mask = cr | (lf & ~(cr &<< 1 | carriedCR))
    carriedCR = cr &>> 63
  }
}
