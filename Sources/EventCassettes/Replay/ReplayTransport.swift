// A cassette as a transport, so that an app's own EventSource, coordinator and screens run in a test as they are. It
// plays what the network did; what the app does (scenes, credentials) stays the test's part.

public import ServerSentEvents

/// Plays a cassette to a client: connection n+1 gets exchange n+1, its facts at their recorded distance from the
/// connection's beginning.
///
/// ```swift
/// let clock = VirtualClock(advancesItself: true)
/// let transport = ReplayTransport(cassette, clock: clock)
/// let source = EventSource(request, environment: EventSourceEnvironment(transport: transport, clock: clock))
/// for try await event in source { … }
/// #expect(await transport.mismatches.isEmpty)
/// ```
///
/// It is strict: a request that is not the recorded one, or one more than were recorded, is answered with a 404 whose
/// body says what was asked, what the cassette has and how to record it; that is fatal to a client under every policy, so
/// no test hangs on it. The error that the client throws says the same. It is also kept in ``mismatches``.
///
/// A request is the recorded one if its method, the path and query of its URL, and its `Last-Event-ID` are those of the
/// exchange whose turn it is; a query value that was masked stands for any. Scheme, host and port are not compared, so an
/// app may ask its staging server where another was recorded; nor are other header fields and the body.
/// ``RequestMatching`` compares less.
///
/// How the last connection ends decides how a session does: where the recorder was stopped (`cancelled`), the client is
/// told just that, and closes.
public struct ReplayTransport: EventStreamTransport {
  /// What a request gets that comes after all exchanges.
  public enum Afterwards: Hashable, Sendable {
    /// It is a mismatch.
    case mismatch
    /// A 204, after which a client closes without an error.
    case noContent
  }

  private let session: ReplayTransportSession
  private let clock: any EventStreamClock

  /// Creates a transport that plays a cassette once.
  /// - Parameters:
  ///   - cassette: the session.
  ///   - name: the cassette's name, for messages.
  ///   - plan: where bodies are cut; `each` is `whole` here.
  ///   - clock: what its times are on; the client must use the same.
  ///   - speed: how fast; on a virtual clock leave it at `recorded`.
  ///   - matching: what of a request must fit.
  ///   - afterwards: what one more request gets.
  public init(
    _ cassette: Cassette, name: String = "the cassette", plan: ChunkBoundaryPlan = .recorded,
    clock: any EventStreamClock, speed: ReplaySpeed = .recorded, matching: RequestMatching = .all,
    afterwards: Afterwards = .mismatch
  ) {
    session = ReplayTransportSession(
      PlayedSession(cassette, name: name, plan: plan, matching: matching),
      endsWithNoContent: afterwards == .noContent, speed: speed)
    self.clock = clock
  }

  /// The requests so far that the cassette has no answer for.
  public var mismatches: [ReplayMismatch] { get async { await session.mismatches } }
  /// How many of the recorded exchanges were asked for.
  public var playedExchanges: Int { get async { await session.played } }

  /// Opens the next connection.
  public func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let playback = ReplayPlayback(request, session: session, clock: clock)
    return AsyncStream(unfolding: { await playback.next() }, onCancel: nil)
  }
}

/// What the connections of one replay share.
actor ReplayTransportSession {
  private var session: PlayedSession
  private let endsWithNoContent: Bool
  nonisolated let speed: ReplaySpeed
  private(set) var mismatches: [ReplayMismatch] = []

  init(_ session: PlayedSession, endsWithNoContent: Bool, speed: ReplaySpeed) {
    self.session = session
    self.endsWithNoContent = endsWithNoContent
    self.speed = speed
  }

  var played: Int { session.played }

  /// The facts for a request.
  func facts(for request: EventStreamRequest) -> [StampedTransportFact] {
    if session.isExhausted, endsWithNoContent {
      return [
        StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 204))),
        StampedTransportFact(at: .zero, .ended(.complete, detail: "the recording ends here")),
      ]
    }
    do {
      return try session.facts(for: request)
    } catch {
      mismatches.append(error)
      let text = HeaderField("Content-Type", "text/plain; charset=utf-8")
      return [
        StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 404, headers: [text]))),
        StampedTransportFact(at: .zero, .bytes(Array(error.description.utf8))),
        StampedTransportFact(
          at: .zero, .ended(.complete, detail: "no server, but a replay answered; \(error.description)")),
      ]
    }
  }
}

/// One connection: its facts one by one, each when its time has come.
actor ReplayPlayback {
  private let request: EventStreamRequest
  private let session: ReplayTransportSession
  private let clock: any EventStreamClock
  private var pace: ReplayPace
  private var facts: [StampedTransportFact]?
  private var index = 0
  /// While the client works on a fact, a virtual clock must not run on. It goes away with the stream.
  private let hold: VirtualClock.Hold?

  init(_ request: EventStreamRequest, session: ReplayTransportSession, clock: any EventStreamClock) {
    self.request = request
    self.session = session
    self.clock = clock
    pace = ReplayPace(speed: session.speed, clock: clock)
    hold = (clock as? VirtualClock)?.hold()
  }

  func next() async -> StampedTransportFact? {
    if facts == nil { facts = await session.facts(for: request) }
    guard let facts, index < facts.count else {
      hold?.release()
      return nil
    }
    var fact = facts[index]
    index += 1
    hold?.release()
    do {
      var pace = pace
      try await pace.wait(until: fact.at)
      self.pace = pace
    } catch {
      return nil  // the client closed the connection
    }
    hold?.take()
    fact.at = clock.now
    return fact
  }
}
