// The replay server: a cassette played to real clients over loopback HTTP. What to send is decided by `ReplaySessions` and
// `AnswerScript`; this file waits and sends.

public import EventCassettes
public import ServerSentEvents

/// Plays a cassette to real clients over HTTP on 127.0.0.1.
///
/// ```swift
/// let server = try CassetteServer(cassette, options: .init(boundaries: .bytes(1), faults: [try FaultSpec(parsing: "reset@100")]))
/// // … point the app at server.url …
/// await server.stop()
/// #expect(server.findings.isEmpty)
/// ```
///
/// Request n+1 of a client session gets exchange n+1; after the last one comes a 204, which ends an event source. A
/// client that begins anew gets the cassette from its start. Requests are taken in this order whatever they ask for:
/// neither path nor method must be the recorded one, and only the `Last-Event-ID` is compared (``findings``). Requests belong to one session if their path, query,
/// `User-Agent` and peer are the same and they don't overlap; a query item `session=NAME` settles it. Bodies
/// are sent in chunked coding, each chunk as one (to a client of HTTP/1.0: until the end of the connection). Where the recorded client closed the connection, the
/// server leaves it open.
///
/// Where a fault cuts an answer short, the session's next request gets the rest of the same exchange, from behind the event
/// that its `Last-Event-ID` names; so a client that resumes has every event once, as on the real server. Without that
/// field the exchange begins anew, which is a finding. Events without IDs can't be resumed: what was behind the cut is
/// lost then, and ``ClientFinding/Kind/eventsLost`` says so; who posts, or is no event source, gets the answer anew. Events that come
/// again, then or where an ID was set back, are told by ``ClientFinding/Kind/eventsRepeated``.
public final class CassetteServer: Sendable {
  /// How a cassette is played.
  public struct Options: Hashable, Sendable {
    /// The port, or 0 for any free one.
    public var port: UInt16
    /// Where bodies are cut. `each` is no single way to cut and is refused.
    public var boundaries: ChunkBoundaryPlan
    /// How fast.
    public var speed: ReplaySpeed
    /// Whether a session begins again after the last exchange.
    public var loops: Bool
    /// What goes wrong.
    public var faults: [FaultSpec]
    /// The wait before a reset, since a reset may overtake what was sent before it.
    public var resetSettle: Duration
    /// Whether `/` is a page for browsers.
    public var servesPage: Bool

    /// Creates options.
    public init(
      port: UInt16 = 0, boundaries: ChunkBoundaryPlan = .recorded, speed: ReplaySpeed = .recorded,
      loops: Bool = false, faults: [FaultSpec] = [], resetSettle: Duration = .milliseconds(100),
      servesPage: Bool = true
    ) {
      self.port = port
      self.boundaries = boundaries
      self.speed = speed
      self.loops = loops
      self.faults = faults
      self.resetSettle = resetSettle
      self.servesPage = servesPage
    }
  }

  private let player: CassettePlayer
  private let server: LoopbackServer

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - cassette: what is played; at least one exchange.
  ///   - options: how.
  ///   - clock: the clock that waits go by.
  ///   - onFinding: told of each finding at once, on the server's thread.
  /// - Throws: ``CassetteServerError`` for a cassette or an option that can't be served, ``LoopbackServerError`` for a
  ///   port that can't be had.
  public init(
    _ cassette: Cassette, options: Options = Options(),
    clock: any EventStreamClock = SystemEventStreamClock(),
    onFinding: @escaping @Sendable (ClientFinding) -> Void = { _ in }
  ) throws {
    let player = try CassettePlayer(cassette, options: options, clock: clock, onFinding: onFinding)
    self.player = player
    server = try LoopbackServer(port: options.port, clock: clock) { request, response in
      try await player.answer(request, response)
    }
  }

  /// The port that it listens on.
  public var port: UInt16 { server.port }
  /// The address of the event stream. Any other path but `/` has it too.
  public var url: String { server.url("/events") }
  /// The address of the page.
  public var pageURL: String { server.url("/") }
  /// What clients did wrong so far.
  public var findings: [ClientFinding] { player.findings }
  /// The faults that no client has met so far; each says whether it ever can be met.
  public var unusedFaults: [UnusedFault] { player.unusedFaults }
  /// How many client sessions there have been.
  public var sessions: Int { player.sessionCount }

  /// The requests so far and what became of them.
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

  /// Closes all connections and returns when everything is gone.
  public func stop() async { await server.stop() }
}

/// A cassette or an option that a replay server can't serve. Errors are equal when their codes are.
public struct CassetteServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// The cassette holds no exchange.
    public static let noExchanges = Code(name: "noExchanges")
    /// The boundary plan is no single way to cut.
    public static let unusablePlan = Code(name: "unusablePlan")
    /// The events have no IDs of their own, so that no server can resume after one.
    public static let notResumable = Code(name: "notResumable")
    /// The speed is not a number above 0.
    public static let unusableSpeed = Code(name: "unusableSpeed")
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
