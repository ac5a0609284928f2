// How one stream of bytes reaches a parser: where it is cut. A delivery prints in the plan language of the command
// line (`whole`, `bytes:1`, `at:3,3,7`), so what a finding names can be replayed there as it is.

/// The places at which a stream is cut into chunks.
public struct Delivery: Hashable, Sendable {
  /// Offsets of the cuts in ascending order. An offset that stands there twice gives an empty chunk.
  public let cuts: [Int]
  private let isByteByByte: Bool

  private init(cuts: [Int], isByteByByte: Bool = false) {
    self.cuts = cuts
    self.isByteByByte = isByteByByte
  }

  /// Everything at once.
  public static let whole = Delivery(cuts: [])

  /// A chunk for every byte.
  public static func byteByByte(_ count: Int) -> Delivery {
    Delivery(cuts: count > 1 ? Array(1..<count) : [], isByteByByte: true)
  }

  /// Cuts at these offsets; twice the same gives an empty chunk between.
  public static func at(_ offsets: [Int]) -> Delivery {
    Delivery(cuts: offsets.sorted())
  }

  /// Two chunks for each offset inside the bytes, and one that ends empty.
  public static func everySplit(_ count: Int) -> [Delivery] {
    count == 0 ? [] : (0...count).map { .at([$0]) }
  }

  /// Cuts that the content itself decides, so that an input needs no bytes of its own to say how it is cut.
  public static func hashed(_ bytes: [UInt8]) -> Delivery {
    var generator = SeededGenerator(hashing: bytes)
    return random(bytes.count, using: &generator)
  }

  /// Cuts at random: few or many, some of them twice.
  public static func random(_ count: Int, using generator: inout SeededGenerator) -> Delivery {
    guard count > 0 else { return whole }
    let number = 1 + generator.below(min(count, generator.pick([2, 8, 64])))
    var offsets: [Int] = []
    for _ in 0..<number {
      let offset = generator.below(count + 1)
      offsets.append(offset)
      if generator.below(8) == 0 { offsets.append(offset) }
    }
    return at(offsets)
  }

  /// The chunks of the bytes, in order. Cuts beyond the end are left out.
  public func chunks(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    var chunks: [ArraySlice<UInt8>] = []
    chunks.reserveCapacity(cuts.count + 1)
    var start = 0
    for cut in cuts where cut <= bytes.count {
      chunks.append(bytes[start..<cut])
      start = cut
    }
    chunks.append(bytes[start...])
    return chunks
  }
}

extension Delivery: CustomStringConvertible {
  /// The delivery in the plan language.
  public var description: String {
    if isByteByByte { return "bytes:1" }
    return cuts.isEmpty ? "whole" : "at:" + cuts.map { String($0) }.joined(separator: ",")
  }
}
