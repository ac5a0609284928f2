// The server as a whole: records, bad clients beside good ones, stopping.

import ServerSentEvents
import Testing

@testable import EventCassetteServer

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("The loopback server", .serialized)
struct LoopbackServerTests {
  @Test("it records each request with its fields in order and the bytes of their values")
  func records() async throws {
    let server = try LoopbackServer(
      options: .init(lingerTime: .seconds(600)), responses: [ScriptedResponse(status: 204)])
    try await withServer(server) { server in
      let client = try RawClient(port: server.port)
      await client.send(
        Array("PUT /x?y HTTP/1.1\r\nhost: h\r\nB: 1\r\nA: ".utf8) + [0xFF, 0xE9]
          + Array("\r\nb: 2\r\nContent-Length: 3\r\n\r\nabc".utf8))
      await client.receiveAll()
      await client.stop()
      let seen = try await server.exchanges { $0.count == 1 && $0[0].clientClosedAt != nil }[0]
      #expect(seen.request.method == "PUT")
      #expect(seen.request.target == "/x?y")
      #expect(seen.request.fields.map(\.name) == ["host", "B", "A", "b", "Content-Length"])
      #expect(seen.request.bytes(of: "a") == [0xFF, 0xE9])
      #expect(seen.request.body == Array("abc".utf8))
      #expect(seen.connectedAt <= seen.receivedAt)
      #expect(seen.receivedAt <= (try #require(seen.endedAt)))
      #expect(seen.outcome == .finished)
      #expect(seen.peer.hasPrefix("127.0.0.1:"))
    }
  }

  @Test("a client that expects 100 Continue gets it before it sends the body")
  func continues() async throws {
    let server = try LoopbackServer(responses: [ScriptedResponse(status: 204)])
    try await withServer(server) { server in
      let client = try RawClient(port: server.port)
      await client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n")
      await client.receive(until: "HTTP/1.1 100 Continue\r\n\r\n")
      await client.send("ok")
      #expect(await client.receiveAll().hasPrefix("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 "))
      await client.stop()
      #expect(await server.exchanges[0].request.body == Array("ok".utf8))
    }
  }

  @Test("what is refused is answered, even while the client is still sending")
  func refusal() async throws {
    let server = try LoopbackServer(responses: [])
    try await withServer(server) { server in
      let text = try await exchange(
        port: server.port,
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"
          + String(repeating: "x", count: 200_000)
      ).text
      #expect(text.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
      #expect(text.hasSuffix("a Content-Length that is not one number\n"))
      let long = try await exchange(
        port: server.port, "GET / HTTP/1.1\r\nHost: a\r\nA: " + String(repeating: "x", count: 100_000)
      ).text
      #expect(long.hasPrefix("HTTP/1.1 431 "))
      #expect(try await server.refusals { $0.count == 2 }.map(\.status) == [400, 431])
      #expect(await server.exchanges.isEmpty)
    }
  }

