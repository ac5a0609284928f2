// The recording reverse proxy: any client in any language talks to it as to the real server; what passes goes on
// cassettes. The server half is the loopback server, the client half `SocketTransport` or a transport that is given.

public import EventCassettes
public import ServerSentEvents

/// A reverse proxy that records each client session on a cassette and passes every chunk on at once.
///
/// Requests and answers stay as they are but for the fields of the connection (RFC 9110, section 7.6.1), the framing and
/// `Host`. One cassette holds the connections of one client session: a request with a `Last-Event-ID` goes on the one of the
/// client that it is most like (method, URL, peer host and `User-Agent`) and that has no open connection; any other
/// request begins a cassette. Cassettes are finished by ``stop()``, or when idle ones must make room.
public final class RecordingProxy: Sendable {
  /// How a proxy listens and records.
  public struct Options: Sendable {
    /// The address of version 4 to listen at: four bytes; loopback unless said otherwise.
    public var host: [UInt8]
    /// The port, or 0 for any free one.
    public var port: UInt16
    /// How many cassettes are open at most; when all are busy, further requests get 503.
    public var mostSessions: Int
    /// What is masked on the cassettes; `nil` for nothing. Clients get everything as it is.
    public var redaction: RedactionRules?
    /// What is accepted from clients.
    public var limits: HTTPRequestLimits

    /// Creates options.
    public init(
      host: [UInt8] = [127, 0, 0, 1], port: UInt16 = 0, mostSessions: Int = 64,
      redaction: RedactionRules? = .standard, limits: HTTPRequestLimits = HTTPRequestLimits()
    ) {
      self.host = host
      self.port = port
      self.mostSessions = mostSessions
      self.redaction = redaction
      self.limits = limits
    }
  }

  private let forwarder: ProxyForwarder
  private let server: LoopbackServer

  /// Starts a proxy.
  ///
  /// - Parameters:
  ///   - upstream: the real server: `http://HOST[:PORT][/BASE]`; `https` if a `transport` is given.
  ///   - directory: where cassettes go; it must exist.
  ///   - options: how it listens and records.
  ///   - transport: what asks the real server; `nil` for our own sockets, which can do http only.
  ///   - clock: the clock of the recorded times.
  ///   - header: makes the header of each cassette.
  ///   - onCassette: told the path of each cassette when it is begun.
  /// - Throws: ``RecordingProxyError`` for an upstream that can't be used, ``LoopbackServerError`` for a port.
  public convenience init(
    upstream: String, recordingInto directory: String, options: Options = Options(),
    transport: (any EventStreamTransport)? = nil, clock: any EventStreamClock = SystemEventStreamClock(),
    header: @escaping @Sendable () -> Cassette.Header,
    onCassette: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    var connecting: (@Sendable () -> UpstreamConnection)?
    if let transport { connecting = { UpstreamConnection(transport) } }
    try self.init(
      upstream: upstream, recordingInto: directory, options: options, connecting: connecting, clock: clock,
      header: header, onCassette: onCassette)
  }

  /// Starts a proxy that makes a connection of its own kind for each request; `nil` for our own sockets.
  package init(
    upstream: String, recordingInto directory: String, options: Options,
    connecting: (@Sendable () -> UpstreamConnection)?, clock: any EventStreamClock,
    header: @escaping @Sendable () -> Cassette.Header, onCassette: @escaping @Sendable (String) -> Void
  ) throws {
    guard let origin = HTTPOrigin(upstream), !origin.target.contains("?") else {
      throw RecordingProxyError(
        code: .badUpstream,
        description: "‘\(upstream)’ is no upstream: write http://HOST, with :PORT and /PATH if needed")
    }
    guard origin.scheme == "http" || connecting != nil else {
      throw RecordingProxyError(
        code: .needsTransport, description: "an https upstream needs a transport: give one over URLSession")
    }
    let forwarder = ProxyForwarder(
      upstream: origin, directory: directory, options: options, connecting: connecting, clock: clock,
      header: header, onCassette: onCassette)
    self.forwarder = forwarder
    server = try LoopbackServer(
      host: options.host, port: options.port, clock: clock,
      options: LoopbackServer.Options(limits: options.limits, history: 100)
    ) { call in
      try await forwarder.forward(call.request, call.writer)
      return false
    }
  }

  /// The port that it listens on.
  public var port: UInt16 { server.port }
  /// Its address, without a path.
  public var url: String { server.url }

  /// The requests so far and what became of them (the last hundred).
  public var exchanges: [ServedExchange] {
    get async { await server.exchanges }
  }

  /// Waits as ``LoopbackServer/exchanges(until:)``.
  @discardableResult
  public func exchanges(
    until condition: @escaping @Sendable ([ServedExchange]) -> Bool
  ) async throws -> [ServedExchange] {
    try await server.exchanges(until: condition)
  }

  /// In how many places data was masked whole, since a pattern took too long; on the cassettes that are finished.
  package var unsearched: Int64 { forwarder.unsearched.withLock { $0 } }

  /// Closes all connections and finishes all cassettes.
  ///
  /// - Returns: the errors of cassettes that couldn't be written to their end.
  @discardableResult
  public func stop() async -> [CassetteError] {
    await server.stop()
    return await forwarder.finish()
  }
}

/// A proxy that can't be started. Errors are equal when their codes are.
public struct RecordingProxyError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// The upstream is no URL that can be asked.
    public static let badUpstream = Code(name: "badUpstream")
    /// An https upstream without a transport.
    public static let needsTransport = Code(name: "needsTransport")
  }

  /// What kind of mistake it is.
  public let code: Code
  /// What is wrong and what to do.
  public let description: String

  /// Whether both have the same code.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
