// A client that is nothing but a socket, so that tests see every byte and decide every cut themselves.

import ServerSentEvents

@testable import EventCassetteServer

actor RawClient {
  /// How the server ended the connection.
  enum End: Hashable { case closed, reset }

  private nonisolated let loop: EventLoop
  private let socket: Socket
  /// Everything received so far.
  private(set) var received: [UInt8] = []
  private(set) var end: End?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(port: UInt16) throws {
    loop = try EventLoop()
    socket = try Socket.connecting(to: .loopback(port: port))
  }

  var text: String { String(decoding: received, as: UTF8.self) }

  func send(_ text: String) async {
    await send(Array(text.utf8))
  }

  func send(_ bytes: [UInt8]) async {
    var rest = bytes[...]
    while !rest.isEmpty, await loop.wait(for: .writing, on: socket) {
      switch socket.send(rest) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock: break
      case .end, .failed: return
      }
    }
  }

  /// Reads once; false at the end of the connection.
  @discardableResult
  func receive() async -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while end == nil, await loop.wait(for: .reading, on: socket) {
      switch socket.receive(into: &buffer) {
      case .bytes(let count):
        received += buffer[..<count]
        return true
      case .wouldBlock: break
      case .end: end = .closed
      case .failed: end = .reset
      }
    }
    return false
  }

  /// Reads until `text` has come.
  func receive(until text: String) async {
    while !self.text.containsBytes(of: text), await receive() {}
  }

  /// Reads to the end of the connection.
  @discardableResult
  func receiveAll() async -> String {
    while await receive() {}
    return text
  }

  /// Says that nothing more will be sent.
  func shutdownWriting() { socket.shutdownWriting() }

  /// Makes `close()` a reset.
  func resetOnClose() { socket.resetOnClose() }

  func close() async {
    loop.forget(socket)
    socket.close()
  }

  nonisolated func stop() async {
    await close()
    await loop.stop()
  }
}

/// One request over one connection: what the server sent, and how it ended.
func exchange(
  port: UInt16, _ request: String = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
) async throws -> (text: String, end: RawClient.End?) {
  let client = try RawClient(port: port)
  await client.send(request)
  let text = await client.receiveAll()
  let end = await client.end
  await client.stop()
  return (text, end)
}

/// Runs `body` with a server that is stopped afterwards.
func withServer<Result>(
  _ server: LoopbackServer, _ body: (LoopbackServer) async throws -> Result
) async throws -> Result {
  do {
    let result = try await body(server)
    await server.stop()
    return result
  } catch {
    await server.stop()
    throw error
  }
}

extension String {
  /// Whether the bytes of `text` are in here; `contains` would take CR LF for one character.
  func containsBytes(of text: String) -> Bool {
    let (bytes, sought) = (Array(utf8), Array(text.utf8))
    guard bytes.count >= sought.count else { return false }
    return (0...(bytes.count - sought.count)).contains { bytes[$0...].starts(with: sought) }
  }
}
