// The regression check of a cassette: what makes it pass and fail, and golden files as text.

import ServerSentEvents
import Testing

@testable import EventCassettes

private func makeSession() throws -> Cassette {
  try makeCassette(
    makeExchange(["id: 1\nevent: order\ndata: {\"n\":1}\r\n\r\n", ": beat\n\nda"], end: .truncated)
      + makeExchange(["data: ünï\n\n"], id: "1", after: 9_000_000, end: .cancelled))
}

private let quick = CheckOptions(budget: 1 << 20)

@Suite("Checking a cassette")
struct CassetteVerifierTests {
  @Test("a good session passes, is proved, and lists its events by exchange")
  func passes() throws {
    let report = try CassetteVerifier.check(makeSession(), options: quick)
    #expect(report.passed && report.isProved && !report.hasGolden)
    #expect(
      report.events == [
        GoldenEvent(exchange: 1, type: "order", data: "{\"n\":1}", lastEventID: "1", id: "1"),
        GoldenEvent(exchange: 2, data: "ünï", lastEventID: "1"),
      ])
    #expect(report.chunking.events == 2)
  }

  @Test(
    "a chunk that is cut in stretches gives the same events under every plan, and empty chunks where they belong"
  )
  func longChunk() throws {
    let body = (0..<3_000).map { "id: \($0)\ndata: ünï\r\n\r\n" }.joined()
    let session = try makeCassette(makeExchange([body, "data: z\n\n"]))
    let plans: [ChunkBoundaryPlan] = [
      .whole, .bytes(1), .bytes(16_384), .hostile, .random(seed: 3), .at([7, 70_000]),
    ]
    let report = try CassetteVerifier.check(
      session, options: CheckOptions(plans: plans, budget: 0, proves: false))
    #expect(report.passed && report.events.count == 3_001)
    for plan in plans {
      var cutter = ChunkCutter(plan: plan)
      var whole = cutter.append(Array(body.utf8), at: .zero).map(\.bytes)
      whole += cutter.append(Array("data: z\n\n".utf8), at: .zero).map(\.bytes)
      if let last = cutter.endExchange() { whole.append(last.bytes) }
      var script = SessionScript(RecordSource(session.records), plan: plan)
      var pieces: [[UInt8]] = []
      while let step = try script.next() { if case .piece(let bytes) = step.what { pieces.append(bytes) } }
      #expect(pieces == whole, "\(plan)")
    }
  }

  @Test("a check that would take more memory than allowed says so before it begins")
  func memory() throws {
    let session = try makeCassette(makeExchange([String(repeating: "data\n\n", count: 10_000)]))
    let error = #expect(throws: CassetteError.self) {
      try CassetteVerifier.check(session, options: CheckOptions(budget: 0, memory: 1 << 20))
    }
    #expect(error?.code == .overLimit && error?.message.contains("10000 events") == true)
  }

  @Test("golden events that differ fail with the first line that does")
  func golden() throws {
    let session = try makeSession()
    let right = try CassetteVerifier.events(of: session)
    #expect(try CassetteVerifier.check(session, golden: right, options: quick).passed)
    var changed = right
    changed[1].data = "u\u{308}nï"  // Swift calls it equal, the wire doesn't
    let report = try CassetteVerifier.check(session, golden: changed, options: quick)
    #expect(!report.passed)
    #expect(report.goldenDifference?.line == 2)
    #expect(report.goldenDifference?.got == right[1])
    let short = try CassetteVerifier.check(session, golden: Array(right.prefix(1)), options: quick)
    #expect(short.goldenDifference?.expected == nil && short.goldenDifference?.line == 2)
  }

  @Test("a wrong Last-Event-ID fails where the recorder was our client, and is only told where it wasn't")
  func findings() throws {
    let records =
      makeExchange(["id: 1\ndata: a\n\n"]) + makeExchange(["data: b\n\n"], id: "7", after: 3_000_000)
    let ours = try CassetteVerifier.check(makeCassette(records), options: quick)
    #expect(!ours.passed && ours.replayFindings.count == 1)
    let others = try CassetteVerifier.check(makeCassette(records, client: nil), options: quick)
    #expect(others.passed && others.replayFindings.count == 1)
  }

  @Test("an answer that is no event stream is not read as one")
  func page() throws {
    let cassette = try makeCassette(
      makeExchange(["data: x\n\n"], status: 404, headers: [HeaderField("Content-Type", "text/html")]))
    let report = try CassetteVerifier.check(cassette, options: quick)
    #expect(report.passed && report.events.isEmpty)
  }

  @Test("a session with notes and a client that closes gives the same under every plan")
  func notes() throws {
    let cassette = try makeCassette(
      makeExchange(["id: 1\ndata: a\n\n"], end: nil) + [
        makeNote(.networkLost, after: 500_000),
        // What was on its way when the client closed: nobody reads it, however it is cut.
        .chunk(Cassette.Chunk(delay: 10, bytes: Array("data: lost\n\n".utf8))),
        .end(Cassette.End(delay: 100, cause: .cancelled)), makeNote(.networkRestored, after: 60_000_000),
      ] + makeExchange(["data: b\n\n"], id: "1", after: 1_000, end: .cancelled))
    let report = try CassetteVerifier.check(cassette, options: quick)
    #expect(report.passed)
    #expect(report.events.map(\.data) == ["a", "b"])
  }
}

@Suite("Golden files")
struct GoldenFileTests {
  @Test("lines are as documented, and read back")
  func roundTrip() throws {
    let events = [
      GoldenEvent(exchange: 1, type: "order", data: "a\n\"b\"\\\u{1}/é😀", lastEventID: "7", id: "7"),
      GoldenEvent(exchange: 2, data: "", lastEventID: "7"),
    ]
    let bytes = GoldenFile.bytes(of: events)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text.split(separator: "\n")[1]
        == #"{"exchange":2,"type":"message","data":"","lastEventId":"7","id":null}"#)
    #expect(text.hasPrefix(#"{"exchange":1,"type":"order","data":"a\n\"b\"\\\u0001/é😀""#))
    #expect(try GoldenFile.events(in: bytes) == events)
    #expect(try GoldenFile.events(in: []) == [])
  }

  @Test(
    "lines that are none are refused with their number",
    arguments: [
      "{\"exchange\":1,\"data\":\"\"}\n[]\n",
      "{\"exchange\":1,\"data\":\"\"}\n{\"exchange\":0,\"data\":\"\"}\n",
      "\n{\"data\":\"\"}", "\n{\"exchange\":1}", "\n{\"exchange\":1,\"data\":3}", "\nnonsense",
    ])
  func refused(text: String) throws {
    let error = try #require(throws: GoldenFileError.self) { try GoldenFile.events(in: Array(text.utf8)) }
    #expect(error.line == 2)
  }

  @Test("the golden file lies beside its cassette")
  func path() {
    #expect(GoldenFile.path(forCassette: "a/b.cassette") == "a/b.events.jsonl")
    #expect(GoldenFile.path(forCassette: "b") == "b.events.jsonl")
  }
}
