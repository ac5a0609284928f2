// Scripts as a raw client sees them: every byte, every cut, every ending.

import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("Scripted responses", .serialized)
struct ScriptedResponseTests {
  static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"

  @Test("a body that ends with the connection is sent as it is")
  func connectionFraming() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n", "data: b\n\n")])
    try await withServer(server) { server in
      let (text, end) = try await exchange(port: server.port)
      #expect(text == Self.head + "Connection: close\r\n\r\ndata: a\n\ndata: b\n\n")
      #expect(end == .closed)
    }
  }

  @Test("each chunk is an HTTP chunk of its own under chunked framing; empty ones send nothing")
  func chunkedFraming() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: a", "", "\n\n0123456789", framing: .chunked)
    ])
    try await withServer(server) { server in
      let (text, _) = try await exchange(port: server.port)
      #expect(
        text == Self.head + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
          + "7\r\ndata: a\r\nc\r\n\n\n0123456789\r\n0\r\n\r\n")
    }
  }

  @Test(
    "a cut leaves out the last chunk, or stops short of the length",
    arguments: [
      (ScriptedResponse.Framing.chunked, "Transfer-Encoding: chunked", "9\r\ndata: a\n\n\r\n"),
      (.length(extra: 50), "Content-Length: 59", "data: a\n\n"),
    ])
  func cut(framing: ScriptedResponse.Framing, field: String, body: String) async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n", framing: framing, ending: .cut)])
    try await withServer(server) { server in
      let (text, end) = try await exchange(port: server.port)
      #expect(text == Self.head + field + "\r\nConnection: close\r\n\r\n" + body)
      #expect(end == .closed)
      let seen = try await server.exchanges { $0.first?.outcome != nil }
      #expect(seen[0].outcome == .brokenOff)
    }
  }

  @Test("headers keep their order and their spelling, and are not doubled")
  func headers() async throws {
    let fields = [
      HeaderField("x-b", "1"), HeaderField("X-A", "é"), HeaderField("x-b", "2"),
      HeaderField("connection", "keep-alive"), HeaderField("content-length", "3"),
    ]
    let server = try LoopbackServer(responses: [
      ScriptedResponse(headers: fields, chunks: [.init("abc")], framing: .length())
    ])
    try await withServer(server) { server in
      let (text, _) = try await exchange(port: server.port)
      #expect(
        text
          == "HTTP/1.1 200 OK\r\nx-b: 1\r\nX-A: é\r\nx-b: 2\r\nconnection: keep-alive\r\ncontent-length: 3\r\n\r\nabc"
      )
    }
  }

  @Test("HTTP/1.0 answers say so")
  func oldVersion() async throws {
    let server = try LoopbackServer(responses: [ScriptedResponse(version: .http10, chunks: [.init("a")])])
    try await withServer(server) { server in
      let text = try await exchange(port: server.port).text
      #expect(text == "HTTP/1.0 200 OK\r\n\r\na")
    }
  }

  @Test("a chunk is repeated as often as asked")
  func repeated() async throws {
    let server = try LoopbackServer(responses: [
      ScriptedResponse(chunks: [.init([UInt8](repeating: 0x61, count: 65_536), times: 64)])
    ])
    try await withServer(server) { server in
      let (text, _) = try await exchange(port: server.port)
      #expect(text.hasSuffix(String(repeating: "a", count: 64 * 65_536)))
    }
  }

  @Test("no status sends nothing, and a reset is a reset")
  func noResponse() async throws {
    let server = try LoopbackServer(responses: [.noResponse(.reset()), .noResponse(.close)])
    try await withServer(server) { server in
      var (text, end) = try await exchange(port: server.port)
      #expect(text.isEmpty)
      #expect(end == .reset)
      (text, end) = try await exchange(port: server.port)
      #expect(text.isEmpty)
      #expect(end == .closed)
    }
  }

  @Test("a reset comes after the data that was read before it")
  func resetAfterData() async throws {
    let server = try LoopbackServer { _, response in
      try await response.sendHead(headers: [], framing: .connection)
      try await response.send("data: a\n\n")
      try await response.hang()
    }
    let resetting = try LoopbackServer(responses: [
      .eventStream("data: a\n\n", ending: .reset(after: .milliseconds(50)))
    ])
    try await withServer(server) { _ in
      try await withServer(resetting) { server in
        let (text, end) = try await exchange(port: server.port)
        #expect(text.hasSuffix("\r\n\r\ndata: a\n\n"))
        #expect(end == .reset)
        #expect(try await server.exchanges { $0[0].outcome != nil }[0].outcome == .brokenOff)
      }
    }
  }

  @Test("a hanging answer stays open until the client closes, which is recorded")
  func hang() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: a\n\n", ending: .hang), .noResponse(.hang),
    ])
    try await withServer(server) { server in
      let client = try RawClient(port: server.port)
      await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await client.receive(until: "data: a\n\n")
      #expect(await server.exchanges[0].outcome == nil)
      let closing = SystemEventStreamClock().now
      await client.stop()
      let seen = try await server.exchanges { $0[0].outcome != nil }
      #expect(seen[0].outcome == .clientClosed)
      #expect(try #require(seen[0].clientClosedAt) >= closing)

      let silent = try RawClient(port: server.port)
      await silent.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      try await server.exchanges { $0.count == 2 }
      await silent.resetOnClose()
      await silent.stop()
      #expect(try await server.exchanges { $0[1].outcome != nil }[1].outcome == .clientClosed)
    }
  }

  @Test("requests beyond the script get 204 and are marked")
  func unexpected() async throws {
    let server = try LoopbackServer(responses: [ScriptedResponse(status: 404)])
    try await withServer(server) { server in
      #expect(
        try await exchange(port: server.port).text == "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n")
      #expect(
        try await exchange(port: server.port).text == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
      let seen = try await server.exchanges { $0.count == 2 && $0.allSatisfy { $0.outcome != nil } }
      #expect(seen.map(\.isUnexpected) == [false, true])
    }
  }

  @Test("pauses run on the server's clock, before each chunk")
  func pauses() async throws {
    let clock = ManualClock()
    let server = try LoopbackServer(
      clock: clock,
      responses: [.eventStream("a", "b", delay: .seconds(3600))])
    try await withServer(server) { server in
      let client = try RawClient(port: server.port)
      await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await client.receive(until: "\r\n\r\n")
      for (step, body) in [(3600, "a"), (7200, "ab")] {
        await clock.advance(to: .seconds(step))
        await client.receive(until: "\r\n\r\n" + body)
      }
      await client.receiveAll()
      #expect(await client.text.hasSuffix("\r\n\r\nab"))
      await client.stop()
      let seen = try await server.exchanges { $0[0].outcome != nil }
      #expect(seen[0].receivedAt == .zero)
      #expect(seen[0].endedAt == .seconds(7200))
    }
  }

  @Test("a client that leaves during a pause ends the answer")
  func leavingInPause() async throws {
    let server = try LoopbackServer(clock: ManualClock(), responses: [.eventStream("a", delay: .seconds(1))])
    try await withServer(server) { server in
      let client = try RawClient(port: server.port)
      await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await client.receive(until: "\r\n\r\n")
      await client.stop()
      #expect(try await server.exchanges { $0[0].outcome != nil }[0].outcome == .clientClosed)
    }
  }
}
