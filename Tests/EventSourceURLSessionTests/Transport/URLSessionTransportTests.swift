// The transport over real sockets on loopback: what goes on the wire, how each end is named, and that closing closes.

import EventCassetteServer
import EventSourceURLSession
import Foundation
import ServerSentEvents
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The URLSession transport", .serialized, .timeLimit(.minutes(10)))
struct URLSessionTransportTests {
  let transport = URLSessionEventStreamTransport(configuration: .ephemeral)

  /// All facts of one connection.
  func facts(_ request: EventStreamRequest) async -> [EventStreamTransportFact] {
    var facts: [EventStreamTransportFact] = []
    for await stamped in transport.connect(request) { facts.append(stamped.fact) }
    return facts
  }

  func facts(of response: ScriptedResponse) async throws -> [EventStreamTransportFact] {
    let server = try LoopbackServer(responses: [response])
    let facts = await facts(EventStreamRequest(url: server.url("/")))
    await server.stop()
    return facts
  }

  func end(_ facts: [EventStreamTransportFact]) -> ConnectionEnd? {
    if case .ended(let end, _)? = facts.last { end } else { nil }
  }

  static let ends: [(ScriptedResponse, ConnectionEnd)] = [
    (.eventStream("data: a\n\n"), .complete),
    (.eventStream("data: a\n\n", framing: .chunked), .complete),
    (.eventStream("data: a\n\n", framing: .length(extra: 50), ending: .cut), .truncated),
    (.eventStream("data: a\n\n", framing: .chunked, ending: .cut), .truncated),
    (.eventStream("data: a\n\n", framing: .chunked, ending: .reset(after: .milliseconds(100))), .reset),
    (.noResponse(.reset()), .reset),
    (.noResponse(.close), .reset),
    (ScriptedResponse(status: 204), .complete),
  ]

  @Test("who is cancelled while facts come in doesn't wait for who brings them")
  func cancelledMeanwhile() async throws {
    let server = try LoopbackServer { _, response in
      try await response.send(
        ScriptedResponse(chunks: (0..<50).map { .init("data: \($0)\n\n") }, framing: .chunked))
    }
    // Neither end of this race can be held still: many rounds, with the cancellation a little later each time.
    for round in 0..<300 {
      let reader = Task {
        var count = 0
        for await _ in transport.connect(EventStreamRequest(url: server.url("/"))) { count += 1 }
        return count
      }
      for _ in 0..<round * 4 { await Task.yield() }
      reader.cancel()
      _ = await reader.value
    }
    await server.stop()
  }

