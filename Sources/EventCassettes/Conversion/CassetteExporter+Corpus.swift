// Fuzz seeds out of a recording: small event streams of whole blocks, each once, named after their content so that the
// same block of another recording is the same file.

import ServerSentEvents

extension CassetteExporter {
  /// Hands out seeds: each body cut after blank lines into streams of at most `longest` bytes (a longer block is cut
  /// there), every distinct one once.
  ///
  /// - Parameters:
  ///   - reader: the cassette, read to its end.
  ///   - longest: bytes a seed may have; fuzzers are slow on more than a few KiB.
  ///   - body: takes the seed's file name and its bytes.
  /// - Returns: how many seeds there were.
  public static func corpusSeeds(
    of reader: inout CassetteReader, longest: Int = 4096,
    _ body: (_ name: String, _ bytes: [UInt8]) throws -> Void
  ) throws -> Int {
    var seen: Set<UInt64> = []
    var seed: [UInt8] = []
    var parser = EventStreamParser()

    func give() throws {
      defer { seed.removeAll(keepingCapacity: true) }
      guard !seed.isEmpty, seen.insert(contentHash(seed)).inserted else { return }
      let hash = String(contentHash(seed), radix: 16)
      try body(String(repeating: "0", count: 16 - hash.utf8.count) + hash + ".sse", seed)
    }

    while let record = try reader.next() {
      switch record {
      case .chunk(let chunk):
        for byte in chunk.bytes {
          seed.append(byte)
          var endsBlock = false
          parser.append(CollectionOfOne(byte)) { _, _ in endsBlock = true }
          if (endsBlock && seed.count >= longest / 2) || seed.count >= longest { try give() }
        }
      case .request, .end:
        try give()
        parser.finish()
      case .header, .requestBody, .response, .note, .trailer, .unknown: break
      }
    }
    try give()
    return seen.count
  }

  /// FNV-1a, 64 bits: a name must be the same everywhere and forever, which Swift's Hasher is not.
  private static func contentHash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