  @Test("clients that are slow, silent or gone hold nobody up")
  func badClients() async throws {
    let server = try LoopbackServer { request, response in
      if request.path == "/endless" {
        try await response.sendHead()
        while true { try await response.send([UInt8](repeating: 0x61, count: 65_536)) }
      }
      try await response.send(.eventStream("data: ok\n\n"))
    }
    try await withServer(server) { server in
      let silent = try RawClient(port: server.port)
      let slow = try RawClient(port: server.port)
      await slow.send("GET / HT")
      let deaf = try RawClient(port: server.port)
      await deaf.send("GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
      try await server.exchanges { $0.count == 1 }
      for _ in 0..<5 { #expect(try await exchange(port: server.port).text.hasSuffix("data: ok\n\n")) }
      await deaf.resetOnClose()
      await deaf.stop()
      #expect(try await server.exchanges { $0[0].outcome != nil }[0].outcome == .clientClosed)
      await slow.send("TP/1.1\r\nHost: x\r\n\r\n")
      #expect(await slow.receiveAll().hasSuffix("data: ok\n\n"))
      await slow.stop()
      await silent.stop()
    }
  }

  @Test("many clients at a time each get their own answer")
  func manyClients() async throws {
    let server = try LoopbackServer { request, response in
      try await response.sendHead()
      for piece in 0..<20 { try await response.send("\(request.path) \(piece)\n") }
    }
    try await withServer(server) { server in
      let port = server.port
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<60 {
          group.addTask {
            let (text, end) = try await exchange(port: port, "GET /\(number) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(text.hasSuffix("0\r\n\r\n"))
            for piece in 0..<20 { #expect(text.containsBytes(of: "\n/\(number) \(piece)\n")) }
            #expect(end == .closed)
          }
        }
        try await group.waitForAll()
      }
      let seen = try await server.exchanges { $0.count == 60 && $0.allSatisfy { $0.outcome != nil } }
      #expect(Set(seen.map(\.request.path)).count == 60)
    }
  }

  @Test("a handler that fails gives 500 before its head and a cut after it")
  func failingHandler() async throws {
    struct Failure: Error {}
    let server = try LoopbackServer { request, response in
      if request.path == "/late" {
        try await response.sendHead()
        try await response.send("a")
      }
      throw Failure()
    }
    try await withServer(server) { server in
      #expect(try await exchange(port: server.port).text.hasPrefix("HTTP/1.1 500 "))
      let late = try await exchange(port: server.port, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n").text
      #expect(late.hasSuffix("\r\n\r\n1\r\na\r\n"))
      let seen = try await server.exchanges { $0.count == 2 && $0.allSatisfy { $0.outcome != nil } }
      #expect(seen.map(\.outcome) == [.handlerFailed, .handlerFailed])
    }
  }

  @Test("calls out of order throw and send nothing")
  func outOfOrder() async throws {
    let server = try LoopbackServer { _, response in
      await #expect(throws: LoopbackServerError.self) { try await response.send("early") }
      try await response.sendHead(framing: .connection)
      await #expect(throws: LoopbackServerError.self) { try await response.sendHead() }
      try await response.finish()
      await #expect(throws: LoopbackServerError.self) { try await response.send("late") }
    }
    try await withServer(server) { server in
      let text = try await exchange(port: server.port).text
      #expect(text == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
    }
  }

  @Test("stopping ends every answer, frees the port, and keeps the records")
  func stopping() async throws {
    let server = try LoopbackServer(responses: [.eventStream("a", ending: .hang), .noResponse(.hang)])
    let clients = [try RawClient(port: server.port), try RawClient(port: server.port)]
    for client in clients { await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
    let idle = try RawClient(port: server.port)
    try await server.exchanges { $0.count == 2 }
    let waiting = Task { try await server.exchanges { $0.count == 3 } }
    await server.stop()
    await server.stop()
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    for client in clients + [idle] {
      await client.receiveAll()
      await client.stop()
    }
    #expect(await server.exchanges.map(\.outcome) == [.stopped, .stopped])
    #expect(await server.openConnections == 0)
    let next = try LoopbackServer(port: server.port, responses: [])
    await next.stop()
  }

  @Test("a port that is taken is an error that names it")
  func portInUse() async throws {
    let server = try LoopbackServer(responses: [])
    try await withServer(server) { server in
      do {
        _ = try LoopbackServer(port: server.port, responses: [])
        Issue.record("the port was free")
      } catch let error as LoopbackServerError {
        #expect(error.code == .portInUse)
        #expect(error.message.contains("\(server.port)"))
      }
    }
  }

  @Test("a wait ends when its task is cancelled")
  func cancelledWait() async throws {
    let server = try LoopbackServer(responses: [])
    try await withServer(server) { server in
      let waiting = Task { try await server.exchanges { !$0.isEmpty } }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    }
  }

  @Test("old exchanges are forgotten beyond the history, numbers run on")
  func history() async throws {
    let server = try LoopbackServer(
      options: .init(history: 2), responses: .init(repeating: ScriptedResponse(status: 204), count: 5))
    try await withServer(server) { server in
      for _ in 0..<5 { _ = try await exchange(port: server.port) }
      let seen = try await server.exchanges { $0.last?.number == 5 && $0.count == 2 }
      #expect(seen.map(\.number) == [4, 5])
    }
  }

  #if os(Linux)
    @Test("no descriptor is left when servers and clients are gone")
    func descriptors() async throws {
      // Other suites open descriptors at the same time: what is counted are sockets of this server's own port.
      let server = try LoopbackServer(responses: [.eventStream("a", ending: .hang), .eventStream("b")])
      let client = try RawClient(port: server.port)
      await client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      await client.receive(until: "a")
      _ = try await exchange(port: server.port)
      #expect(descriptorsBound(to: server.port) > 0)
      await server.stop()
      #expect(descriptorsBound(to: server.port) == 0)
      await client.stop()
    }

    /// How many of this process's sockets have `port` as their own.
    private func descriptorsBound(to port: UInt16) -> Int {
      (0..<4096).filter { number in
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe getsockname(Int32(number), $0, &length)
          }
        }
        return result == 0 && address.sin_family == sa_family_t(AF_INET)
          && UInt16(bigEndian: address.sin_port) == port
      }.count
    }
  #endif
}
