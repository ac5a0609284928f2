// Cassettes played to real sockets: bytes, sessions, findings.

import EventCassettes
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("The replay server", .serialized)
struct CassetteServerTests {
  typealias Answer = (status: Int, head: [String], body: String, end: RawClient.End?)

  static func makeCassette(_ exchanges: [[CassetteRecord]]) throws -> Cassette {
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    try writer.write(.header(Cassette.Header(recorder: "tests", recordedAt: "2026-01-02T03:04:05Z")))
    for record in exchanges.joined() { try writer.write(record) }
    try writer.finish()
    return try Cassette(bytes: writer.bytes)
  }

  static func makeExchange(
    _ chunks: [String], status: Int = 200,
    headers: [(String, String)] = [("Content-Type", "text/event-stream")],
    decoded: Bool = false, end: ConnectionEnd = .complete
  ) -> [CassetteRecord] {
    [
      .request(Cassette.Request(delay: 0, url: "https://example.org/stream")),
      .response(
        Cassette.Response(
          delay: 1_000_000, status: status, headers: headers.map { HeaderField($0, $1) }, decoded: decoded)),
    ] + chunks.map { .chunk(Cassette.Chunk(delay: 2_000_000, bytes: Array($0.utf8))) }
      + [.end(Cassette.End(delay: 500_000, cause: end))]
  }

  /// Plays to `body` and stops.
  func withPlayer(
    _ exchanges: [[CassetteRecord]], _ options: CassetteServer.Options = .init(speed: .instant),
    clock: any EventStreamClock = SystemEventStreamClock(), _ body: (CassetteServer) async throws -> Void
  ) async throws {
    let server = try CassetteServer(try Self.makeCassette(exchanges), options: options, clock: clock)
    do {
      try await body(server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }

  /// One request of an event source; the body keeps its chunked coding.
  func get(_ server: CassetteServer, _ path: String = "/events", id: String? = nil, fields: String = "")
    async throws -> Answer
  {
    let id = id.map { "Last-Event-ID: \($0)\r\n" } ?? ""
    let (text, end) = try await exchange(
      port: server.port, "GET \(path) HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\(id)\(fields)\r\n")
    return try parse(text, end)
  }

  func parse(_ text: String, _ end: RawClient.End?) throws -> Answer {
    let bytes = Array(text.utf8)
    let separator = Array("\r\n\r\n".utf8)
    guard let cut = bytes.indices.first(where: { bytes[$0...].starts(with: separator) }) else {
      return (0, [], text, end)
    }
    let lines = String(decoding: bytes[..<cut], as: UTF8.self).split(separator: "\r\n").map(String.init)
    let status = try #require(Int(lines[0].split(separator: " ")[1]))
    return (status, Array(lines.dropFirst()), String(decoding: bytes[(cut + 4)...], as: UTF8.self), end)
  }

  @Test("every recorded chunk is one HTTP chunk, and fields of the old connection are gone")
  func chunks() async throws {
    let headers = [
      ("Content-Type", "text/event-stream"), ("Connection", "keep-alive, X-Hop"), ("X-Hop", "1"),
      ("Transfer-Encoding", "chunked"), ("content-length", "5"), ("Content-Encoding", "gzip"),
      ("X-Kept", "é"),
    ]
    try await withPlayer([Self.makeExchange(["data: a\n", "\n"], headers: headers, decoded: true)]) {
      server in
      let answer = try await get(server)
      #expect(answer.status == 200)
      #expect(
        answer.head == [
          "Content-Type: text/event-stream", "X-Kept: é", "Transfer-Encoding: chunked", "Connection: close",
        ])
      #expect(answer.body == "8\r\ndata: a\n\r\n1\r\n\n\r\n0\r\n\r\n")
    }
  }

  @Test("a boundary plan cuts anew")
  func plan() async throws {
    let options = CassetteServer.Options(boundaries: .bytes(3), speed: .instant)
    try await withPlayer([Self.makeExchange(["data: a\n", "\n"])], options) { (server) async throws in
      let answer = try await get(server)
      #expect(answer.body == "3\r\ndat\r\n3\r\na: \r\n3\r\na\n\n\r\n0\r\n\r\n")
    }
  }

  @Test("request n+1 of a session gets exchange n+1, then 204, then it begins anew")
  func session() async throws {
    let exchanges = [
      Self.makeExchange(["id: 1\ndata: a\n\n"], end: .truncated), Self.makeExchange(["data: b\n\n"]),
    ]
    try await withPlayer(exchanges) { (server) async throws in
      for _ in 0..<2 {
        #expect(try await get(server).body == "f\r\nid: 1\ndata: a\n\n\r\n")
        #expect(try await get(server, id: "1").body == "9\r\ndata: b\n\n\r\n0\r\n\r\n")
        #expect(try await get(server, id: "1").status == 204)
      }
      #expect(server.findings.isEmpty)
      #expect(server.sessions == 2)
    }
  }

  @Test("a last event ID that isn't the one received is a finding")
  func findings() async throws {
    let exchanges = ["1", "2", "3", ""].map { Self.makeExchange(["id: \($0)\ndata: x\n\n"]) }
    let told = Locked<[ClientFinding]>([])
    let server = try CassetteServer(
      try Self.makeCassette(exchanges + [Self.makeExchange(["data: y\n\n"])]),
      options: .init(speed: .instant),
      onFinding: { finding in told.withLock { $0.append(finding) } })
    _ = try await get(server)
    _ = try await get(server)  // 1 is missing
    _ = try await get(server, id: "1")  // 2 was the last
    _ = try await get(server, id: "3")
    _ = try await get(server, id: "3")  // was reset by the empty one
    await server.stop()
    #expect(
      server.findings.map(\.description) == [
        "session 1, request for exchange 2: no Last-Event-ID, but ‘1’ was received",
        "session 1, request for exchange 3: Last-Event-ID ‘1’ instead of ‘2’",
        "session 1, request for exchange 5: Last-Event-ID ‘3’, but no ID was received",
      ])
    #expect(told.withLock { $0 } == server.findings)
  }

