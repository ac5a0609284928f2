// The server must answer while the program blocks every thread of the concurrency pool: synchronous tests do that.

import Testing

@testable import EventCassetteServer

@Suite("A blocked concurrency pool")
struct BlockedPoolTests {
  @Test("more blocking clients than the pool has threads are all served")
  func blockingClients() async throws {
    let server = try LoopbackServer { request, response in
      try await response.sendHead(framing: .connection)
      try await response.pause(.milliseconds(1))
      try await response.send(request.path)
    }
    let port = server.port
    let answers = await withTaskGroup(of: String.self) { group in
      for number in 0..<64 { group.addTask { blockingExchange(port: port, path: "/\(number)") } }
      return await group.reduce(into: Set()) { $0.insert($1) }
    }
    await server.stop()
    #expect(answers == Set((0..<64).map { "/\($0)" }))
  }
}

/// Gets the body at a path, holding on to its thread all the while.
private func blockingExchange(port: UInt16, path: String) -> String {
  guard let socket = try? Socket.connecting(to: .loopback(port: port)) else { return "can't connect" }
  defer { socket.close() }
  func wait(_ interest: PollEntry.Interest) -> Bool {
    var entries = [PollEntry(socket: socket, interest: interest)]
    PollEntry.poll(&entries, milliseconds: 5_000)
    return entries[0].isReady
  }
  guard wait(.writing) else { return "not connected" }
  _ = socket.send(Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8)[...])
  var received: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while wait(.reading) {
    switch socket.receive(into: &buffer) {
    case .bytes(let count): received += buffer[..<count]
    case .wouldBlock: break
    case .end, .failed:
      let text = String(decoding: received, as: UTF8.self)
      return text.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? text
    }
  }
  return "nothing came"
}
