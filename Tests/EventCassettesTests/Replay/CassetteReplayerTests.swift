// Sessions through the parser and the client on virtual time: what comes out, when, and where the clients part ways.

import EventCassettes
import ServerSentEvents
import Testing

@Suite("Replaying a cassette")
struct CassetteReplayerTests {
  @Test("a session with a reconnect gives its events, errors and waits at their times, under every plan")
  func session() throws {
    let cassette = try makeCassette(
      makeExchange(["id: 1\ndata: a\n\n: ping\n\nda", "ta: b\n\nretry: 5000\n\nid: 2\nda"], end: .truncated)
        + makeExchange(["data: c\n\n"], id: "1", after: 9_000_000, end: .cancelled))
    let expected = [
      "1 1ms open", "1 1001ms event a", "1 1001ms comment ping", "1 2001ms event b",
      "1 2002ms error truncated",
      "1 2002ms reconnecting 5.0 seconds",
      // The wait is the client's own, so the second exchange is made after 5 s and not after the recorded 9.
      "2 7003ms open", "2 8003ms event c", "2 8004ms closed cancelled",
    ]
    #expect(try cassette.replayed() == expected)
    for plan in [ChunkBoundaryPlan.bytes(1), .hostile] {
      #expect(try cassette.replayed(ReplayOptions(plan: plan)) == expected, "\(plan)")
    }
    // Longer pieces come later, and bring the same.
    func timeless(_ lines: [String]) -> [String] {
      lines.map { String($0.split(separator: "ms").last ?? "") }
    }
    for plan in [ChunkBoundaryPlan.random(seed: 3), .at([20])] {
      let lines = try cassette.replayed(ReplayOptions(plan: plan))
      #expect(timeless(lines) == timeless(expected), "\(plan)")
    }
    // Uncut, all of the first body comes with its last chunk.
    let whole = try cassette.replayed(ReplayOptions(plan: .whole))
    #expect(whole[1] == "1 2001ms event a")
    #expect(whole.count == expected.count)
  }