  @Test("after a reset any ID that was sent before it will do")
  func lossy() async throws {
    let first = Self.makeExchange(["id: 1\ndata: a\n\nid: 2\ndata: b\n\n"], end: .reset)
    let options = CassetteServer.Options(speed: .instant, resetSettle: .milliseconds(20))
    try await withPlayer([first, first, first, first], options) { (server) async throws in
      #expect(try await get(server).end == .reset)
      _ = try await get(server, id: "1")
      _ = try await get(server, id: "2")
      _ = try await get(server, id: "7")
      #expect(server.findings.map(\.exchange) == [4])
    }
  }

  @Test("clients at the same time have sessions of their own, and names keep them apart")
  func manyClients() async throws {
    let exchanges = [
      Self.makeExchange(["id: 1\ndata: a\n\n"], end: .cancelled), Self.makeExchange(["data: b\n\n"]),
    ]
    try await withPlayer(exchanges) { (server) async throws in
      var clients: [RawClient] = []
      for _ in 0..<5 {
        let client = try RawClient(port: server.port)
        await client.send("GET /events HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n")
        await client.receive(until: "data: a\n\n")
        clients.append(client)
      }
      #expect(server.sessions == 5)
      for client in clients { await client.stop() }
      try await server.exchanges { $0.filter { $0.outcome == .clientClosed }.count == 5 }
      for _ in clients { #expect(try await get(server, id: "1").body.contains("data: b")) }
      #expect(server.sessions == 5)
      // A client that says who it is gets its own, though others are between two requests.
      let other = try RawClient(port: server.port)
      await other.send("GET /events?session=me HTTP/1.1\r\nHost: x\r\n\r\n")
      await other.receive(until: "data: a\n\n")
      await other.stop()
      #expect(server.findings.isEmpty)
    }
  }

  @Test("a client that is no event source starts anew after the end")
  func oneShot() async throws {
    try await withPlayer([Self.makeExchange(["data: a\n\n"])]) { (server) async throws in
      for _ in 0..<3 {
        let text = try await exchange(port: server.port, "POST /v1 HTTP/1.1\r\nHost: x\r\n\r\n").text
        #expect(text.contains("data: a"))
      }
    }
  }

  @Test("a looping session begins again")
  func loop() async throws {
    let options = CassetteServer.Options(speed: .instant, loops: true)
    try await withPlayer([Self.makeExchange(["id: 1\ndata: a\n\n"])], options) { (server) async throws in
      #expect(try await get(server).body.contains("data: a"))
      for _ in 0..<3 { #expect(try await get(server, id: "1").body.contains("data: a")) }
      #expect(server.sessions == 1)
      #expect(server.findings.isEmpty)
    }
  }

  @Test(
    "a status fault comes first, once, and leaves the exchange for the next request; ‘every’ comes each time")
  func statusFault() async throws {
    let faults = [try FaultSpec(parsing: "status@0:503,retry-after=2")]
    try await withPlayer([Self.makeExchange(["data: a\n\n"])], .init(speed: .instant, faults: faults)) {
      server in
      let refusal = try await get(server)
      #expect(refusal.status == 503)
      #expect(refusal.head == ["Content-Length: 0", "Retry-After: 2", "Connection: close"])
      #expect(try await get(server).body.contains("data: a"))
      #expect(try await get(server).status == 204)
    }
    let every = [try FaultSpec(parsing: "status@every/0:429")]
    try await withPlayer([Self.makeExchange(["data: a\n\n"])], .init(speed: .instant, faults: every)) {
      server in
      for _ in 0..<3 {
        let answer = try await get(server)
        #expect(answer.status == 429)
      }
    }
  }

  @Test("faults of the body break the answer where they stand, once per session")
  func bodyFaults() async throws {
    let body = "id: 1\ndata: a\n\n"
    let table: [(String, String, RawClient.End)] = [
      ("reset@5", "5\r\nid: 1\r\n", .reset), ("truncate@5", "5\r\nid: 1\r\n", .closed),
      ("bad-chunk@5", "5\r\nid: 1\r\nzz\r\n", .closed),
    ]
    for (text, expected, end) in table {
      let options = CassetteServer.Options(
        speed: .instant, faults: [try FaultSpec(parsing: text)], resetSettle: .milliseconds(20))
      try await withPlayer([Self.makeExchange([body]), Self.makeExchange([body])], options) {
        (server) async throws in
        let broken = try await get(server)
        #expect(broken.body == expected, "\(text)")
        #expect(broken.end == end, "\(text)")
        // Nothing was dispatched, so nothing is to be sent back.
        #expect(try await get(server).body == "f\r\n\(body)\r\n0\r\n\r\n")
        #expect(server.findings.isEmpty)
      }
    }
  }

  @Test("a fault for a later exchange waits for it, and a random place is the same in every run")
  func placedFaults() async throws {
    let exchanges = [Self.makeExchange(["data: a\n\n"]), Self.makeExchange(["data: b\n\n"])]
    var bodies: [String] = []
    for _ in 0..<2 {
      let options = CassetteServer.Options(
        speed: .instant, faults: [try FaultSpec(parsing: "truncate@2/random-4")])
      try await withPlayer(exchanges, options) { (server) async throws in
        #expect(try await get(server).body == "9\r\ndata: a\n\n\r\n0\r\n\r\n")
        bodies.append(try await get(server).body)
      }
    }
    #expect(bodies[0] == bodies[1])
    #expect(!bodies[0].hasSuffix("0\r\n\r\n"))
  }

  @Test(
    "redirects lead back to this server",
    arguments: [
      ("https://example.org/next?x=1", "/next?x=1"), ("/next", "/next"), ("next", "next"),
      ("//example.org/next", "/next"), ("https://example.org", "/"), ("/a?u=http://b/c", "/a?u=http://b/c"),
    ])
  func redirects(recorded: String, sent: String) async throws {
    let redirect = Self.makeExchange([], status: 307, headers: [("Location", recorded)])
    try await withPlayer([redirect]) { (server) async throws in
      let answer = try await get(server)
      #expect(answer.head.contains("Location: \(sent)"))
    }
  }

  @Test("at recorded speed everything comes at its time")
  func recordedSpeed() async throws {
    let clock = ManualClock()
    try await withPlayer([Self.makeExchange(["data: a\n\n", "data: b\n\n"])], .init(), clock: clock) {
      server in
      let client = try RawClient(port: server.port)
      await client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
      for (moment, text) in [(1.0, "\r\n\r\n"), (3, "data: a\n\n"), (5, "data: b\n\n")] {
        await clock.advance(to: .seconds(moment) - .microseconds(1))
        #expect(await !client.text.containsBytes(of: text))
        await clock.advance(to: .seconds(moment))
        await client.receive(until: text)
      }
      await clock.advance(to: .seconds(5.5))
      #expect(await client.receiveAll().hasSuffix("\r\n0\r\n\r\n"))
      await client.stop()
    }
  }

  @Test("a client of HTTP/1.0 gets the body without chunks")
  func oldClient() async throws {
    try await withPlayer([Self.makeExchange(["data: a\n\n"])]) { (server) async throws in
      let text = try await exchange(port: server.port, "GET /events HTTP/1.0\r\n\r\n").text
      #expect(text == "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a\n\n")
    }
  }

  @Test("what can't be served is refused at the start")
  func refused() throws {
    let empty = try Self.makeCassette([])
    #expect(throws: CassetteServerError.self) { try CassetteServer(empty) }
    let cassette = try Self.makeCassette([Self.makeExchange(["a"])])
    for options: CassetteServer.Options in [
      .init(boundaries: .each), .init(speed: .times(0)), .init(speed: .times(.nan)),
      .init(speed: .times(.infinity)),
    ] { #expect(throws: CassetteServerError.self) { try CassetteServer(cassette, options: options) } }
  }

  @Test("header fields of a hostile cassette can't end a line")
  func hostileHeaders() async throws {
    let headers = [("X-A", "1\r\nX-Injected: 2"), ("Bad Name", "3"), ("Location", "http://a/\r\nX: y")]
    try await withPlayer([Self.makeExchange([], headers: headers)]) { (server) async throws in
      let head = try await get(server).head
      #expect(
        head.map { String($0.prefix { $0 != ":" }) } == [
          "X-A", "Location", "Transfer-Encoding", "Connection",
        ])
    }
  }
}
