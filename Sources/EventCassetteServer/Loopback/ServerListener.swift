// Accepts connections, carries each through its one request, and keeps the records. An actor on the event loop.
//
// UNSAFE, and why: an actor names its executor by an unowned reference; it holds the event loop itself as well.

import ServerSentEvents

actor ServerListener {
  /// One request on its way to whoever answers it.
  struct Call: Sendable {
    var request: HTTPRequest
    var number: Int
    var peer: SocketAddress
    var writer: ResponseWriter
  }

  /// Answers a call; true if the call was one too many.
  typealias Service = @Sendable (Call) async throws -> Bool

  private struct Waiter {
    var condition: @Sendable ([ServedExchange], [RefusedRequest]) -> Bool
    var continuation: CheckedContinuation<Bool, Never>
  }

  private let socket: Socket
  private let loop: EventLoop
  private let clock: any EventStreamClock
  private let options: LoopbackServer.Options
  private let service: Service

  private(set) var exchanges: [ServedExchange] = []
  private(set) var refusals: [RefusedRequest] = []
  private var forgotten = 0
  private var isStopped = false
  private var accepting: Task<Void, Never>?
  private var connections: [Int: Task<Void, Never>] = [:]
  private var lastConnection = 0
  private var waiters: [Int: Waiter] = [:]
  private var lastWaiter = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  init(
    socket: Socket, loop: EventLoop, clock: any EventStreamClock, options: LoopbackServer.Options,
    service: @escaping Service
  ) {
    self.socket = socket
    self.loop = loop
    self.clock = clock
    self.options = options
    self.service = service
  }

  var openConnections: Int { connections.count }

  func start() {
    guard !isStopped, accepting == nil else { return }
    accepting = loop.task { await self.accept() }
  }

  /// Ends everything and waits for it. May be called again.
  func stop() async {
    let isFirst = !isStopped
    isStopped = true
    accepting?.cancel()
    await accepting?.value
    for connection in connections.values { connection.cancel() }
    while let connection = connections.values.first { await connection.value }
    guard isFirst else { return }
    socket.close()
    let left = waiters.values
    waiters = [:]
    for waiter in left { waiter.continuation.resume(returning: false) }
  }

  // MARK: Connections

  private func accept() async {
    while await loop.wait(for: .reading, on: socket), !isStopped {
      switch socket.accept() {
      case .connection(let client, let peer):
        lastConnection += 1
        let number = lastConnection
        connections[number] = loop.task {
          await self.serve(client, from: peer)
          await self.forget(connection: number)
        }
      case .wouldBlock: break
      case .failed:
        // Out of descriptors, most likely: some may be free soon, and spinning frees none.
        _ = await loop.wait(until: SystemEventStreamClock().now + .milliseconds(20))
      }
    }
  }

  private func forget(connection number: Int) {
    connections[number] = nil
    changed()
  }

  private func serve(_ client: Socket, from peer: SocketAddress) async {
    let connection = ServerConnection(socket: client, peer: peer, loop: loop, clock: clock)
    let connectedAt = clock.now
    do {
      if let request = try await connection.readRequest(limits: options.limits) {
        let number = forgotten + exchanges.count + 1
        exchanges.append(
          ServedExchange(
            number: number, request: request, peer: peer.description, connectedAt: connectedAt,
            receivedAt: clock.now))
        changed()
        await answer(
          Call(
            request: request, number: number, peer: peer, writer: ResponseWriter(connection: connection)),
          on: connection)
        forgetOldest()
      }
    } catch {
      refusals.append(RefusedRequest(status: error.status, reason: error.reason, at: clock.now))
      if refusals.count > options.history { refusals.removeFirst() }
      changed()
      await refuse(error, on: connection)
    }
    await connection.close()
  }

  private func answer(_ call: Call, on connection: ServerConnection) async {
    let handling = loop.task { await self.handle(call, on: connection) }
    let watching = loop.task {
      guard await connection.waitForClientClose() else { return }
      handling.cancel()
      await self.update(call.number, from: connection)
    }
    await withTaskCancellationHandler {
      await handling.value
    } onCancel: {
      handling.cancel()
    }
    await update(call.number, from: connection)
    await linger(until: watching)
    await update(call.number, from: connection)
  }

  private func handle(_ call: Call, on connection: ServerConnection) async {
    do {
      let isUnexpected = try await service(call)
      if isUnexpected, let index = index(of: call.number) { exchanges[index].isUnexpected = true }
      try await connection.finish()
    } catch {
      if await connection.clientClosedAt != nil {
        await connection.end(.clientClosed)
      } else if Task.isCancelled {
        await connection.end(.stopped)
      } else {
        await fail(error, on: connection)
      }
    }
  }

  private func fail(_ error: any Error, on connection: ServerConnection) async {
    if await connection.phase == .beforeHead {
      try? await sendText("the handler failed: \(error)\n", status: 500, on: connection)
    }
    await connection.breakOff(.handlerFailed)
  }

  private func refuse(_ refusal: HTTPRefusal, on connection: ServerConnection) async {
    try? await sendText(refusal.reason + "\n", status: refusal.status, on: connection)
    try? await connection.finish()
    await linger(until: loop.task { _ = await connection.waitForClientClose() })
  }

  private func sendText(_ text: String, status: Int, on connection: ServerConnection) async throws {
    try await connection.sendHead(
      version: .http11, status: status, headers: [HeaderField("Content-Type", "text/plain; charset=utf-8")],
      framing: .length(), length: text.utf8.count)
    try await connection.sendChunk(Array(text.utf8))
  }

  /// Gives the client time to close first: a socket closed with bytes unread resets the connection, and a reset may
  /// take the end of the answer with it.
  private func linger(until watching: Task<Void, Never>) async {
    let deadline = SystemEventStreamClock().now + options.lingerTime
    let timer = loop.task {
      _ = await self.loop.wait(until: deadline)
      watching.cancel()
    }
    await withTaskCancellationHandler {
      await watching.value
    } onCancel: {
      watching.cancel()
    }
    timer.cancel()
    await timer.value
  }

  // MARK: Records

  private func index(of number: Int) -> Int? {
    let index = number - 1 - forgotten
    return exchanges.indices.contains(index) ? index : nil
  }

  private func update(_ number: Int, from connection: ServerConnection) async {
    let (phase, endedAt, clientClosedAt) = await connection.summary
    guard let index = index(of: number) else { return }
    exchanges[index].endedAt = endedAt
    exchanges[index].clientClosedAt = clientClosedAt
    if case .ended(let outcome) = phase { exchanges[index].outcome = outcome }
    changed()
  }

  private func forgetOldest() {
    while exchanges.count > options.history, exchanges.first?.outcome != nil {
      exchanges.removeFirst()
      forgotten += 1
    }
  }

  // MARK: Waiting

  /// Returns once `condition` holds.
  func wait(until condition: @escaping @Sendable ([ServedExchange], [RefusedRequest]) -> Bool) async throws {
    if condition(exchanges, refusals) { return }
    guard !isStopped, !Task.isCancelled else { throw CancellationError() }
    lastWaiter += 1
    let number = lastWaiter
    let holds = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // Asked again here: the task may have been suspended since, so a change or the stop may have passed it by.
        if condition(exchanges, refusals) {
          continuation.resume(returning: true)
        } else if isStopped || Task.isCancelled {
          continuation.resume(returning: false)
        } else {
          waiters[number] = Waiter(condition: condition, continuation: continuation)
        }
      }
    } onCancel: {
      Task { await self.giveUp(waiter: number) }
    }
    if !holds { throw CancellationError() }
  }

  private func giveUp(waiter number: Int) {
    waiters.removeValue(forKey: number)?.continuation.resume(returning: false)
  }

  private func changed() {
    for (number, waiter) in waiters where waiter.condition(exchanges, refusals) {
      waiters.removeValue(forKey: number)
      waiter.continuation.resume(returning: true)
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  var description: String { host.map(String.init).joined(separator: ".") + ":\(port)" }
}
