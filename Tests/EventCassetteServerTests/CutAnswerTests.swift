// What a client gets after a fault cut its answer short: everything else, once, if it resumes as it should.

import EventCassettes
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("After a fault that cuts an answer short", .serialized)
struct CutAnswerTests {
  private typealias Server = CassetteServerTests
  /// Events of 15 bytes each.
  private static let orders = [
    Server.makeExchange(["id: 1\ndata: a\n\nid: 2\n", "data: b\n\nid: 3\ndata: c\n\n"]),
    Server.makeExchange(["id: 4\ndata: d\n\n"]),
  ]
  /// Events of 9 bytes each.
  private static let anonymous = [
    Server.makeExchange(["data: a\n\ndata: b\n\n"]), Server.makeExchange(["data: c\n\n"]),
  ]

  private func serving(
    _ exchanges: [[CassetteRecord]], _ faults: [String], boundaries: ChunkBoundaryPlan = .recorded,
    clock: any EventStreamClock = SystemEventStreamClock(), _ body: (CassetteServer) async throws -> Void
  ) async throws {
    let options = CassetteServer.Options(
      boundaries: boundaries, speed: .instant, faults: try faults.map { try FaultSpec(parsing: $0) },
      resetSettle: .milliseconds(20))
    try await Server().withPlayer(exchanges, options, clock: clock, body)
  }

  /// A client that resumes, until it gets a 204.
  private func run(_ server: CassetteServer) async throws -> [String] {
    var parser = EventStreamParser()
    var events: [String] = []
    for _ in 0..<20 {
      let id = parser.lastEventID
      let answer = try await Server().get(server, id: id.isEmpty ? nil : id)
      if answer.status == 204 { return events }
      var decoder = HTTPBodyDecoder(.chunked)
      guard answer.status == 200 else { continue }
      for byte in answer.body.utf8 {
        guard let bytes = try? decoder.decode([byte]) else { break }
        for case .event(let event) in parser.append(bytes) { events.append(event.data) }
      }
      parser.finish()
    }
    Issue.record("no 204: \(events)")
    return events
  }

  @Test(
    "a client that resumes has every event once, wherever and however often it was cut",
    arguments: [
      ["reset@20"], ["truncate@20"], ["bad-chunk@20"], ["truncate@0"], ["truncate@15"], ["truncate@44"],
      ["truncate@45"], ["reset@random-3"], ["truncate@2/5"], ["truncate@every/20"],
      ["truncate@1/7", "truncate@1/20", "bad-chunk@1/33"], ["truncate@1/20", "reset@1/20"],
      ["status@0:503", "truncate@20"], ["status@2/0:503", "truncate@every/15"],
      ["truncate@20", "duplicate@2/0"], ["truncate@20", "drip@2/0:1,every=0"],
    ])
  func resuming(faults: [String]) async throws {
    for boundaries: ChunkBoundaryPlan in [.recorded, .hostile, .bytes(4)] {
      try await serving(Self.orders, faults, boundaries: boundaries) { (server) async throws in
        let events = try await run(server)
        #expect(events == ["a", "b", "c", "d"] + (faults.contains("duplicate@2/0") ? ["d"] : []))
        #expect(server.findings.isEmpty)
        #expect(server.unusedFaults.isEmpty)
        #expect(server.sessions == 1)
      }
    }
  }

  @Test("a cut of every answer that lets no event through is not repeated on the rest")
  func everyCut() async throws {
    for fault in ["truncate@every/0", "truncate@every/9"] {
      try await serving(Self.orders, [fault]) { (server) async throws in
        #expect(try await run(server) == ["a", "b", "c", "d"])
      }
    }
  }

