// The parser against memchr, called for each line end as a C program would, and against decoding the payloads alone.
//
// UNSAFE, and why: memchr takes pointers; they stay within `countLineFeeds`.

import ServerSentEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The parser's benchmarks on one input: zero copy at several chunk sizes, and with Strings.
func parserBenchmarks(on input: Input) -> [Benchmark] {
  let sizes = [1, 16, 1 << 10, 16 << 10, 64 << 10, 0]
  let visits = sizes.map { size in
    Benchmark(
      name: "parse, visit", input: input.name, chunkBytes: size, bytes: input.bytes.count,
      limitName: "memchr",
      run: {
        var parser = EventStreamParser()
        var seen = 0
        forEachChunk(of: input.bytes, size: size) { chunk in
          parser.visit(chunk) { _, payload, _, _ in seen &+= payload.count &+ 1 }
        }
        return seen
      },
      limit: { countLineFeeds(input.bytes) })
  }
  let payloads = EventStreamParser.events(in: input.bytes).map { Array($0.data.utf8) }
  let strings = Benchmark(
    name: "parse, strings", input: input.name, chunkBytes: 16 << 10, bytes: input.bytes.count,
    limitName: "String(decoding:)",
    run: {
      var parser = EventStreamParser()
      var seen = 0
      forEachChunk(of: input.bytes, size: 16 << 10) { chunk in
        parser.append(chunk) { output, _ in
          if case .event(let event) = output { seen &+= event.data.utf8.count }
        }
      }
      return seen
    },
    limit: {
      var seen = 0
      for payload in payloads { seen &+= String(decoding: payload, as: UTF8.self).utf8.count }
      return seen
    })
  return visits + [strings]
}

/// Hands out the bytes in chunks of `size`, or whole where it is 0.
private func forEachChunk(of bytes: [UInt8], size: Int, _ body: (Span<UInt8>) -> Void) {
  let span = bytes.span
  let size = size == 0 ? span.count : size
  var start = 0
  while start < span.count {
    let end = Swift.min(start + size, span.count)
    body(span.extracting(start..<end))
    start = end
  }
}

private func countLineFeeds(_ bytes: [UInt8]) -> Int {
  unsafe bytes.withUnsafeBytes { buffer in
    guard var cursor = buffer.baseAddress else { return 0 }
    let end = unsafe cursor + buffer.count
    var count = 0
    while let hit = unsafe memchr(cursor, 0x0A, end - cursor) {
      count += 1
      unsafe cursor = UnsafeRawPointer(hit) + 1
    }
    return count
  }
}
