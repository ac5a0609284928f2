import ServerSentEvents
import Testing

@testable import EventCassettes

@Suite struct CassetteRewritingTests {
  private func rewrite(
    _ bytes: [UInt8], level: Int = 6, _ body: (inout CassetteReader, inout CassetteWriter) throws -> Void
  ) throws -> [UInt8] {
    var reader = try CassetteReader(bytes: bytes)
    var writer = try CassetteWriter(inMemoryAtLevel: level)
    try body(&reader, &writer)
    return writer.bytes
  }

  private func recover(_ bytes: [UInt8]) throws -> (records: [CassetteRecord], CassetteRewriting.Recovery) {
    var recovery: CassetteRewriting.Recovery?
    let recovered = try rewrite(bytes) { recovery = try CassetteRewriting.recover(from: &$0, to: &$1) }
    let (records, status) = try read(recovered)
    #expect(status == .finished)
    return (records, try #require(recovery))
  }

  @Test("every whole record that zlib can give before damage is read and recovered")
  func damagedAnywhere() throws {
    // Two levels: damage in Huffman-coded and in stored blocks.
    for level in [0, 6] {
      let whole = try Samples.bytes(level: level)
      var kept = 0
      for offset in GzipMember.head.count..<whole.count {
        for bit in [UInt8(offset % 8)] {
          var bytes = whole
          bytes[offset] ^= 1 << bit
          let expected = try records(inflatedByteByByte: bytes)
          #expect(records(in: bytes) == expected, "byte \(offset), bit \(bit)")
          if expected.isEmpty { continue }
          let recovered = try recover(bytes)
          #expect(recovered.1.records == expected.count, "byte \(offset), bit \(bit)")
          #expect(Array(recovered.records.prefix(expected.count)) == expected)
          if let place = recovered.1.fault?.place {
            #expect(place.record == expected.count + 1 && place.memberOffset == 0)
          }
          kept = max(kept, expected.count)
        }
      }
      #expect(kept >= Samples.records.count - 1)
    }
  }

  /// The records before the first fault.
  private func records(in bytes: [UInt8]) -> [CassetteRecord] {
    var records: [CassetteRecord] = []
    guard var reader = try? CassetteReader(bytes: bytes) else { return [] }
    while let record = try? reader.next() { records.append(record) }
    return records
  }

  /// The reference: what comes out of zlib while it gets single bytes, up to its first word of damage.
  private func records(inflatedByteByByte bytes: [UInt8]) throws -> [CassetteRecord] {
    var inflater = try Inflater()
    var output = [UInt8](repeating: 0, count: 1 << 14)
    var end = 0
    feeding: for index in GzipMember.head.count..<bytes.count {
      let (status, _, made) = inflater.inflate(bytes, index..<index + 1, into: &output, end..<output.count)
      end += made
      switch status {
      case .running: continue
      case .ended, .damaged: break feeding
      }
    }
    return records(in: try Samples.member(Array(output[..<end])))
  }

  @Test("a whole cassette is recovered as it is")
  func recoverWhole() throws {
    let (records, recovery) = try recover(Samples.bytes())
    #expect(records == Samples.records)
    #expect(recovery.wasWhole && recovery.records == records.count)
  }

  @Test("cut off anywhere, what can be read is kept and closed")
  func recoverTorn() throws {
    let bytes = try Samples.bytes(level: 0)
    for length in stride(from: 10, to: bytes.count, by: 7) {
      let torn = Array(bytes[..<length])
      guard let before = try? read(torn) else {
        #expect(throws: CassetteError(.notACassette, "")) { try recover(torn) }
        continue
      }
      let (records, recovery) = try recover(torn)
      #expect(records.starts(with: before.records))
      #expect(recovery.isTorn && recovery.records == before.records.count)
      let added = (recovery.closedExchange ? 1 : 0) + (recovery.addedTrailer ? 1 : 0)
      #expect(records.count == before.records.count + added)
      if recovery.closedExchange, case .end(let end) = records[before.records.count] {
        #expect(end.cause == .truncated)
      }
    }
  }

  @Test("what comes after a fault is lost, and the fault is told")
  func recoverDamaged() throws {
    let good = try Samples.member(Samples.w + Samples.q + Samples.s + Samples.d)
    let (records, recovery) = try recover(good + Samples.member(Samples.q) + Samples.member(Samples.x))
    #expect(records.count == 6)
    #expect(recovery.fault?.code == .outOfOrder)
    #expect(recovery.memberOffset == good.count)
    #expect(recovery.closedExchange && recovery.addedTrailer)
    #expect(throws: CassetteError(.notACassette, "")) { try recover(Array("text".utf8)) }
  }

  @Test("joined cassettes are those that cat joins, and the same input gives the same bytes")
  func joined() throws {
    let one = try Samples.bytes()
    func join(_ parts: [[UInt8]]) throws -> [UInt8] {
      var writer = try CassetteWriter(inMemoryAtLevel: 9)
      for part in parts {
        var reader = try CassetteReader(bytes: part)
        try CassetteRewriting.append(from: &reader, to: &writer)
      }
      try writer.close()
      return writer.bytes
    }
    #expect(try read(join([one, one])).records == Samples.records + Samples.records)
    #expect(try join([one, one]) == join([one + one]))
    #expect(try join([one, one]) == join([one, one]))
    // An unfinished one is closed.
    let unfinished = try Samples.bytes(of: Array(Samples.records[0...4]))
    let (records, status) = try read(join([unfinished, one]))
    #expect(records.count == 7 + Samples.records.count)
    #expect(status == .finished)
  }

  @Test("masking twice gives the same cassette, and headers name everything when it was looked for before")
  func redact() throws {
    let records: [CassetteRecord] = [
      .header(Samples.header),
      .request(Cassette.Request(url: "u?key=k", headers: [HeaderField("Cookie", "sid=abcdefgh")])),
      .response(Cassette.Response()),
      .chunk(Cassette.Chunk(delay: 5, bytes: Array("data: {\"pass".utf8))),
      .chunk(Cassette.Chunk(delay: 6, bytes: Array("word\":\"x\"}\ndata: abcd".utf8))),
      .chunk(Cassette.Chunk(delay: 7, bytes: Array("efgh\n\n".utf8))),
      .end(Cassette.End(cause: .complete)),
      .trailer(Cassette.Trailer()),
    ]
    var bytes = try Samples.bytes(of: records)
    var known: [Cassette.Redaction] = []
    var reader = try CassetteReader(bytes: bytes)
    known = try CassetteRewriting.redaction(in: &reader, rules: .standard)
    #expect(known == [Cassette.Redaction(headers: ["cookie"], query: ["key"], keys: ["password"], echoes: 1)])
    bytes = try rewrite(bytes) {
      try CassetteRewriting.redact(from: &$0, to: &$1, rules: .standard, known: known)
    }
    let cassette = try Cassette(bytes: bytes)
    #expect(cassette.header.redaction == known[0])
    #expect(cassette.isFinished)
    #expect(cassette.exchanges[0].request.url == "u?key=[FILTERED]")
    #expect(cassette.exchanges[0].chunks.map(\.delay) == [5, 6, 7])
    #expect(
      String(decoding: cassette.exchanges[0].body, as: UTF8.self)
        == "data: {\"password\":\"*\"}\ndata: ********\n\n")
    let again = try rewrite(bytes) { try CassetteRewriting.redact(from: &$0, to: &$1, rules: .standard) }
    #expect(try Cassette(bytes: again).exchanges == cassette.exchanges)
  }

