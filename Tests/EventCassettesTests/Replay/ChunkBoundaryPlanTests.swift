// Plans as text, and where each of them cuts.

import EventCassettes
import Testing

private func makeBytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// The pieces of one body under a plan, shown as text with `|` between them; empty chunks show as `||`.
private func pieces(_ plan: ChunkBoundaryPlan, _ chunks: [String]) -> String {
  var cutter = ChunkCutter(plan: plan)
  var out: [[UInt8]] = []
  for (index, chunk) in chunks.enumerated() {
    out += cutter.append(makeBytes(chunk), at: .milliseconds(index)).map(\.bytes)
  }
  if let last = cutter.endExchange() { out.append(last.bytes) }
  return out.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|")
}

@Suite("Boundary plans as text")
struct ChunkBoundaryPlanTextTests {
  @Test(
    "a plan prints as text and parses back",
    arguments: [
      "recorded", "whole", "bytes:1", "bytes:16384", "random:0", "random:18446744073709551615", "at:1",
      "at:5,17,4097", "at:5,5,6",
      "hostile", "each",
    ])
  func roundTrip(text: String) throws {
    #expect(try ChunkBoundaryPlan(parsing: text).description == text)
  }

  @Test(
    "what is no plan is refused with its kind, and the message names it",
    arguments: [
      ("", ChunkBoundaryPlanError.Code.unknownPlan, "‘’"),
      ("Whole", .unknownPlan, "‘Whole’"),
      ("every", .unknownPlan, "‘every’"),
      ("whole ", .unknownPlan, "hostile"),
      ("whole:", .unexpectedArgument, "takes nothing"),
      ("each:3", .unexpectedArgument, "each"),
      ("bytes", .missingArgument, "bytes:1"),
      ("at", .missingArgument, "at:5,17"),
      ("bytes:", .invalidNumber, "‘’"),
      ("bytes:0", .invalidNumber, "‘0’"),
      ("bytes:-1", .invalidNumber, "‘-1’"),
      ("bytes:+1", .invalidNumber, "‘+1’"),
      ("bytes:01", .invalidNumber, "‘01’"),
      ("bytes:9223372036854775808", .invalidNumber, "9223372036854775808"),
      ("random:18446744073709551616", .invalidNumber, "18446744073709551615"),
      ("random:x", .invalidNumber, "‘x’"),
      ("at:", .invalidNumber, "‘’"),
      ("at:0", .invalidNumber, "‘0’"),
      ("at:3,,5", .invalidNumber, "‘’"),
      ("at:3, 5", .invalidNumber, "‘ 5’"),
      ("at:5,4", .unorderedOffsets, "offset 4"),
    ])
  func refused(text: String, code: ChunkBoundaryPlanError.Code, mention: String) throws {
    let error = try #require(throws: ChunkBoundaryPlanError.self) { try ChunkBoundaryPlan(parsing: text) }
    #expect(error.code == code)
    #expect(error.description.contains(mention))
  }
}

@Suite("Boundary plans as cuts")
struct ChunkBoundaryPlanCutTests {
  @Test(
    "each plan cuts where it says, whatever the recorded chunks were",
    arguments: [
      (ChunkBoundaryPlan.recorded, ["ab", "c", "def"], "ab|c|def"),
      (.whole, ["ab", "c", "def"], "abcdef"),
      (.each, ["ab", "c", "def"], "abcdef"),
      (.bytes(1), ["ab", "c"], "a|b|c"),
      (.bytes(4), ["abc", "def", "ghi"], "abcd|efgh|i"),
      (.bytes(3), ["abcdef"], "abc|def"),
      (.bytes(.max), ["ab", "c"], "abc"),
      (.at([1, 3, 4]), ["ab", "cd", "ef"], "a|bc|d|ef"),
      (.at([2, 6, 99]), ["ab", "cdef"], "ab|cdef"),
      (.at([2, 2, 3, 3, 3]), ["ab", "cd"], "ab||c|||d"),
      (.recorded, [], ""),
    ] as [(ChunkBoundaryPlan, [String], String)])
  func cuts(plan: ChunkBoundaryPlan, chunks: [String], expected: String) {
    #expect(pieces(plan, chunks) == expected)
  }

