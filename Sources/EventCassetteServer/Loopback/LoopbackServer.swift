// The public face of the loopback server. What it does is in `ServerListener` (accepting, records) and
// `ServerConnection` (one client); this class owns their event loop and ends it.

public import ServerSentEvents

/// A small HTTP/1.1 server on 127.0.0.1, for tests and demonstrations: it answers by a script or a handler, to the byte
/// and the cut, and keeps a record of what it saw.
///
/// ```swift
/// let server = try LoopbackServer(responses: [
///   .eventStream("id: 1\ndata: a\n\n", ending: .reset()),
///   ScriptedResponse(status: 204),
/// ])
/// // … let a client open server.url …
/// let seen = try await server.exchanges { $0.count == 2 && $0[1].outcome != nil }
/// await server.stop()
/// ```
///
/// Each connection serves one request (answers say `Connection: close`). The server runs on a thread of its own, so it
/// also answers while a test blocks. Without ``stop()`` it ends some time after the last reference is gone.
public final class LoopbackServer: Sendable {
  /// Answers one request. It runs on the server's thread until it waits for something else, so it must not block.
  public typealias Handler =
    @Sendable (_ request: HTTPRequest, _ response: ResponseWriter) async throws -> Void

  /// What a server may be told beyond its port.
  public struct Options: Hashable, Sendable {
    /// What it accepts from clients.
    public var limits: HTTPRequestLimits
    /// How long it waits for the client's close after an answer has ended, before it closes the socket.
    public var lingerTime: Duration
    /// How many exchanges it remembers at most; older ones are forgotten once they are over.
    public var history: Int

    /// Creates options.
    public init(
      limits: HTTPRequestLimits = HTTPRequestLimits(), lingerTime: Duration = .seconds(2),
      history: Int = 10_000
    ) {
      self.limits = limits
      self.lingerTime = lingerTime
      self.history = history
    }
  }

  /// The port that it listens on.
  public let port: UInt16
  private let listener: ServerListener
  private let loop: EventLoop

  /// Starts a server that asks `handler` for each answer.
  ///
  /// - Parameters:
  ///   - port: the port, or 0 for any free one.
  ///   - clock: the clock of pauses and records.
  ///   - options: what it accepts and remembers.
  ///   - handler: answers one request; many run at a time.
  /// - Throws: ``LoopbackServerError`` with `portInUse` or `cannotListen`.
  public convenience init(
    port: UInt16 = 0, clock: any EventStreamClock = SystemEventStreamClock(), options: Options = Options(),
    handler: @escaping Handler
  ) throws {
    try self.init(port: port, clock: clock, options: options) { call in
      try await handler(call.request, call.writer)
      return false
    }
  }

  /// Starts a server that answers the n-th request with the n-th response, and those beyond with 204, which
  /// ``ServedExchange/isUnexpected`` shows.
  public convenience init(
    port: UInt16 = 0, clock: any EventStreamClock = SystemEventStreamClock(), options: Options = Options(),
    responses: [ScriptedResponse]
  ) throws {
    try self.init(port: port, clock: clock, options: options) { call in
      guard call.number <= responses.count else {
        try await call.writer.send(ScriptedResponse(status: 204))
        return true
      }
      try await call.writer.send(responses[call.number - 1])
      return false
    }
  }

  /// Starts a server that asks for a scripted response for each request; `number` counts requests from 1.
  public convenience init(
    port: UInt16 = 0, clock: any EventStreamClock = SystemEventStreamClock(), options: Options = Options(),
    answering answer:
      @escaping @Sendable (_ request: HTTPRequest, _ number: Int) async throws -> ScriptedResponse
  ) throws {
    try self.init(port: port, clock: clock, options: options) { call in
      try await call.writer.send(try await answer(call.request, call.number))
      return false
    }
  }

  /// `host` is the address to listen at: loopback unless somebody asked for another.
  init(
    host: [UInt8] = [127, 0, 0, 1], port: UInt16, clock: any EventStreamClock, options: Options,
    service: @escaping ServerListener.Service
  ) throws {
    let name = host.map(String.init).joined(separator: ".")
    let socket: Socket
    do throws(SystemError) {
      (socket, self.port) = try Socket.listening(at: SocketAddress(host: host, port: port))
      do throws(SystemError) {
        loop = try EventLoop()
      } catch {
        socket.close()
        throw error
      }
    } catch {
      throw error.isAddressInUse
        ? LoopbackServerError(
          code: .portInUse,
          message: "port \(port) of \(name) is in use: choose another, or 0 for any free one")
        : LoopbackServerError(
          code: .cannotListen,
          message:
            "can't listen on port \(port) of \(name): \(error); take an address of this machine, and a port from 1024 on"
        )
    }
    let listener = ServerListener(
      socket: socket, loop: loop, clock: clock, options: options, service: service)
    self.listener = listener
    loop.task { await listener.start() }
  }

  deinit {
    let (listener, loop) = (listener, loop)
    Task {
      await listener.stop()
      await loop.stop()
    }
  }

  /// The address of `/`, without the slash: `http://127.0.0.1:PORT`.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// The address of an absolute path.
  public func url(_ path: String) -> String { url + path }

  /// What it has seen so far, in the order of the requests.
  public var exchanges: [ServedExchange] {
    get async { await listener.exchanges }
  }

  /// What came in and was refused (no HTTP, too long, conflicting lengths).
  public var refusals: [RefusedRequest] {
    get async { await listener.refusals }
  }

  /// Connections that are open now.
  public var openConnections: Int {
    get async { await listener.openConnections }
  }

  /// Waits until what it has seen fulfils `condition`, which is asked again at every change.
  ///
  /// - Returns: what it has seen by then.
  /// - Throws: `CancellationError` if the task is cancelled or the server stopped before.
  @discardableResult
  public func exchanges(
    until condition: @escaping @Sendable ([ServedExchange]) -> Bool
  ) async throws -> [ServedExchange] {
    try await listener.wait { exchanges, _ in condition(exchanges) }
    return await listener.exchanges
  }

  /// Waits until something was refused, as ``exchanges(until:)``.
  @discardableResult
  public func refusals(
    until condition: @escaping @Sendable ([RefusedRequest]) -> Bool
  ) async throws -> [RefusedRequest] {
    try await listener.wait { _, refusals in condition(refusals) }
    return await listener.refusals
  }

  /// Closes all connections and the port, cancels the handlers, and returns when all of it and the thread are gone.
  /// What the server has seen stays readable. Not to be awaited by a handler.
  public func stop() async {
    await listener.stop()
    await loop.stop()
  }
}
