import EventCassettes
import Foundation
import ServerSentEvents
import Testing

@testable import EventCassettes

@Suite struct CassetteRoundTripTests {
  @Test("every kind of record comes back as it was written, at every level", arguments: 0...9)
  func roundTrip(level: Int) throws {
    let (records, status) = try read(Samples.bytes(level: level))
    #expect(records == Samples.records)
    #expect(status == .finished)
  }

  @Test("the bytes of a member are exactly those that the page tells")
  func layout() throws {
    let bytes = try Samples.bytes(
      of: [
        .header(Cassette.Header(recorder: "r/1", recordedAt: "t", labels: ["b": "2", "a": "1"])),
        .request(Cassette.Request(url: "u", headers: [HeaderField("N", "v")], other: ["aa": "é/\n"].json)),
        .note(Cassette.Note(delay: 300, event: .overflow)),
      ], level: 0)
    let content =
      "W" + "\u{56}"
      + #"{"format":1,"labels":{"a":"1","b":"2"},"recordedAt":"t","recorder":"r/1","timing":"recorded"}"#
    #expect(Array(bytes.prefix(10)) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    // A stored block: 5 bytes of its own, then the content as it is.
    let stored = Array(bytes.dropFirst(15).dropLast(8))
    #expect(stored.starts(with: Array(content.utf8).prefix(1)))
    let json = content.dropFirst(2)
    #expect(stored[1] == UInt8(json.utf8.count))
    #expect(stored.dropFirst(2).starts(with: Array(json.utf8)))
    let request = #"{"aa":"é/\n","delay":0,"headers":[["N","v"]],"method":"GET","url":"u"}"#
    let note = #"{"delay":300,"event":"overflow"}"#
    #expect(
      Array(stored.dropFirst(2 + json.utf8.count))
        == Samples.record("Q", request) + Samples.record("N", note))
  }

  @Test("one member after the other is one stream, and a member closes at 256 KiB")
  func members() throws {
    let piece = [UInt8](repeating: 7, count: 1_000)
    var records = Array(Samples.records[0...3])
    for _ in 0..<1_000 { records.append(.chunk(Cassette.Chunk(bytes: piece))) }
    records.append(.end(Cassette.End(cause: .complete)))
    let bytes = try Samples.bytes(of: records)
    let heads = (0..<bytes.count - 10).filter { Array(bytes[$0..<$0 + 10]) == GzipMember.head }
    #expect(heads.count == 4)
    #expect(try read(bytes).records == records)
    #expect(try read(bytes).status == .unfinished(torn: false, lost: 0))
  }

  @Test("the same records at the same level are the same bytes")
  func deterministic() throws { #expect(try Samples.bytes() == Samples.bytes()) }

  @Test("a flush makes everything before it readable, and hasPending says so")
  func flush() throws {
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    try writer.write(Samples.records[0])
    let before = (pending: writer.hasPending, bytes: writer.bytes)
    #expect(before.pending)
    #expect(before.bytes.isEmpty)
    try writer.flush()
    let after = (pending: writer.hasPending, bytes: writer.bytes)
    #expect(!after.pending)
    #expect(try read(after.bytes).records == [Samples.records[0]])
    #expect(try read(after.bytes).status == .unfinished(torn: true, lost: 0))
    try writer.flush()
    let length = writer.bytes.count
    #expect(length == after.bytes.count, "nothing pending, nothing written")
  }

  @Test("two cassettes joined byte for byte are a cassette of two recordings")
  func joined() throws {
    let bytes = try Samples.bytes()
    let (records, status) = try read(bytes + bytes)
    #expect(records == Samples.records + Samples.records)
    #expect(status == .finished)
    let cassette = try Cassette(bytes: bytes + bytes)
    #expect(cassette.exchanges.map(\.recording) == [0, 0, 1, 1])
    #expect(cassette.headers.count == 2)
  }

  @Test("in memory, an exchange's delays take in the notes between")
  func inMemory() throws {
    let cassette = try Cassette(bytes: Samples.bytes())
    #expect(cassette.exchanges.count == 2)
    #expect(cassette.exchanges[0].requestBody == Array("{}".utf8))
    #expect(cassette.exchanges[0].body == Array("data: 1\n\n".utf8))
    #expect(cassette.exchanges[0].chunks[1].delay == .max - 1_000, "sums saturate")
    #expect(cassette.exchanges[1].response == nil)
    #expect(cassette.exchanges[1].end?.cause == .unknown)
    #expect(cassette.exchanges[1].end?.causeText == "meteor")
    #expect(
      cassette.notes == [.init(recording: 0, at: 1_005, exchangesBefore: 1, note: cassette.notes[0].note)])
    #expect(cassette.header.labels == ["ü": "a/b\"\\\u{1}"])
  }

  @Test("a chunk can be looked at without a copy")
  func borrowed() throws {
    var reader = try CassetteReader(bytes: Samples.bytes())
    var bodies: [[UInt8]] = []
    while try reader.advance() {
      if reader.kind == UInt8(ascii: "D") { bodies.append(reader.withChunkBytes { Array($0[$1]) }) }
    }
    #expect(bodies == [Array("data: 1\n".utf8), [0x0A]])
  }

  @Test("a large chunk crosses the buffers whole")
  func large() throws {
    var state: UInt32 = 1
    let bytes = (0..<400_000).map { (_: Int) -> UInt8 in
      state = state &* 1_664_525 &+ 1_013_904_223
      return UInt8(state >> 24)
    }
    let records = Array(Samples.records[0...3]) + [.chunk(Cassette.Chunk(bytes: bytes))]
    #expect(try read(Samples.bytes(of: records)).records == records)
  }

  @Test("the writer refuses records out of order and stays usable")
  func order() throws {
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    var refused: [CassetteError.Code?] = []
    func attempt(_ body: () throws -> Void) {
      do { try body(); refused.append(nil) } catch { refused.append((error as? CassetteError)?.code) }
    }
    attempt { try writer.write(Samples.records[1]) }
    try writer.write(Samples.records[0])
    attempt { try writer.write(Samples.records[4]) }
    try writer.write(Samples.records[1])
    attempt { try writer.finish() }
    #expect(refused == [.outOfOrder, .outOfOrder, .outOfOrder])
    try writer.write(.end(Cassette.End(cause: .complete)))
    let trailer = try writer.finish()
    #expect(trailer.exchanges == 1)
    let bytes = writer.bytes
    #expect(try read(bytes).status == .finished)
  }
}