  // Each cut carries an empty chunk, so it shows as two bars.
  @Test(
    "hostile cuts inside line ends, sequences, colons and names",
    arguments: [
      ("data: x\r\n\r\n", "d||ata:|| x\r||\n||\r||\n"),
      ("id\n\n", "i||d\n||\n"),
      (":ping\n", ":||ping\n"),
      ("a:b:c", "a:||b:||c"),
      ("\r\rx", "\r||\rx"),
      ("\n", "\n"),
    ])
  func hostile(body: String, expected: String) {
    #expect(pieces(.hostile, [body]) == expected)
    #expect(pieces(.hostile, body.utf8.map { String(decoding: [$0], as: UTF8.self) }) == expected)
  }

  @Test("hostile cuts inside the BOM and inside every place of a longer sequence")
  func hostileSequences() {
    // BOM, then a field name, a two-byte and a four-byte character.
    let body = makeBytes("\u{FEFF}data:é😀")
    let cuts = ChunkBoundaryPlan.hostile.cuts(in: body)
    #expect(cuts == [1, 2, 4, 8, 9, 11, 12, 13].flatMap { [$0, $0] })
  }

  @Test("offsets of at: count over all exchanges, and a seam cuts nothing")
  func offsetsOverExchanges() {
    var cutter = ChunkCutter(plan: .at([2, 3, 5, 9]))
    var pieces: [String] = []
    for body in ["abc", "", "defg", "hijk"] {
      if !body.isEmpty {
        pieces += cutter.append(makeBytes(body), at: .zero).map { String(decoding: $0.bytes, as: UTF8.self) }
      }
      if let last = cutter.endExchange() { pieces.append(String(decoding: last.bytes, as: UTF8.self)) }
    }
    #expect(pieces == ["ab", "c", "de", "fg", "hi", "jk"])
  }

  @Test("a piece has the time of the recorded chunk that brought its last byte")
  func times() {
    var cutter = ChunkCutter(plan: .at([2, 3, 7]))
    var pieces = cutter.append(makeBytes("ab"), at: .seconds(1))
    pieces += cutter.append(makeBytes("cde"), at: .seconds(2))
    pieces += cutter.append(makeBytes("fgh"), at: .seconds(3))
    if let last = cutter.endExchange() { pieces.append(last) }
    #expect(pieces.map(\.at) == [.seconds(1), .seconds(2), .seconds(3), .seconds(3)])
    // A cut that is seen only when the next chunk comes still has the earlier time.
    var hostile = ChunkCutter(plan: .hostile)
    var late = hostile.append(makeBytes("\r"), at: .seconds(1))
    late += hostile.append(makeBytes("\n"), at: .seconds(2))
    #expect(late.map(\.at) == [.seconds(1), .seconds(1)])
    #expect(hostile.endExchange()?.at == .seconds(2))
  }

  @Test("random depends on the seed and the exchange alone, not on the recorded chunks")
  func random() {
    let body = makeBytes(String(repeating: "0123456789", count: 500))
    let cuts = ChunkBoundaryPlan.random(seed: 7).cuts(in: body)
    #expect(cuts == ChunkBoundaryPlan.random(seed: 7).cuts(in: body, recordedLengths: [1, 2, 4000, 997]))
    #expect(cuts != ChunkBoundaryPlan.random(seed: 8).cuts(in: body))
    #expect(cuts.count > 10)
    var cutter = ChunkCutter(plan: .random(seed: 7))
    let first = cutter.append(body, at: .zero).count
    _ = cutter.endExchange()
    #expect(cutter.append(body, at: .zero).count != first)
  }

  // A seed in a bug report must never change its meaning.
  @Test("the cuts of random:1 are pinned")
  func pinned() {
    var generator = SplitMix64(seed: 0)
    #expect(generator.next() == 0xE220_A839_7B1D_CDAF)
    let cuts = ChunkBoundaryPlan.random(seed: 1).cuts(in: [UInt8](repeating: 0, count: 400))
    #expect(cuts == [16, 17, 21, 37, 38, 98, 100, 192])
  }

  @Test("each stands for every split point inside an exchange")
  func variants() {
    let plans = Array(ChunkBoundaryPlan.each.variants(bodyLengths: [3, 0, 1, 2]))
    #expect(plans == [.at([1]), .at([2]), .at([5])])
    #expect(Array(ChunkBoundaryPlan.whole.variants(bodyLengths: [3])) == [.whole])
  }
}
