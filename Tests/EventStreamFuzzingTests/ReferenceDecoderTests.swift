// The reference decoder against the standard's own examples and, at random, against the standard library.

import EventStreamFuzzing
import Testing

@Suite struct ReferenceDecoderTests {
  @Test(
    "ill-formed bytes become one replacement character for each maximal subpart",
    arguments: [
      ([0x41, 0xC3, 0xA9], "Aé"),
      ([0xE2, 0x82], "\u{FFFD}"),
      ([0xE2, 0x82, 0x41], "\u{FFFD}A"),
      ([0xF0, 0x9F, 0x98, 0x0A], "\u{FFFD}\n"),
      ([0xC0, 0x80], "\u{FFFD}\u{FFFD}"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}"),
      ([0xF4, 0x90, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
      ([0xE0, 0x9F, 0xBF], "\u{FFFD}\u{FFFD}\u{FFFD}"),
      ([0xF0, 0x8F, 0x80, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
      ([0xFF, 0xFE], "\u{FFFD}\u{FFFD}"),
      ([0xEF, 0xBB, 0xBF], "\u{FEFF}"),
      ([0xF0, 0x9F, 0x98, 0x80], "😀"),
    ] as [([UInt8], String)])
  func replaces(bytes: [UInt8], text: String) {
    #expect(Array(ReferenceDecoder.text(bytes).unicodeScalars) == Array(text.unicodeScalars))
  }

  @Test("it agrees with the standard library on random bytes")
  func agreesWithTheStandardLibrary() {
    var generator = SeededGenerator(seed: 8)
    let likely: [UInt8] = [
      0x0A, 0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xE0, 0xED, 0xEF, 0xF0, 0xF4, 0xF5,
    ]
    for _ in 0..<5_000 {
      let bytes = (0..<generator.below(12)).map { _ in generator.pick(likely) }
      let expected = String(decoding: bytes, as: UTF8.self)
      #expect(ReferenceDecoder.text(bytes).utf8.elementsEqual(expected.utf8), "\(bytes)")
    }
  }

  @Test("each scalar carries the offset at which its bytes end")
  func carriesOffsets() {
    let decoded = ReferenceDecoder.decode([0x41, 0xC3, 0xA9, 0xE2, 0x82, 0x42, 0xFF])
    #expect(decoded.map(\.end) == [1, 3, 5, 6, 7])
  }
}