  @Test("a client that loses its patience in a stall or a drip has the rest next", .timeLimit(.minutes(10)))
  func patience() async throws {
    for fault in ["stall@20:60", "drip@20:1,every=60"] {
      try await serving(Self.orders, [fault], clock: ManualClock()) { (server) async throws in
        let client = try RawClient(port: server.port)
        await client.send("GET /events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n")
        await client.receive(until: "\nid: 2\r\n")
        await client.stop()
        try await server.exchanges { $0.first?.outcome == .clientClosed }
        #expect(
          try await Server().get(server, id: "1").body
            == "6\r\nid: 2\n\r\n18\r\ndata: b\n\nid: 3\ndata: c\n\n\r\n0\r\n\r\n")
        #expect(server.findings.isEmpty)
      }
    }
  }

  @Test("a client that leaves by itself gets the next exchange, as ever", .timeLimit(.minutes(10)))
  func leaving() async throws {
    let open = [Server.makeExchange(["id: 1\ndata: a\n\n"], end: .cancelled), Self.orders[1]]
    try await serving(open, ["truncate@2/5"]) { (server) async throws in
      let client = try RawClient(port: server.port)
      await client.send("GET /events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n")
      await client.receive(until: "data: a\n\n")
      await client.stop()
      try await server.exchanges { $0.first?.outcome == .clientClosed }
      #expect(try await Server().get(server, id: "1").body == "5\r\nid: 4\r\n")
    }
  }

  @Test("a client that sends no ID or another gets the exchange from its start, and that is a finding")
  func forgetful() async throws {
    for (id, finding) in [
      (nil, "no Last-Event-ID, but ‘1’ was received"), ("7", "Last-Event-ID ‘7’ instead of ‘1’"),
    ] {
      try await serving(Array(Self.orders.prefix(1)), ["truncate@20"]) { (server) async throws in
        _ = try await Server().get(server)
        let again = try await Server().get(server, id: id).body
        #expect(["data: a", "data: b", "data: c"].allSatisfy(again.contains))
        #expect(server.findings.map(\.description) == ["session 1, request for exchange 1: " + finding])
        #expect(try await Server().get(server, id: "3").status == 204)
      }
    }
  }

  @Test("events without IDs are lost, and that is told")
  func withoutIDs() async throws {
    try await serving(Self.anonymous, ["truncate@12"]) { (server) async throws in
      _ = try await Server().get(server)
      #expect(try await Server().get(server).body.contains("data: c"))
      let finding = try #require(server.findings.first)
      #expect(finding.kind == .eventsLost && finding.exchange == 1 && finding.lostEvents == 1)
      #expect(server.findings.count == 1)
    }
    // Nothing came, so nothing need be named; and behind the last event nothing is lost.
    try await serving(Self.anonymous, ["truncate@5"]) { (server) async throws in
      #expect(try await run(server) == ["a", "b", "c"])
      #expect(server.findings.isEmpty)
    }
    try await serving(Self.anonymous, ["truncate@18"]) { (server) async throws in
      #expect(try await run(server) == ["a", "b", "c"])
      #expect(server.findings.isEmpty)
    }
  }

  @Test("of events some of which have IDs none is lost")
  func someIDs() async throws {
    let mixed = [Server.makeExchange(["data: x\n\nid: 1\ndata: a\n\ndata: y\n\nid: 2\ndata: b\n\n"])]
    try await serving(mixed, ["truncate@34"]) { (server) async throws in
      // The event without an ID comes again: nobody can ask for what is behind it.
      #expect(try await run(server) == ["x", "a", "y", "y", "b"])
      #expect(server.findings.isEmpty)
    }
  }

  @Test("an ID that is set back to none makes what was before it come again, and that is told")
  func idReset() async throws {
    let reset = [Server.makeExchange(["id: 1\ndata: a\n\nid\ndata: b\n\nid: 2\ndata: c\n\n"])]
    try await serving(reset, ["truncate@29"]) { (server) async throws in
      #expect(try await run(server) == ["a", "b", "a", "b", "c"])
      let finding = try #require(server.findings.first)
      #expect(finding.kind == .eventsRepeated && finding.exchange == 1 && finding.repeatedEvents == 2)
      #expect(
        server.findings.map(\.description) == [
          "session 1: 2 events of exchange 1 before the cut sent again, since the request names no event to go on after"
        ])
    }
  }

  @Test("who posts a question again gets the whole answer; and one with IDs may be resumed by GET")
  func posts() async throws {
    let post = "POST /v1 HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Length: 0\r\n\r\n"
    try await serving(Self.anonymous, ["truncate@12"]) { (server) async throws in
      _ = try await exchange(port: server.port, post)
      let again = try await exchange(port: server.port, post).text
      #expect(again.contains("data: a") && again.contains("data: b") && again.hasSuffix("0\r\n\r\n"))
      #expect(try await exchange(port: server.port, post).text.contains("data: c"))
      #expect(server.findings.map(\.kind) == [.eventsRepeated] && server.findings[0].repeatedEvents == 1)
    }
    try await serving(Self.orders, ["truncate@20"]) { (server) async throws in
      _ = try await exchange(port: server.port, post)
      let rest = try await Server().get(server, "/v1", id: "1").body
      #expect(!rest.contains("data: a") && rest.contains("data: b"))
      #expect(server.findings.isEmpty)
    }
  }

  @Test(
    "a redirect is followed within the session, and what is cut behind it is resumed at either place",
    arguments: [("https://example.org/next?x=1", "/next?x=1"), ("next", "/next"), ("?x=1", "/events?x=1")])
  func redirects(location: String, target: String) async throws {
    let redirect = Server.makeExchange([], status: 307, headers: [("Location", location)])
    for place in ["/events", target] {
      try await serving([redirect] + Self.orders, ["truncate@2/20"]) { (server) async throws in
        #expect(try await Server().get(server).status == 307)
        #expect(try await Server().get(server, target).body.contains("data: a"))
        #expect(try await Server().get(server, place, id: "1").body.contains("data: c"))
        #expect(try await Server().get(server, place, id: "3").body.contains("data: d"))
        #expect(server.findings.isEmpty && server.sessions == 1)
      }
    }
  }

  @Test("the rest comes at once, and what follows at its recorded distance")
  func times() throws {
    let exchange = AnswerScriptTests.makeExchange(["ab", "cd", "ef"])
    let rest = exchange.rest(from: 3)
    #expect(rest.pieces.map(\.at) == [.seconds(1), .seconds(2)])
    #expect(rest.pieces.map(\.bytes) == [Array("d".utf8), Array("ef".utf8)])
    #expect(rest.endAt == exchange.endAt - .seconds(2))
    #expect(exchange.rest(from: 0) == exchange)
  }
}
