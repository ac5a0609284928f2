// The byte scan: where does the next line end? It looks at each byte once, 64 at a time, for LF and CR together, and
// keeps what it found as bit masks, so that short lines cost a few bit operations each. This is its only job.
//
// UNSAFE, and why: the windows are C's (CByteScan.h says why) and C takes pointers; it looks at no byte outside of the
// bounds it is given.

import CByteScan

/// Finds the line ends of one chunk in order.
package struct LineEndScanner {
  /// The 64 bytes that were looked at last. Line ends that were handed out are no longer in it.
  private var window: CByteScanWindow

  /// Where a line ends.
  package struct LineEnd {
    /// The offset of its LF, CR, or CR of a CR LF.
    package let offset: Int
    /// Where the next line begins.
    package let nextLine: Int
  }

  /// Begins at an offset.
  package init(from start: Int) {
    window = CByteScanWindow(offset: start &- 64, ends: 0, pairs: 0)
  }

  /// The next line end; `nil` if there is none. Must be given the same bytes each time.
  @inline(__always)
  package mutating func next(in bytes: Span<UInt8>) -> LineEnd? {
    if window.ends == 0 {
      window = nextWindow(in: bytes)
      guard window.ends != 0 else { return nil }
    }
    let bit = window.ends.trailingZeroBitCount
    window.ends &= window.ends &- 1
    let offset = window.offset &+ bit
    let isPair = window.pairs &>> UInt64(truncatingIfNeeded: bit) & 1
    return LineEnd(offset: offset, nextLine: offset &+ 1 &+ Int(truncatingIfNeeded: isPair))
  }

  /// The next window in which lines end; one without line ends where there is none. A value in and out, not inlined: so
  /// the caller's loop keeps the masks in registers and is not crowded by vectors.
  @inline(never)
  private func nextWindow(in bytes: Span<UInt8>) -> CByteScanWindow {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe cbytescan_next(buffer.baseAddress, window.offset &+ 64, buffer.count)
    }
  }
}