  // MARK: Trimming

  /// Two exchanges with an event a second: at 0 the first request, chunks at 1 … 4 s, its end at 5 s; at 6 s the next.
  private let session: [CassetteRecord] = {
    let second: Int64 = 1_000_000
    func chunk(_ text: String) -> CassetteRecord {
      .chunk(Cassette.Chunk(delay: second, bytes: Array(text.utf8)))
    }
    return [
      .header(Samples.header), .request(Cassette.Request(url: "1")), .response(Cassette.Response()),
      chunk("data: a\n\nda"), chunk("ta: b\n\n"), chunk("data: c\n\n"), chunk("data: d\n\n"),
      .end(Cassette.End(delay: second, cause: .reset)),
      .request(Cassette.Request(delay: second, url: "2")), .response(Cassette.Response()),
      chunk("data: e\n\n"),
      .end(Cassette.End(cause: .complete)), .trailer(Cassette.Trailer()),
    ]
  }()

  private func trim(_ selection: CassetteTrimmer.Selection) throws -> Cassette {
    try Cassette(
      bytes: rewrite(Samples.bytes(of: session)) { try CassetteRewriting.trim(from: &$0, to: &$1, selection) }
    )
  }

  @Test("nothing selected keeps everything")
  func trimNothing() throws {
    #expect(try trim(.init()).exchanges == Cassette(bytes: Samples.bytes(of: session)).exchanges)
  }

  @Test("a stretch of time keeps heads, times and what is inside")
  func trimTime() throws {
    let cassette = try trim(.init(from: 2_000_000, to: 3_500_000))
    #expect(cassette.isFinished)
    #expect(cassette.exchanges.count == 1)
    #expect(cassette.exchanges[0].chunks.map(\.delay) == [0, 1_000_000])
    #expect(String(decoding: cassette.exchanges[0].body, as: UTF8.self) == "ta: b\n\ndata: c\n\n")
    #expect(cassette.exchanges[0].end == Cassette.End(delay: 500_000, cause: .cancelled, detail: "trimmed"))
    #expect(try trim(.init(from: 5_500_000)).exchanges.map(\.request.url) == ["2"])
    #expect(try trim(.init(to: 5_500_000)).exchanges.map(\.request.url) == ["1"])
    #expect(try trim(.init(from: 60_000_000)).exchanges.isEmpty)
  }

  @Test("one exchange, or a run of events across exchanges")
  func trimParts() throws {
    #expect(try trim(.init(exchange: 2)).exchanges.map(\.request.url) == ["2"])
    #expect(try trim(.init(exchange: 2)).exchanges[0].startedAt == 0)
    let cassette = try trim(.init(events: 2...5))
    #expect(
      cassette.exchanges.map { String(decoding: $0.body, as: UTF8.self) } == [
        "da" + "ta: b\n\ndata: c\n\ndata: d\n\n", "data: e\n\n",
      ])
    #expect(cassette.exchanges[0].chunks.count == 4)
    #expect(
      try trim(.init(events: 4...4)).exchanges.map { String(decoding: $0.body, as: UTF8.self) } == [
        "data: d\n\n"
      ])
    #expect(try trim(.init(events: 9...9)).exchanges.isEmpty)
  }
}