  @Test("a Last-Event-ID that the client would not send is a finding")
  func wrongID() throws {
    let cassette = try makeCassette(
      makeExchange(["id: 1\ndata: a\n\n"]) + makeExchange(["data: b\n\n"], id: "7", after: 3_000_000))
    var replayer = CassetteReplayer(cassette)
    var findings: [ReplayFinding] = []
    while let output = try replayer.next() {
      if case .finding(let finding) = output.what { findings.append(finding) }
    }
    #expect(findings.map(\.kind) == [.lastEventID])
    #expect(
      findings.first?.description == "exchange 2: recorded Last-Event-ID ‘7’, replayed Last-Event-ID ‘1’")
    #expect(replayer.findings == 1)
    #expect(replayer.exchange == 2)
  }

  @Test("a session that began with an ID begins with it again")
  func firstID() throws {
    let cassette = try makeCassette(makeExchange(["data: a\n\n"], id: "41", end: .cancelled))
    #expect(try cassette.replayed() == ["1 1ms open", "1 1001ms event a", "1 1002ms closed cancelled"])
  }

  @Test("notes are fed as inputs at their time: the network goes and comes back")
  func network() throws {
    let cassette = try makeCassette(
      makeExchange(["id: 1\ndata: a\n\n"], end: nil) + [
        makeNote(.networkLost, after: 500_000), .end(Cassette.End(delay: 100, cause: .cancelled)),
        makeNote(.networkRestored, after: 60_000_000),
      ] + makeExchange(["data: b\n\n"], id: "1", after: 1_000, end: .cancelled))
    // Online again at 61,501.1 ms: the client connects at that very moment.
    #expect(
      try cassette.replayed() == [
        "1 1ms open", "1 1001ms event a", "2 61502ms open", "2 62502ms event b", "2 62503ms closed cancelled",
      ])
    // Held bytes are delivered before the note that comes after them.
    for plan in [ChunkBoundaryPlan.whole, .hostile, .bytes(1)] {
      #expect(try cassette.replayed(ReplayOptions(plan: plan))[1] == "1 1001ms event a")
    }
  }

  @Test("a note that comes right after the client closed explains it")
  func lateNote() throws {
    let cassette = try makeCassette(
      makeExchange(["data: a\n\n"], end: .cancelled) + [
        makeNote(.background, after: 10), makeNote(.foreground, after: 5_000_000),
      ] + makeExchange(["data: b\n\n"], after: 10, end: .cancelled))
    #expect(try cassette.replayed().filter { $0.contains("finding") } == [])
    #expect(try cassette.replayed().contains { $0.hasSuffix("event b") })
  }

  @Test("a recorded close that the client doesn't make is a finding, and the replay goes on")
  func cancelNotMade() throws {
    let cassette = try makeCassette(
      makeExchange(["data: a\n\n"], end: .cancelled)
        + makeExchange(["data: b\n\n"], after: 10, end: .cancelled))
    #expect(
      try cassette.replayed() == [
        "1 1ms open", "1 1001ms event a", "1 finding cancelNotMade", "2 1003ms open", "2 2003ms event b",
        "2 2004ms closed cancelled",
      ])
  }

  @Test("connections that the client never makes are a finding: it had closed for good")
  func notRequested() throws {
    let cassette = try makeCassette(
      makeExchange([], status: 204, headers: []) + makeExchange(["data: b\n\n"], after: 10))
    #expect(
      try cassette.replayed() == [
        "1 1ms error noContent", "1 1ms closed noContent", "2 finding exchangeNotRequested",
      ])
  }

  @Test("joined recordings: a fresh client each, numbers and time run on")
  func joined() throws {
    let first = try makeCassette(makeExchange(["id: 9\ndata: a\n\n"], end: .cancelled))
    let second = try makeCassette(makeExchange(["data: b\n\n"], end: .cancelled))
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    for record in first.records + second.records { try writer.write(record) }
    try writer.close()
    let joined = try Cassette(bytes: writer.bytes)
    #expect(
      try joined.replayed() == [
        "1 1ms open", "1 1001ms event a", "1 1002ms closed cancelled", "2 1003ms open", "2 2003ms event b",
        "2 2004ms closed cancelled",
      ])
  }

  @Test("mode and policy are the header's unless given")
  func modeAndPolicy() throws {
    let records =
      makeExchange(["data: a\n\n"]) + makeExchange(["data: b\n\n"], after: 3_000_000, end: .cancelled)
    let oneShot = try makeCassette(
      Array(records.prefix(4)),
      client: Cassette.Client(mode: "oneShot", policy: "standard", initialRetryMs: 3000))
    #expect(try oneShot.replayed().last == "1 1002ms closed oneShot")
    let standard = try makeCassette(records)
    #expect(try standard.replayed().contains("1 1002ms reconnecting 3.0 seconds"))
    let quick = try makeCassette(
      records, client: Cassette.Client(mode: "eventSource", policy: "standard", initialRetryMs: 200))
    #expect(try quick.replayed().contains("1 1002ms reconnecting 0.2 seconds"))
    #expect(try standard.replayed(ReplayOptions(mode: .oneShot)).contains("1 1002ms closed oneShot"))
    // A 503 is fatal by the standard, and a wait by the resilient policy.
    let busy = try makeCassette(
      makeExchange([], status: 503, headers: [HeaderField("Retry-After", "7")])
        + makeExchange(["data: b\n\n"], after: 7_000_000, end: .cancelled))
    #expect(try busy.replayed().contains("2 finding exchangeNotRequested"))
    #expect(
      try busy.replayed(ReplayOptions(policy: .resilient)).contains {
        $0.contains("reconnecting 7.")
      })
  }

  @Test("redirect hops are one connection to the client")
  func redirect() throws {
    let cassette = try makeCassette(
      makeExchange(["<html>"], status: 302, headers: [HeaderField("Location", "/other")])
        + makeExchange(["data: b\n\n"], after: 10, end: .cancelled))
    #expect(
      try cassette.replayed() == ["2 1003ms open", "2 2003ms event b", "2 2004ms closed cancelled"])
    // Without a hop after it the redirect is an answer like any other.
    let dead = try makeCassette(makeExchange([], status: 302, headers: [HeaderField("Location", "/other")]))
    #expect(try dead.replayed().contains { $0.hasSuffix("closed fatalResponse") })
  }

  @Test("an unfinished cassette replays to its last record")
  func unfinished() throws {
    let cassette = try makeCassette(
      makeExchange(["data: a\n\n", "data: b\n\nda"], end: nil), finishes: false)
    #expect(
      try cassette.replayed(ReplayOptions(plan: .whole)) == [
        "1 1ms open", "1 2001ms event a", "1 2001ms event b",
      ])
  }

  @Test("a body of more events than any buffer holds, in one chunk, is no overflow")
  func manyEvents() throws {
    let body = (0..<10_000).map { "data: \($0)\n\n" }.joined()
    let cassette = try makeCassette(makeExchange([body], end: .cancelled))
    #expect(try cassette.replayed().filter { $0.contains("event") }.count == 10_000)
  }

  @Test("jitter comes from the seed alone")
  func jitter() throws {
    let cassette = try makeCassette(
      makeExchange([], status: 500, headers: [])
        + makeExchange(["data: b\n\n"], after: 1_000, end: .cancelled))
    let options = ReplayOptions(policy: .resilient)
    #expect(try cassette.replayed(options) == cassette.replayed(options))
    #expect(
      try cassette.replayed(options) != cassette.replayed(ReplayOptions(policy: .resilient, jitterSeed: 5)))
  }
}
