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
  /// Where zlib writes to, before it is known how much that is.
  private var room = [UInt8](repeating: 0, count: 16_384)

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

  /// Compresses the first `count` bytes of `input` and appends what comes out to `output`.
  mutating func deflate(
    _ input: [UInt8], count: Int, flush: Flush, into output: inout [UInt8]
  ) throws(CassetteError) {
    precondition(count >= 0 && count <= input.count, "more than the input")
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
      unsafe stream.pointee.avail_in = UInt32(count)
      var isFull = true
      while isFull, status == Z_OK {
        let made = unsafe room.withUnsafeMutableBufferPointer { room in
          unsafe stream.pointee.next_out = room.baseAddress
          unsafe stream.pointee.avail_out = UInt32(room.count)
          status = unsafe CZlib.deflate(stream, mode)
          return unsafe room.count - Int(stream.pointee.avail_out)
        }
        output.append(contentsOf: room[..<made])
        isFull = made == room.count
      }
      unsafe stream.pointee.next_in = nil
    }
    // "Buffer error" says only that there was nothing left to do.
    if status != Z_OK, status != Z_BUF_ERROR, status != Z_STREAM_END {
      throw CassetteError(.inputOutput, "zlib failed to compress (status \(status))")
    }
  }

  /// Begins a new stream at the same level.
  mutating func reset() { unsafe deflateReset(stream) }
}
