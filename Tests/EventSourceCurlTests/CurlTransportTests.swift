// The transport over real sockets on loopback, where there is a libcurl. What servers do beyond HTTP is tried on the built
// tool, by Tests/Interop/answers; here is what a program sees of the transport itself.

import EventCassetteServer
import EventSourceURLSession
import ServerSentEvents
import Testing

@testable import EventSourceCurl

@Suite("The libcurl transport", .enabled(if: CurlEventStreamTransport() != nil), .timeLimit(.minutes(10)))
struct CurlTransportTests {
  let transport: CurlEventStreamTransport

  init() throws { transport = try #require(CurlEventStreamTransport()) }

  func facts(
    _ request: EventStreamRequest, over transport: (any EventStreamTransport)? = nil
  ) async -> [EventStreamTransportFact] {
    var facts: [EventStreamTransportFact] = []
    for await stamped in (transport ?? self.transport).connect(request) { facts.append(stamped.fact) }
    return facts
  }

  @Test("a request is sent as it is, with nothing that the library would add of its own")
  func request() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n"), .eventStream("data: a\n\n")])
    let headers = [HeaderField("X-A", "1"), HeaderField("X-Empty", ""), HeaderField("X-A", "é")]
    let body = Array(repeating: UInt8(ascii: "b"), count: 100_000)
    let url = server.url("/e/../f?q=%20")
    for request in [
      EventStreamRequest(url: url, headers: headers),
      EventStreamRequest(method: "PUT", url: url, headers: headers, body: body),
    ] {
      #expect(await facts(request).last == .ended(.complete, detail: ""))
    }
    let seen = await server.exchanges.map(\.request)
    #expect(seen.map(\.method) == ["GET", "PUT"])
    #expect(seen.map { "\($0.path)?\($0.query ?? "")" } == ["/e/../f?q=%20", "/e/../f?q=%20"])
    #expect(seen.map(\.body) == [[], body])
    let names = seen.map { $0.fields.map(\.name) }
    #expect(
      names == [["Host", "X-A", "X-Empty", "X-A"], ["Host", "X-A", "X-Empty", "X-A", "Content-Length"]])
    #expect(seen[0].fields.map(\.value).dropFirst() == ["1", "", "é"])
    await server.stop()
  }

  @Test(
    "what would end a line is not sent",
    arguments: [
      EventStreamRequest(method: "GET /x HTTP/1.1\r\nX:", url: "http://127.0.0.1:1/"),
      EventStreamRequest(url: "http://127.0.0.1:1/", headers: [HeaderField("X", "a\r\nY: b")]),
      EventStreamRequest(url: "http://127.0.0.1:1/", headers: [HeaderField("X\n", "a")]),
      EventStreamRequest(url: "http://127.0.0.1:1/", headers: [HeaderField("X", "a\0b")]),
    ])
  func injection(request: EventStreamRequest) async {
    let text = "the request has a method or a header field that can't be sent"
    #expect(await facts(request) == [.ended(.protocol, detail: text)])
  }

  @Test(
    "no URL, another scheme and nobody there are unreachable",
    arguments: ["", "not a url", "http://127.0.0.1:1/"])
  func unreachable(url: String) async {
    guard case .ended(.unreachable, _)? = await facts(EventStreamRequest(url: url)).last else {
      Issue.record("it was reached")
      return
    }
  }

  @Test("a proxy gets redirects and encoded bodies as they are")
  func asProxy() async throws {
    let server = try LoopbackServer(responses: [
      ScriptedResponse(
        status: 302, headers: [HeaderField("Location", "/b"), HeaderField("Content-Encoding", "gzip")],
        chunks: [.init("x")])
    ])
    let facts = await facts(EventStreamRequest(url: server.url("/")), over: transport.asProxy)
    #expect(facts.dropFirst() == [.bytes([UInt8(ascii: "x")]), .ended(.complete, detail: "")])
    guard case .response(let response)? = facts.first else { return }
    #expect(response.status == 302 && !response.contentDecoded)
    await server.stop()
  }

  @Test("a server is held back while too much waits, and let go with the connection")
  func heldBack() async throws {
    let server = try LoopbackServer { _, response in
      try await response.sendHead(status: 200, headers: [], framing: .chunked)
      for _ in 0..<4096 { try await response.send(Array(repeating: 0x0A, count: 16_384)) }
      try await response.end(.close)
    }
    let credit = ReceivingCredit(limit: 32_768)
    var count = 0
    for await stamped in transport.heldBack(by: credit).connect(EventStreamRequest(url: server.url("/"))) {
      guard case .bytes(let bytes) = stamped.fact else { continue }
      count += bytes.count
      if count < 1 << 20 { credit.refund(bytes.count) } else { break }
    }
    // It would be in the middle of its 64 MiB for ever if the thread had stayed in its callback.
    try await server.exchanges { $0.first?.outcome == .clientClosed }
    await server.stop()
  }

  @Test(
    "trailer fields, lines of a head and a chunk's extension without end are broken off",
    arguments: ["X: y\r\n", "x"])
  func endless(piece: String) async throws {
    let server = try LoopbackServer { request, response in
      let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n\n\r\n"
      let beginnings = ["/trailer": head + "0\r\n", "/extension": head + "5;", "/head": "HTTP/1.1 200 "]
      try await response.sendRaw(Array((beginnings[request.path] ?? "").utf8))
      let bytes = Array(String(repeating: piece, count: 4096).utf8)
      while true { try await response.sendRaw(bytes) }
    }
    for path in ["/trailer", "/extension", "/head"] {
      guard
        case .ended(.protocol, let detail)? = await facts(EventStreamRequest(url: server.url(path))).last
      else {
        Issue.record("\(path) ended otherwise")
        continue
      }
      #expect(!detail.contains("memory"))
    }
    await server.stop()
  }

  @Test("cancelling closes the connection at once, before an answer and after")
  func cancelling() async throws {
    let server = try LoopbackServer { request, response in
      if request.path == "/silent" { return try await response.send(.noResponse(.hang)) }
      try await response.send(.eventStream("data: a\n\n", ending: .hang))
    }
    for path in ["/silent", "/talking"] {
      let request = EventStreamRequest(url: server.url(path))
      let task = Task { [transport] in for await _ in transport.connect(request) {} }
      try await server.exchanges { $0.contains { $0.request.path == path } }
      task.cancel()
      await task.value
      try await server.exchanges { $0.first { $0.request.path == path }?.outcome == .clientClosed }
    }
    await server.stop()
  }

  @Test(
    "results have their names",
    arguments: [
      (6, "", ConnectionEnd.unreachable), (7, "", .unreachable), (28, "", .unreachable), (18, "", .truncated),
      (56, "Recv failure: Connection reset by peer", .reset),
      (56, "Malformed encoding found in chunked-encoding", .protocol),
      (56, "OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading", .truncated),
      (52, "", .reset),
      (92, "", .reset), (35, "", .tls), (60, "", .tls), (8, "", .protocol), (61, "", .protocol),
      (3, "", .unreachable), (27, "Out of memory", .protocol), (100, "", .protocol), (43, "", .unknown),
    ])
  func ends(code: CInt, message: String, expected: ConnectionEnd) {
    #expect(ConnectionEnd(curlCode: code, message: message) == expected)
  }
}
