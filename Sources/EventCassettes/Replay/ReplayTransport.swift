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
/// no test hangs on it. It is also kept in ``mismatches``.
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
      exchanges: cassette.playedExchanges(plan: plan),
      queue: ExchangeQueue(cassette.exchanges, matching: matching, cassetteName: name),
      afterwards: afterwards,
      speed: speed)
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

/// One exchange with its facts at their times since the connection's beginning.
struct PlayedExchange: Sendable {
  var facts: [StampedTransportFact]
  /// Whether the next exchange is this one's next hop.
  var isRedirect = false
}

extension Cassette {
  /// The exchanges as a transport gives them, cut by a plan.
  func playedExchanges(plan: ChunkBoundaryPlan) -> [PlayedExchange] {
    var cutter = ChunkCutter(plan: plan)
    return exchanges.enumerated().map { index, exchange in
      var elapsed: Duration = .zero
      var played = PlayedExchange(facts: [])
      if let response = exchange.response {
        elapsed += .microseconds(response.delay)
        let next = index + 1 < exchanges.count ? exchanges[index + 1] : nil
        if response.isRedirect, let next, next.recording == exchange.recording {
          played.isRedirect = true
          let request = next.request.request(body: next.requestBody)
          played.facts.append(StampedTransportFact(at: elapsed, .redirect(response.head, to: request)))
        } else {
          played.facts.append(StampedTransportFact(at: elapsed, .response(response.head)))
        }
      }
      for chunk in exchange.chunks {
        elapsed += .microseconds(chunk.delay)
        played.facts += cutter.append(chunk.bytes, at: elapsed).map {
          StampedTransportFact(at: $0.at, .bytes($0.bytes))
        }
      }
      if let last = cutter.endExchange() {
        played.facts.append(StampedTransportFact(at: last.at, .bytes(last.bytes)))
      }
      if played.isRedirect { return PlayedExchange(facts: Array(played.facts.prefix(1)), isRedirect: true) }
      // A transport never gives empty chunks.
      played.facts.removeAll { $0.fact == .bytes([]) }
      let end = exchange.end
      elapsed += .microseconds(end?.delay ?? 0)
      played.facts.append(
        StampedTransportFact(
          at: elapsed, .ended(end?.cause ?? .cancelled, detail: end?.detail ?? "the recording ends here")))
      return played
    }
  }
}

/// What the connections of one replay share: whose turn it is.
actor ReplayTransportSession {
  private let exchanges: [PlayedExchange]
  private var queue: ExchangeQueue
  private let afterwards: ReplayTransport.Afterwards
  nonisolated let speed: ReplaySpeed
  private(set) var mismatches: [ReplayMismatch] = []

  init(
    exchanges: [PlayedExchange], queue: ExchangeQueue, afterwards: ReplayTransport.Afterwards,
    speed: ReplaySpeed
  ) {
    self.exchanges = exchanges
    self.queue = queue
    self.afterwards = afterwards
    self.speed = speed
  }

  var played: Int { queue.next }

  /// The facts for a request, redirect hops joined to one connection.
  func facts(for request: EventStreamRequest) -> [StampedTransportFact] {
    if queue.isExhausted, afterwards == .noContent {
      return [
        StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 204))),
        StampedTransportFact(at: .zero, .ended(.complete, detail: "the recording ends here")),
      ]
    }
    do {
      var index = try queue.take(request)
      var facts = exchanges[index].facts
      while exchanges[index].isRedirect {
        queue.skip()
        index += 1
        let start = facts.last?.at ?? .zero
        facts += exchanges[index].facts.map { StampedTransportFact(at: start + $0.at, $0.fact) }
      }
      return facts
    } catch {
      mismatches.append(error)
      let text = HeaderField("Content-Type", "text/plain; charset=utf-8")
      return [
        StampedTransportFact(at: .zero, .response(EventStreamResponse(status: 404, headers: [text]))),
        StampedTransportFact(at: .zero, .bytes(Array(error.description.utf8))),
        StampedTransportFact(at: .zero, .ended(.complete, detail: error.description)),
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
