// zlib with nothing around it: what writing and reading a cassette, and looking into one, is compared with.
//
// UNSAFE, and why: zlib takes pointers; each stays within the closure that lends it.

import CZlib

/// Compresses in pieces of 32 KiB at level 6; returns how many bytes came out.
func deflatedCount(_ bytes: [UInt8]) -> Int {
  var stream = unsafe z_stream()
  let size = Int32(unsafe MemoryLayout<z_stream>.size)
  let opened = unsafe deflateInit2_(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
  precondition(opened == Z_OK, "zlib has no memory")
  defer { unsafe deflateEnd(&stream) }
  var output = [UInt8](repeating: 0, count: 64 << 10)
  var count = 0
  unsafe bytes.withUnsafeBufferPointer { bytes in
    for start in stride(from: 0, to: bytes.count, by: 32 << 10) {
      let piece = min(32 << 10, bytes.count - start)
      unsafe stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress! + start)
      unsafe stream.avail_in = UInt32(piece)
      var isFull = true
      while isFull {
        unsafe output.withUnsafeMutableBufferPointer { output in
          unsafe stream.next_out = output.baseAddress
          unsafe stream.avail_out = UInt32(output.count)
          unsafe CZlib.deflate(&stream, start + piece == bytes.count ? Z_FINISH : Z_NO_FLUSH)
          let written = unsafe output.count - Int(stream.avail_out)
          count += written
          isFull = written == output.count
        }
      }
    }
  }
  return count
}

/// Inflates all members of a gzip file, piece by piece.
func inflateAll(_ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
  var stream = unsafe z_stream()
  let opened = unsafe inflateInit2_(&stream, 31, ZLIB_VERSION, Int32(unsafe MemoryLayout<z_stream>.size))
  precondition(opened == Z_OK, "zlib has no memory")
  defer { unsafe inflateEnd(&stream) }
  var output = [UInt8](repeating: 0, count: 64 << 10)
  unsafe bytes.withUnsafeBufferPointer { bytes in
    unsafe stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
    unsafe stream.avail_in = UInt32(bytes.count)
    while unsafe stream.avail_in > 0 {
      let status = unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        let status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
        let written = unsafe output.count - Int(stream.avail_out)
        unsafe body(UnsafeBufferPointer(rebasing: output[..<written]))
        return status
      }
      if status == Z_STREAM_END { unsafe inflateReset(&stream) } else if status != Z_OK { break }
    }
  }
}
