// The cassette writer and reader against zlib alone: the same bytes, the same level, nothing but the calls.
//
// UNSAFE, and why: zlib takes pointers; each stays within the closure that lends it.

import CZlib
import EventCassettes
import ServerSentEvents

/// Writing and reading cassettes of two kinds: chunks as a network gives them, and a million tiny ones.
func cassetteBenchmarks(on llm: Input, _ options: Options) throws -> [Benchmark] {
  let tiny = Input(name: "tiny chunks", bytes: Array(llm.bytes.prefix(20_000_000)))
  return try [(llm, 1400), (tiny, 20)].filter { input, chunkBytes in
    ["cassette, write", "cassette, read"].contains { options.includes($0, input.name, chunkBytes) }
  }.flatMap(cassetteBenchmarks)
}

private func cassetteBenchmarks(on input: Input, chunkBytes: Int) throws -> [Benchmark] {
  let (name, bytes) = (input.name, input.bytes)
  let cassette = try makeCassette(of: bytes, chunkBytes: chunkBytes)
  var inflated: [UInt8] = []  // what the writer gave to zlib
  unsafe inflate(cassette) { unsafe inflated.append(contentsOf: $0) }
  let whole = inflated
  return [
    Benchmark(
      name: "cassette, write", input: name, chunkBytes: chunkBytes, bytes: whole.count,
      limitName: "zlib -6 of the same",
      run: { try makeCassette(of: bytes, chunkBytes: chunkBytes).count },
      limit: { deflate(whole) }),
    Benchmark(
      name: "cassette, read", input: name, chunkBytes: chunkBytes, bytes: whole.count,
      limitName: "zlib inflate of the same",
      run: {
        var reader = try CassetteReader(bytes: cassette)
        var seen = 0
        while try reader.advance() { reader.withChunkBytes { _, range in seen &+= range.count } }
        return seen
      },
      limit: {
        var seen = 0
        unsafe inflate(cassette) { seen &+= $0.count }
        return seen
      }),
  ]
}

/// A finished cassette with one exchange whose body comes in chunks of one size.
func makeCassette(of bytes: [UInt8], chunkBytes: Int) throws -> [UInt8] {
  var writer = try CassetteWriter(inMemoryAtLevel: 6)
  try writer.write(
    .header(
      Cassette.Header(recorder: "wiretape-benchmarks", recordedAt: "2026-01-01T00:00:00Z", timing: .synthetic)
    ))
  try writer.write(.request(Cassette.Request(url: "http://127.0.0.1/")))
  try writer.write(
    .response(Cassette.Response(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])))
  var start = 0
  while start < bytes.count {
    let end = min(start + chunkBytes, bytes.count)
    try writer.writeChunk(delay: Int64(800 + start % 400), bytes, start..<end)
    start = end
  }
  try writer.write(.end(Cassette.End(cause: .complete)))
  _ = try writer.finish()
  try writer.close()
  return writer.bytes
}

/// Compresses in pieces of 32 KiB at level 6; returns how many bytes came out.
private func deflate(_ bytes: [UInt8]) -> Int {
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
private func inflate(_ bytes: [UInt8], _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
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