  @Test("each way of ending has its name", arguments: ends.indices)
  func ending(_ index: Int) async throws {
    let (response, expected) = Self.ends[index]
    let facts = try await facts(of: response)
    #expect(end(facts) == expected, "\(facts)")
    if response.status == 200 { #expect(facts.contains(.bytes(Array("data: a\n\n".utf8)))) }
  }

  @Test("what isn't HTTP, and a broken chunk size, break the protocol")
  func brokenProtocol() async throws {
    let garbage = try LoopbackServer { _, response in
      try await response.sendRaw(Array("SSH-2.0-x\r\n\r\n".utf8))
      await response.cut()
    }
    #expect(end(await facts(EventStreamRequest(url: garbage.url("/")))) == .protocol)
    await garbage.stop()
    let chunk = try LoopbackServer { _, response in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      try await response.sendRaw(Array((head + "zz\r\ndata: a\n\n\r\n").utf8))
      await response.cut()
    }
    #expect(end(await facts(EventStreamRequest(url: chunk.url("/")))) == .protocol)
    await chunk.stop()
  }

  @Test("nobody listening, no such host and no URL are unreachable")
  func unreachable() async throws {
    let server = try LoopbackServer(responses: [])
    let url = server.url("/")
    await server.stop()
    #expect(end(await facts(EventStreamRequest(url: url))) == .unreachable)
    #expect(end(await facts(EventStreamRequest(url: "not a url"))) == .unreachable)
    #expect(end(await facts(EventStreamRequest(url: ""))) == .unreachable)
  }

  @Test("a redirect without a usable Location breaks the protocol and shows its answer")
  func redirectWithoutLocation() async throws {
    let facts = try await facts(of: ScriptedResponse(status: 302))
    #expect(end(facts) == .protocol)
    guard case .response(let response)? = facts.first else {
      Issue.record("no response in \(facts)")
      return
    }
    #expect(response.status == 302)
  }

  @Test(
    "a redirect that can't be followed, or goes round for ever, ends and never looks like an end of the stream",
    arguments: [
      "ftp://127.0.0.1/x", "mailto:x@y", "http://", "http:", "//", "http://[", "", "/again",
      "file:///etc/passwd",
      "data:text/event-stream,data:x%0A%0A", "javascript:1",
    ])
  func unusableRedirects(_ location: String) async throws {
    let server = try LoopbackServer { _, response in
      try await response.send(ScriptedResponse(status: 302, headers: [HeaderField("Location", location)]))
    }
    let source = EventSource(
      EventStreamRequest(url: server.url("/")), configuration: EventSourceConfiguration(mode: .oneShot),
      environment: .urlSession(transport))
    let error = await #expect(throws: EventSourceError.self) { for try await _ in source {} }
    #expect(
      error.map { [.badStatus, .protocol, .unreachable].contains($0.code) } == true,
      "\(String(describing: error))")
    // Only what leads back here may come back here.
    #expect(await server.exchanges.count <= (location == "/again" ? 22 : 1))
    await server.stop()
  }

  @Test("a client that leaves at a redirect is no harm")
  func leavingAtRedirect() async throws {
    let server = try LoopbackServer { _, response in
      try await response.send(ScriptedResponse(status: 302, headers: [HeaderField("Location", "/again")]))
    }
    for _ in 0..<50 {
      for await stamped in transport.connect(EventStreamRequest(url: server.url("/"))) {
        if case .redirect = stamped.fact { break }
      }
    }
    await server.stop()
  }

  @Test(
    "interim answers come before the answer and are none", arguments: ["100 Continue", "103 Early Hints"])
  func interimAnswers(_ status: String) async throws {
    let server = try LoopbackServer { _, response in
      let head = "HTTP/1.1 \(status)\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
      try await response.sendRaw(Array((head + "data: a\n\n").utf8))
      try await response.finish()
    }
    let facts = await facts(EventStreamRequest(url: server.url("/")))
    await server.stop()
    let statuses = facts.compactMap { fact -> Int? in
      if case .response(let response) = fact { response.status } else { nil }
    }
    #expect(statuses == [200])
    #expect(end(facts) == .complete)
  }

  @Test("credentials stay with their origin, also where a chain of redirects comes back")
  func credentialsAndOrigins() async throws {
    let other = try LoopbackServer { request, response in
      // Back home, through a stranger.
      let home = request.query ?? ""
      try await response.send(ScriptedResponse(status: 307, headers: [HeaderField("Location", home)]))
    }
    let home = try LoopbackServer { [port = other.port] request, response in
      switch request.path {
      case "/start":
        try await response.send(ScriptedResponse(status: 302, headers: [HeaderField("Location", "/away")]))
      case "/away":
        let back = "http://127.0.0.1:\(request["Host"]?.split(separator: ":").last ?? "")/end"
        let location = "http://127.0.0.1:\(port)/?\(back)"
        try await response.send(ScriptedResponse(status: 307, headers: [HeaderField("Location", location)]))
      default: try await response.send(.eventStream("data: a\n\n"))
      }
    }
    let secrets = [
      HeaderField("Authorization", "Bearer secret"), HeaderField("Cookie", "session=secret"),
      HeaderField("X-API-Key", "secret"), HeaderField("X-Own-Key", "secret"), HeaderField("X-Other", "kept"),
      HeaderField("Last-Event-ID", "7"),
    ]
    var request = EventStreamRequest(url: home.url("/start"), headers: secrets)
    request.credentialHeaders = ["x-own-key"]
    let facts = await facts(request)
    let redirects = facts.compactMap { fact -> EventStreamRequest? in
      if case .redirect(_, let next) = fact { next } else { nil }
    }
    #expect(redirects.map { $0.headers["Authorization"] } == ["Bearer secret", nil, nil])
    let atHome = await home.exchanges
    #expect(atHome.map(\.request.path) == ["/start", "/away", "/end"])
    #expect(atHome.map { $0.request["Authorization"] } == ["Bearer secret", "Bearer secret", nil])
    #expect(atHome.map { $0.request["Cookie"] } == ["session=secret", "session=secret", nil])
    let away = try #require(await other.exchanges.first).request
    #expect(away["Authorization"] == nil && away["Cookie"] == nil && away["X-API-Key"] == nil)
    #expect(away["X-Own-Key"] == nil)
    #expect(away["X-Other"] == "kept" && away["Last-Event-ID"] == "7")
    await home.stop()
    await other.stop()
  }

