// Every call into zlib's decompressor, and nothing else.
//
// UNSAFE, and why: zlib's state points back at its z_stream, so that one lives
// at a fixed address on the heap, and zlib reads and writes through raw pointers: those are the unsafe places here.
// Each pointer is used only inside the closure that lends it, with counts checked against the arrays.

import CZlib

/// A raw inflate stream (RFC 1951), owned by exactly one place.
@safe struct Inflater: ~Copyable {
  enum Status {
    /// Goes on with more input or more room.
    case running
    /// The stream's last block is complete.
    case ended
    /// The bytes are not deflated data; zlib's own words.
    case damaged(String)
  }

  private let stream: UnsafeMutablePointer<z_stream>

  /// A decompressor; throws if there is no memory.
  init() throws(CassetteError) {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status = unsafe inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if status != Z_OK {
      unsafe stream.deallocate()
      throw CassetteError(.inputOutput, "zlib can't decompress (status \(status)): is there memory left?")
    }
    unsafe self.stream = stream
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Inflates from `input[inputRange]` into `output[outputRange]`; says how much of each was used.
  mutating func inflate(
    _ input: [UInt8], _ inputRange: Range<Int>, into output: inout [UInt8], _ outputRange: Range<Int>
  ) -> (status: Status, taken: Int, made: Int) {
    precondition(
      inputRange.lowerBound >= 0 && inputRange.upperBound <= input.count, "a range outside the input")
    precondition(
      outputRange.lowerBound >= 0 && outputRange.upperBound <= output.count, "a range outside the output")
    let available = (UInt32(clamping: inputRange.count), UInt32(clamping: outputRange.count))
    let stream = unsafe stream
    return unsafe input.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        guard let from = input.baseAddress, let to = output.baseAddress else { return (.running, 0, 0) }
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: from + inputRange.lowerBound)
        unsafe stream.pointee.avail_in = available.0
        unsafe stream.pointee.next_out = to + outputRange.lowerBound
        unsafe stream.pointee.avail_out = available.1
        let code = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
        let taken = unsafe Int(available.0 - stream.pointee.avail_in)
        let made = unsafe Int(available.1 - stream.pointee.avail_out)
        var status = Status.running
        switch code {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: status = .ended
        default:
          status = unsafe .damaged(stream.pointee.msg.map { unsafe String(cString: $0) } ?? "status \(code)")
        }
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.next_out = nil
        return (status, taken, made)
      }
    }
  }

  /// Begins a new stream.
  mutating func reset() { unsafe inflateReset(stream) }
}
