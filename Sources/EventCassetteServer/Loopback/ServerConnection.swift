// One client's connection: reads its single request, sends what the handler says, watches for the client's close all the
// while, and closes the socket exactly once. An actor on the server's event loop, so its calls never overlap.
//
// UNSAFE, and why: an actor names its executor by an unowned reference; it holds the event loop itself as well.

import ServerSentEvents

actor ServerConnection {
  enum Phase: Hashable, Sendable {
    case beforeHead
    case body
    case ended(ServedExchange.Outcome)
  }

  nonisolated let loop: EventLoop
  nonisolated let clock: any EventStreamClock
  nonisolated let peer: SocketAddress
  private let socket: Socket
  private(set) var phase = Phase.beforeHead
  private(set) var endedAt: Duration?
  private(set) var clientClosedAt: Duration?
  private var method = "GET"
  private var isChunked = false
  private var isOpen = true

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(socket: Socket, peer: SocketAddress, loop: EventLoop, clock: any EventStreamClock) {
    self.socket = socket
    self.peer = peer
    self.loop = loop
    self.clock = clock
  }

  // MARK: Reading

  /// Reads one request; `nil` if the client left without one.
  func readRequest(limits: HTTPRequestLimits) async throws(HTTPRefusal) -> HTTPRequest? {
    var reader = HTTPRequestReader(limits: limits)
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while isOpen, await loop.wait(for: .reading, on: socket) {
      guard isOpen else { return nil }
      switch socket.receive(into: &buffer) {
      case .bytes(let count):
        switch try reader.append(buffer[..<count]) {
        case .incomplete: break
        case .wantsContinue: try? await transmit(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        case .complete(let request):
          method = request.method
          return request
        }
      case .wouldBlock: break
      case .end, .failed: return nil
      }
    }
    return nil
  }

  /// Reads and drops what comes after the request until the client closes; returns whether it did. A client that has
  /// closed only its sending half counts as gone: a closed socket looks no different from here.
  func waitForClientClose() async -> Bool {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while isOpen, await loop.wait(for: .reading, on: socket) {
      guard isOpen else { return false }
      switch socket.receive(into: &buffer) {
      case .bytes, .wouldBlock: break
      case .end, .failed:
        noteClientClosed()
        return true
      }
    }
    return false
  }

  // MARK: Sending

  func sendHead(
    version: HTTPVersion, status: Int, headers: [HeaderField], framing: ScriptedResponse.Framing, length: Int,
    splitAt: Int? = nil, pause: Duration = .zero
  ) async throws {
    guard phase == .beforeHead else { throw outOfOrder("a second head, or a head after the end") }
    let head = ResponseHead(
      version: version, status: status, headers: headers, framing: framing, length: length, method: method)
    isChunked = framing == .chunked && head.hasBody
    phase = .body
    let bytes = head.bytes
    guard let splitAt, splitAt < bytes.count else { return try await transmit(bytes) }
    try await transmit(Array(bytes[..<splitAt]))
    if pause > .zero { try await self.pause(until: clock.now + pause) }
    try await transmit(Array(bytes[splitAt...]))
  }

  func sendChunk(_ bytes: [UInt8]) async throws {
    guard phase == .body else { throw outOfOrder("a chunk before the head or after the end") }
    if bytes.isEmpty { return }
    guard isChunked else { return try await transmit(bytes) }
    let size = String(bytes.count, radix: 16)
    try await transmit(Array("\(size)\r\n".utf8) + bytes + [.cr, .lf])
  }

  func sendRaw(_ bytes: [UInt8]) async throws {
    if case .ended = phase { throw outOfOrder("bytes after the end") }
    phase = .body
    try await transmit(bytes)
  }

  func pause(until deadline: Duration) async throws {
    if clock is SystemEventStreamClock {
      guard await loop.wait(until: deadline) else { throw CancellationError() }
    } else {
      try await clock.sleep(until: deadline)
    }
  }

  func hang() async throws {
    while await loop.wait(until: clock.now + .seconds(86_400)) {}
    throw CancellationError()
  }

  // MARK: Ending

  func finish() async throws {
    if case .ended = phase { return }
    if phase == .body, isChunked { try await transmit(Array("0\r\n\r\n".utf8)) }
    guard isOpen, end(.finished) else { return }
    socket.shutdownWriting()
  }

  func cut() {
    guard isOpen, end(.brokenOff) else { return }
    socket.shutdownWriting()
  }

  /// Closes the sending half after a failure, unless the answer has ended already.
  func breakOff(_ outcome: ServedExchange.Outcome) {
    guard end(outcome), isOpen else { return }
    socket.shutdownWriting()
  }

  /// What the record needs, taken at one moment.
  var summary: (Phase, endedAt: Duration?, clientClosedAt: Duration?) { (phase, endedAt, clientClosedAt) }

  func reset() {
    guard isOpen, end(.brokenOff) else { return }
    socket.resetOnClose()
    close()
  }

  /// Records the end, once; whether it is the first.
  @discardableResult
  func end(_ outcome: ServedExchange.Outcome) -> Bool {
    if case .ended = phase { return false }
    phase = .ended(outcome)
    endedAt = clock.now
    return true
  }

  func close() {
    guard isOpen else { return }
    isOpen = false
    loop.forget(socket)
    socket.close()
  }

  private func noteClientClosed() {
    if clientClosedAt == nil { clientClosedAt = clock.now }
  }

  private func transmit(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard isOpen else { throw clientClosed }
      switch socket.send(rest) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock:
        guard await loop.wait(for: .writing, on: socket) else { throw CancellationError() }
      case .end, .failed:
        noteClientClosed()
        throw clientClosed
      }
    }
  }

  private var clientClosed: LoopbackServerError {
    LoopbackServerError(
      code: .clientClosed, message: "the client closed the connection; nothing more can be sent")
  }

  private func outOfOrder(_ what: String) -> LoopbackServerError {
    LoopbackServerError(
      code: .outOfOrder,
      message: "\(what): send one head, then chunks, then one ending")
  }
}
