// Every call into zlib's compressor, and nothing else.
//
// UNSAFE, and why: zlib's state points back at its z_stream, so that one lives at
// a fixed address on the heap, and zlib reads and writes through raw pointers: those are the unsafe places here. Each
// pointer is used only inside the closure that lends it, with the counts of the arrays that it comes from.

import CZlib

/// A raw deflate stream (RFC 1951), owned by exactly one place.
@safe struct Deflater: ~Copyable {
  enum Flush {
    /// Takes input, may keep output back.
    case none
    /// Gives out everything that was taken, on a byte boundary.
    case sync
    /// Ends the stream.
    case finish
  }

  private let stream: UnsafeMutablePointer<z_stream>

  /// A compressor of level 0…9; throws if there is no memory.
  init(level: Int) throws(CassetteError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let size = Int32(unsafe MemoryLayout<z_stream>.size)
    let status = unsafe deflateInit2_(
      stream, Int32(min(max(level, 0), 9)), Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    if status != Z_OK {
      unsafe stream.deallocate()
      throw CassetteError(.inputOutput, "zlib can't compress (status \(status)): is there memory left?")
    }
    unsafe self.stream = stream
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Compresses all of `input` and appends what comes out to `output`.
  mutating func deflate(_ input: [UInt8], flush: Flush, into output: inout [UInt8]) throws(CassetteError) {
    let mode =
      switch flush {
      case .none: Z_NO_FLUSH
      case .sync: Z_SYNC_FLUSH
      case .finish: Z_FINISH
      }
    let stream = unsafe stream
    var status = Z_OK
    unsafe input.withUnsafeBufferPointer { input in
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      unsafe stream.pointee.avail_in = UInt32(input.count)
      var isFull = true
      while isFull, status == Z_OK {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: Self.room))
        let left = unsafe output.withUnsafeMutableBufferPointer { output in
          unsafe stream.pointee.next_out = output.baseAddress! + start
          unsafe stream.pointee.avail_out = UInt32(Self.room)
          status = unsafe CZlib.deflate(stream, mode)
          return unsafe Int(stream.pointee.avail_out)
        }
        output.removeLast(left)
        isFull = left == 0
      }
      unsafe stream.pointee.next_in = nil
    }
    // "Buffer error" says only that there was nothing left to do.
    if status != Z_OK, status != Z_BUF_ERROR, status != Z_STREAM_END {
      throw CassetteError(.inputOutput, "zlib failed to compress (status \(status))")
    }
  }

  private static let room = 16_384

  /// Begins a new stream at the same level.
  mutating func reset() { unsafe deflateReset(stream) }
}

extension Deflater {
  /// Copies `bytes[range]` to `target[place...]`. (Appending a slice does the same with twice the bookkeeping, which
  /// is felt at a million small chunks.)
  static func copy(_ bytes: [UInt8], _ range: Range<Int>, to target: inout [UInt8], at place: Int) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range outside the array")
    precondition(place >= 0 && place + range.count <= target.count, "no room in the target")
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe target.withUnsafeMutableBufferPointer { target in
        guard let from = bytes.baseAddress, let to = target.baseAddress else { return }
        unsafe (to + place).update(from: from + range.lowerBound, count: range.count)
      }
    }
  }

  /// The CRC-32 of `bytes[range]`, going on from `crc` (0 at the start).
  static func crc32(_ crc: UInt32, _ bytes: [UInt8], _ range: Range<Int>) -> UInt32 {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a range outside the array")
    if range.isEmpty { return crc }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe UInt32(
        truncatingIfNeeded: CZlib.crc32_z(UInt(crc), bytes.baseAddress! + range.lowerBound, range.count))
    }
  }
}
