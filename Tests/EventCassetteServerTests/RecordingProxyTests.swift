// The proxy between a raw client and a scripted server: what passes, what is dropped, what is on the cassettes.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("The recording proxy", .serialized)
struct RecordingProxyTests {
  /// Runs `body` with a proxy before `upstream`; afterwards gives the cassettes that it wrote, in the order of their names.
  @discardableResult
  func withProxy(
    _ upstream: LoopbackServer, at url: String? = nil, path: String = "",
    _ options: RecordingProxy.Options = .init(redaction: nil),
    _ body: (RecordingProxy) async throws -> Void
  ) async throws -> [Cassette] {
    let folder = try ScratchFolder()
    let proxy = try RecordingProxy(
      upstream: (url ?? upstream.url) + path, recordingInto: folder.url.path, options: options,
      header: { Cassette.Header(recorder: "tests", recordedAt: "2026-01-02T03:04:05Z") })
    do {
      try await body(proxy)
    } catch {
      await proxy.stop()
      await upstream.stop()
      throw error
    }
    let failures = await proxy.stop()
    await upstream.stop()
    #expect(failures.isEmpty)
    return try folder.names().map { try Cassette(contentsOf: folder.path($0)) }
  }

  @Test("requests and answers pass as they are, without the fields of the connection")
  func intact() async throws {
    let upstream = try LoopbackServer(responses: [
      ScriptedResponse(
        status: 201,
        headers: [
          HeaderField("Set-Cookie", "a=1"), HeaderField("Set-Cookie", "b=2"), HeaderField("Keep-Alive", "x"),
          HeaderField("Connection", "X-Hop, close"), HeaderField("X-Hop", "1"), HeaderField("x-kept", "é"),
        ], chunks: [.init("abcde")], framing: .chunked)
    ])
    let cassettes = try await withProxy(upstream, path: "/base/") { (proxy) async throws in
      let text = try await exchange(
        port: proxy.port,
        "PATCH /p/q?x=1 HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-a: 2\r\nConnection: Y-Hop\r\nY-Hop: 1\r\nTE: trailers\r\n"
          + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
      ).text
      #expect(
        text
          == "HTTP/1.1 201 Created\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nx-kept: é\r\n"
          + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nabcde\r\n0\r\n\r\n")
    }
    let seen = try #require(await upstream.exchanges.first).request
    #expect(seen.method == "PATCH")
    #expect(seen.target == "/base/p/q?x=1")
    #expect(seen.body == Array("abcde".utf8))
    #expect(
      seen.fields.map { "\($0.name): \($0.value)" } == [
        "Host: 127.0.0.1:\(upstream.port)", "X-A: 1", "x-a: 2", "Content-Length: 5", "Connection: close",
      ])
    let recorded = try #require(cassettes.first?.exchanges.first)
    #expect(recorded.request.method == "PATCH")
    #expect(recorded.requestBody == Array("abcde".utf8))
    #expect(recorded.response?.status == 201)
    #expect(recorded.response?.headers.values(of: "Set-Cookie") == ["a=1", "b=2"])
    #expect(recorded.body == Array("abcde".utf8))
    #expect(recorded.end?.cause == .complete)
  }

  @Test("each chunk is passed on before the next one is there")
  func atOnce() async throws {
    let (steps, next) = AsyncStream<Void>.makeStream()
    let upstream = try LoopbackServer { _, response in
      try await response.sendHead(headers: [HeaderField("Content-Type", "text/event-stream")])
      var number = 0
      for await _ in steps {
        number += 1
        try await response.send("data: \(number)\n\n")
      }
    }
    let cassettes = try await withProxy(upstream) { (proxy) async throws in
      let client = try RawClient(port: proxy.port)
      await client.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
      for number in 1...3 {
        next.yield()
        await client.receive(until: "9\r\ndata: \(number)\n\n\r\n")
      }
      next.finish()
      #expect(await client.receiveAll().hasSuffix("0\r\n\r\n"))
      await client.stop()
    }
    #expect(cassettes[0].exchanges[0].chunks.count == 3)
  }

  @Test(
    "how upstream ends is how the client sees it, and what the cassette says",
    arguments: [
      (
        ScriptedResponse.eventStream("data: a\n\n", framing: .chunked, ending: .cut), "9\r\ndata: a\n\n\r\n",
        RawClient.End.closed, ConnectionEnd.truncated
      ),
      (
        .eventStream("data: a\n\n", framing: .length(extra: 9), ending: .cut), "data: a\n\n", .closed,
        .truncated
      ),
      (.eventStream("data: a\n\n", framing: .length()), "data: a\n\n", .closed, .complete),
      (
        .eventStream("data: a\n\n", ending: .reset(after: .milliseconds(50))), "9\r\ndata: a\n\n\r\n", .reset,
        .reset
      ),
      (.eventStream("data: a\n\n"), "9\r\ndata: a\n\n\r\n0\r\n\r\n", .closed, .complete),
    ])
  func endings(response: ScriptedResponse, body: String, end: RawClient.End, cause: ConnectionEnd)
    async throws
  {
    let upstream = try LoopbackServer(responses: [response])
    let cassettes = try await withProxy(upstream) { (proxy) async throws in
      let answer = try await exchange(port: proxy.port)
      #expect(answer.text.containsBytes(of: "\r\n\r\n" + body))
      #expect(answer.text.hasSuffix(body))
      #expect(answer.end == end)
    }
    #expect(cassettes[0].exchanges[0].end?.cause == cause)
    #expect(cassettes[0].exchanges[0].body == Array("data: a\n\n".utf8))
  }

  @Test(
    "an upstream that gives no proper answer is a 502 that says why",
    arguments: [
      ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", ConnectionEnd.protocol),
      ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", .protocol),
      ("ICY 200 OK\r\n\r\n", .protocol), ("HTTP/1.1 101 Switching\r\n\r\n", .protocol),
      ("HTTP/1.1 200 OK\r\nA\r\n\r\n", .protocol), ("", .reset), ("HTTP/1.1 200", .reset),
    ])
  func badUpstream(answer: String, cause: ConnectionEnd) async throws {
    let upstream = try LoopbackServer { _, response in
      try await response.sendRaw(Array(answer.utf8))
      await response.cut()
    }
    let cassettes = try await withProxy(upstream) { (proxy) async throws in
      let text = try await exchange(port: proxy.port).text
      #expect(text.hasPrefix("HTTP/1.1 502 "))
      #expect(text.contains("wiretape proxy: "))
    }
    #expect(cassettes[0].exchanges[0].end?.cause == cause)
    #expect(cassettes[0].exchanges[0].response == nil)
  }

  @Test("an upstream that isn't there is a 502, and interim answers are passed over")
  func unreachable() async throws {
    // Nobody listens at port 1; a port that was just free may be another test's by now.
    let unused = try LoopbackServer(responses: [])
    let cassettes = try await withProxy(unused, at: "http://127.0.0.1:1") { (proxy) async throws in
      #expect(try await exchange(port: proxy.port).text.hasPrefix("HTTP/1.1 502 "))
      #expect(
        try await exchange(port: proxy.port, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n").text.hasPrefix(
          "HTTP/1.1 400 "))
    }
    #expect(cassettes[0].exchanges[0].end?.cause == .unreachable)
    let interim = try LoopbackServer { _, response in
      try await response.sendRaw(
        Array("HTTP/1.1 103 Early\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8))
    }
    try await withProxy(interim) { (proxy) async throws in
      let text = try await exchange(port: proxy.port).text
      #expect(text == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
    }
  }

  @Test(
    "interim answers and empty lines without end are a 502", arguments: ["HTTP/1.1 102 P\r\n\r\n", "\r\n"])
  func endlessInterim(piece: String) async throws {
    let endless = try LoopbackServer { _, response in
      let bytes = Array(String(repeating: piece, count: 1000).utf8)
      while true { try await response.sendRaw(bytes) }
    }
    let cassettes = try await withProxy(endless) { (proxy) async throws in
      let text = try await exchange(port: proxy.port).text
      #expect(text.hasPrefix("HTTP/1.1 502 ") && text.contains("the head is longer than 262144 bytes"))
    }
    #expect(cassettes[0].exchanges[0].end?.cause == .protocol)
  }

  @Test(
    "a client that comes back goes on on its cassette; another one, or one at the same time, gets its own")
  func sessions() async throws {
    let upstream = try LoopbackServer { request, response in
      try await response.send(.eventStream("data: a\n\n", ending: request["Wait"] == nil ? .close : .hang))
    }
    let cassettes = try await withProxy(upstream) { (proxy) async throws in
      let waiting = try RawClient(port: proxy.port)
      await waiting.send("GET /e HTTP/1.1\r\nHost: h\r\nWait: 1\r\n\r\n")
      await waiting.receive(until: "data: a\n\n")
      for fields in [
        "", "Last-Event-ID: 1\r\n", "Last-Event-ID: 2\r\n", "", "Last-Event-ID: 2\r\nUser-Agent: b\r\n",
      ] {
        _ = try await exchange(port: proxy.port, "GET /e HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
      }
      try await proxy.exchanges { $0.filter { $0.outcome == .finished }.count == 5 }
      _ = try await exchange(port: proxy.port, "GET /other HTTP/1.1\r\nHost: h\r\n\r\n")
      await waiting.stop()
      try await proxy.exchanges { $0.contains { $0.outcome == .clientClosed } }
      // The client is gone, so upstream must see its connection closed too.
      try await upstream.exchanges { $0.first?.outcome == .clientClosed }
    }
    #expect(cassettes.map(\.exchanges.count).sorted() == [1, 1, 1, 1, 3])
    let causes = cassettes.flatMap(\.exchanges).map(\.end?.cause)
    #expect(causes.filter { $0 == .cancelled }.count == 1)
    #expect(causes.filter { $0 == .complete }.count == 6)
  }

  @Test("secrets reach upstream and not the cassette; when all cassettes are busy there is a 503")
  func redactionAndBound() async throws {
    let upstream = try LoopbackServer(responses: [.eventStream("data: a\n\n", ending: .hang)])
    let cassettes = try await withProxy(upstream, .init(mostSessions: 1)) { (proxy) async throws in
      let client = try RawClient(port: proxy.port)
      await client.send("GET /e HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer very-secret-token\r\n\r\n")
      await client.receive(until: "data: a\n\n")
      #expect(try await exchange(port: proxy.port).text.hasPrefix("HTTP/1.1 503 "))
      await client.stop()
      try await upstream.exchanges { $0[0].outcome != nil }
    }
    #expect(await upstream.exchanges[0].request["Authorization"] == "Bearer very-secret-token")
    #expect(cassettes.count == 1)
    #expect(cassettes[0].exchanges[0].request.headers["Authorization"] == "Bearer [FILTERED]")
  }

  @Test("a reader waits while too much is on its way, and goes on when it is passed on or over")
  func credit() async {
    let credit = SendingCredit(limit: 10)
    await credit.spend(9)
    let (passed, mark) = AsyncStream<Int>.makeStream()
    let reader = Task {
      await credit.spend(5)
      mark.yield(1)
      await credit.spend(50)
      mark.yield(2)
    }
    var marks = passed.makeAsyncIterator()
    credit.refund(9)
    #expect(await marks.next() == 1)
    credit.end()
    #expect(await marks.next() == 2)
    await reader.value
  }

  @Test(
    "an upstream URL is read strictly",
    arguments: [
      ("http://h", "h", 80, "/"), ("http://h:8080/a?b#c", "h", 8080, "/a?b"),
      ("HTTPS://h?x", "h", 443, "/?x"),
    ] as [(String, String, UInt16, String)])
  func origins(text: String, host: String, port: UInt16, target: String) throws {
    let origin = try #require(HTTPOrigin(text))
    #expect(origin.host == host && origin.port == port && origin.target == target)
  }

  @Test(
    "what is no http URL is none",
    arguments: [
      "", "h", "ftp://h", "http://", "http://h:0", "http://h:99999", "http://h:+1", "http://u@h",
      "http://a b",
      "http://h\r\nX: y", "http://[::1]/", "http:/h", "http://:80", "http://h:1:2",
    ])
  func noOrigins(text: String) { #expect(HTTPOrigin(text) == nil) }
}
