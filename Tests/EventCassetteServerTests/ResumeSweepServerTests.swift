// The sweep over clients on real sockets: one that resumes, and such as don't.

import EventCassettes
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("The resume sweep of a client", .serialized)
struct ResumeSweepServerTests {
  static let orders = [
    "\u{FEFF}id: 1\r\ndata: paid\r\n\r\n: beat\r\n\r\nid: é\nevent: x\ndata: packed\ndata: naïve\n\n",
    "id: 3\rdata: shipped\r\rid: 4\ndata: cut off",
  ]
  static let blocks =
    "id: 1\r\ndata: paid\r\n\r\n: beat\r\n\r\nid: é\nevent: x\ndata: packed\ndata: naïve\n\nid: 3\rdata: shipped\r\r"

  private func makeServer(_ bodies: [String], _ cuts: ResumeSweepServer.Cuts) throws -> ResumeSweepServer {
    try ResumeSweepServer(
      CassetteServerTests.makeCassette(bodies.map { CassetteServerTests.makeExchange([$0]) }),
      options: .init(cuts: cuts))
  }

  /// A client that comes back until it gets a 204, with what `sends` makes of the last event ID, for one pass.
  private func run(
    _ server: ResumeSweepServer, atMost connections: Int = .max, stops: Bool = true,
    sends: (String) -> String = { $0 }
  ) async throws -> [ServerSentEvent] {
    var parser = EventStreamParser()
    var events: [ServerSentEvent] = []
    var made = 0
    while made < connections {
      made += 1
      let id = sends(parser.lastEventID)
      let client = try RawClient(port: server.port)
      await client.send(
        "GET /events HTTP/1.1\r\nHost: x\r\n" + (id.isEmpty ? "" : "Last-Event-ID: \(id)\r\n") + "\r\n")
      await client.receiveAll()
      let received = await client.received
      await client.stop()
      if received.starts(with: Array("HTTP/1.1 204".utf8)) { break }
      // The whole body is one chunk: after the blank line its length, then it.
      let head = try #require(received.indices.first { received[$0...].starts(with: [13, 10, 13, 10]) }) + 4
      let line = try #require(received[head...].firstIndex(of: 10)) + 1
      let length = try #require(Int(String(decoding: received[head..<(line - 2)], as: UTF8.self), radix: 16))
      for case .event(let event) in parser.append(received[line..<(line + length)]) { events.append(event) }
      parser.finish()
    }
    if stops { await server.stop() }
    return events
  }

  @Test("a client that resumes has every event once, wherever it is cut", .timeLimit(.minutes(10)))
  func resuming() async throws {
    let server = try makeServer(Self.orders, .byte)
    #expect(server.passes == ": beat\r\n\r\nid: é\nevent: x\ndata: packed\ndata: naïve\n\n".utf8.count)
    for _ in 0..<server.passes {
      #expect(!server.report.isComplete)
      let events = try await run(server, stops: false)
      #expect(events.map(\.data) == ["paid", "packed\nnaïve", "shipped"])
      #expect(events.map(\.lastEventID) == ["1", "é", "3"])
    }
    await server.completed()
    await server.stop()
    let report = server.report
    #expect(report.passed, "\(report)")
    #expect(report.breaks == Self.blocks.utf8.count && report.possible == report.breaks)
    #expect(
      report.description
        == "\(report.breaks) of \(report.breaks) cuts in a stream of 3 events: nothing lost or repeated")
  }

  @Test("around each event there are two cuts", .timeLimit(.minutes(10)))
  func events() async throws {
    let server = try makeServer(Self.orders, .event)
    #expect(try await run(server).count == 3)
    #expect(server.report.passed && server.report.breaks == 5)
  }

  @Test("a client that forgets its last event ID gets events again, and the report says which")
  func forgetful() async throws {
    let server = try makeServer(["id: 1\ndata: a\n\nid: 2\ndata: b\n\n"], .event)
    _ = try await run(server) { _ in "" }
    let report = server.report
    #expect(report.isComplete && !report.passed)
    #expect(
      report.findings.map(\.repeated) == [1..<2, 1..<2, 1..<3].prefix(report.findings.count).map { $0 })
    let first = try #require(report.findings.first)
    #expect(
      first.description
        == "pass 1, cut after byte 15: no Last-Event-ID instead of Last-Event-ID ‘1’; event 1 repeated")
  }

  @Test("an ID that runs ahead loses events, and one that no event has is told so")
  func wrong() async throws {
    let ahead = try makeServer(["id: 1\ndata: a\n\nid: 2\ndata: b\n\n"], .event)
    _ = try await run(ahead) { $0 == "1" ? "2" : $0 }
    #expect(ahead.report.findings.first?.lost == 2..<3)
    let unknown = try makeServer(["id: 1\ndata: a\n\nid: 2\ndata: b\n\n"], .event)
    _ = try await run(unknown) { $0.isEmpty ? "" : "x" + $0 }
    #expect(unknown.report.findings.first?.isUnknown == true)
    #expect(unknown.report.findings.first?.description.contains("‘x1’, which no event has,") == true)
  }

  @Test("a client that doesn't come back leaves the sweep incomplete")
  func absent() async throws {
    let server = try makeServer(Self.orders, .byte)
    _ = try await run(server, atMost: 3)
    #expect(!server.report.passed && server.report.breaks == 2)
    #expect(server.report.description.contains("did not come back"))
  }

  @Test(
    "what no server can resume is refused with the reason",
    arguments: [
      ("data: a\n\n", "event 1 has no ID"), ("id: 1\ndata: a\n\nid: 1\ndata: b\n\n", "used before"),
      (": nothing\n\n", "no event in it"),
    ])
  func notResumable(body: String, reason: String) throws {
    let error = #expect(throws: CassetteServerError.self) { _ = try makeServer([body], .byte) }
    #expect(error?.code == .notResumable)
    #expect(error?.description.contains(reason) == true)
  }
}
