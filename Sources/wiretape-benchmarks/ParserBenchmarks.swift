// The parser against memchr, called for each line end as a C program would, and against decoding the payloads alone.
//
// UNSAFE, and why: memchr takes pointers; they stay within `countLineFeeds`.

import ServerSentEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The byte scan alone, which a compiler may silently make a hundred times slower: keep an eye on it.
func lineEndBenchmarks(on inputs: [Input]) -> [Benchmark] {
  inputs.map { input in
    Benchmark(
      name: "line ends", input: input.name, chunkBytes: 0, bytes: input.bytes.count, limitName: "memchr",
      run: {
        let bytes = input.bytes.span
        var scanner = LineEndScanner(from: 0)
        var count = 0
        while scanner.next(in: bytes) != nil { count += 1 }
        return count
      },
      limit: { countLineFeeds(input.bytes) })
  }
}

/// What the machine can do at most with the bytes: copy them.
func copyBenchmarks(on inputs: [Input]) -> [Benchmark] {
  inputs.map { input in
    var copy = [UInt8](repeating: 0, count: input.bytes.count)
    return Benchmark(
      name: "memcpy", input: input.name, chunkBytes: 0, bytes: input.bytes.count, limitName: "memchr",
      run: {
        unsafe input.bytes.withUnsafeBytes { bytes in
          unsafe copy.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
        }
        return Int(copy[copy.count / 2])
      },
      limit: { countLineFeeds(input.bytes) })
  }
}

/// The parser's benchmarks on one input: zero copy at several chunk sizes, and with Strings.
func parserBenchmarks(on input: Input, _ options: Options) -> [Benchmark] {
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
  guard options.includes("parse, strings", input.name, 16 << 10) else { return visits }
  let texts = Texts(of: input.bytes)
  let strings = Benchmark(
    name: "parse, strings", input: input.name, chunkBytes: 16 << 10, bytes: input.bytes.count,
    limitName: "String(decoding:)",
    run: {
      var parser = EventStreamParser()
      var seen = 0
      forEachChunk(of: input.bytes, size: 16 << 10) { chunk in
        parser.append(chunk) { output, _ in
          switch output {
          case .event(let event): seen &+= event.data.utf8.count
          case .comment(let text): seen &+= text.utf8.count
          default: break
          }
        }
      }
      return seen
    },
    limit: { texts.decode() })
  return visits + [strings]
}

/// The texts that the parser hands out, one after the other: data, comments, names and ids.
private struct Texts {
  var bytes: [UInt8] = []
  var ends: [Int] = []

  init(of stream: [UInt8]) {
    var parser = EventStreamParser()
    parser.append(stream) { output, _ in
      switch output {
      case .event(let event):
        add(event.data)
        if let name = event.name { add(name) }
        if let id = event.id { add(id) }
      case .comment(let text): add(text)
      default: break
      }
    }
  }

  private mutating func add(_ text: String) {
    bytes += Array(text.utf8)
    ends.append(bytes.count)
  }

  /// Decodes each, as anyone must who hands out Strings.
  func decode() -> Int {
    unsafe bytes.withUnsafeBufferPointer { buffer in
      var seen = 0
      var start = 0
      for end in ends {
        let text = unsafe String(decoding: UnsafeBufferPointer(rebasing: buffer[start..<end]), as: UTF8.self)
        seen &+= text.utf8.count
        start = end
      }
      return seen
    }
  }
}

/// Hands out the bytes in chunks of `size`, or whole where it is 0.
func forEachChunk(of bytes: [UInt8], size: Int, _ body: (Span<UInt8>) -> Void) {
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