  @Test("method, headers and body go out as given, with UTF-8 in values")
  func request() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n")])
    _ = await facts(
      EventStreamRequest(
        method: "POST", url: server.url("/v1/chat?stream=1"),
        headers: [
          HeaderField("Content-Type", "application/json"), HeaderField("Last-Event-ID", "caf\u{E9}\u{1F600}"),
          HeaderField("Accept-Encoding", "identity"), HeaderField("Accept", "text/event-stream"),
        ], body: Array(#"{"prompt":"é"}"#.utf8)))
    let seen = try #require(await server.exchanges.first).request
    #expect(seen.method == "POST" && seen.target == "/v1/chat?stream=1")
    #expect(seen.body == Array(#"{"prompt":"é"}"#.utf8))
    #expect(seen["Content-Type"] == "application/json" && seen["Accept-Encoding"] == "identity")
    #expect(seen["Accept"] == "text/event-stream")
    #expect(seen.bytes(of: "Last-Event-ID") == Array("caf\u{E9}\u{1F600}".utf8))
    await server.stop()
  }

  @Test("a body whose encoding was undone says so, and keeps its header; one without an encoding doesn't")
  func contentDecoded() async throws {
    let zipped = try #require(
      Scenario.all.first { $0.name == "gzip-whole-body" }?.responses.first?.chunks.first)
    let gzip = ScriptedResponse(
      headers: [HeaderField("Content-Encoding", "gzip")], chunks: [.init(zipped)], framing: .length())
    let plain = ScriptedResponse(headers: [HeaderField("Content-Encoding", "identity")], chunks: [.init("x")])
    for (script, isDecoded) in [(gzip, true), (plain, false)] {
      let facts = try await facts(of: script)
      guard case .response(let response)? = facts.first else {
        Issue.record("no response in \(facts)")
        continue
      }
      #expect(response.contentDecoded == isDecoded)
      #expect(response.headers["Content-Encoding"] == script.headers["Content-Encoding"])
      #expect(facts.contains { if case .bytes(let bytes) = $0 { bytes != zipped } else { false } })
    }
  }

  @Test("dropping the sequence of facts closes the socket")
  func droppingCloses() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n", ending: .hang)])
    for await stamped in transport.connect(EventStreamRequest(url: server.url("/"))) {
      if case .bytes = stamped.fact { break }
    }
    // The server would wait for ever.
    try await server.exchanges { $0.first?.clientClosedAt != nil }
    await server.stop()
  }

  @Test("a transport that is let go lets its open streams go on")
  func transportLetGo() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: a\n\n", "data: b\n\n", delay: .milliseconds(100))
    ])
    let stream = URLSessionEventStreamTransport(configuration: .ephemeral)
      .connect(EventStreamRequest(url: server.url("/")))
    var bytes: [UInt8] = []
    for await stamped in stream {
      if case .bytes(let chunk) = stamped.fact { bytes += chunk }
    }
    #expect(String(decoding: bytes, as: UTF8.self) == "data: a\n\ndata: b\n\n")
    await server.stop()
  }
}
