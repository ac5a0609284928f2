// The client's decisions as a value: facts in, actions out. No socket, clock, randomness or task may live here, nor
// anything that waits. This file holds the state and how it reads; facts about connections are in +Connection, facts
// about the app around it in +Lifecycle, and what leads from one connection to the next in +Reconnection.
//
//                start                          204, fatal answer, limits
//        idle ─────────┐                       ┌────────────────────────────▶ closed
//                      ▼      200, right type  │                                ▲
//             ┌─▶ connecting ──────────────▶ open ── one shot: any end ─────────┤
//             │     │     │                    │                                │
//             │     │     └─ fatal answer ─▶ rejected ─ its body's beginning ───┤
//             │     │ end, idle, 429, 5xx      │ end, idle                      │ stop
//             │     ▼                          ▼                                │ (anywhere)
//             ├── waiting ◀────────────────────┘
//             │  timer │
//             │        ▼ (from anywhere above)
//             └───── held: no network · background · 401 refreshing · signed out · 403 blocked · catching up
//          nothing holds any more
//
// Why a thing is held is not part of the phase: the causes overlap and go away in any order. They are flags, and the
// connection comes back when the last one has gone, but never before the moment the server asked for (`notBefore`).
// Left out on purpose: a state for "redirecting" (it's connecting, with a count) and one for "closing" (a cancelled
// connection is dead at once: its generation is old, and whatever it still says changes nothing).

/// The standard's event source as a pure state machine: the one place that decides what a client does next.
///
/// Call the fact methods as things happen and carry out the actions they return, in order. Each fact comes with its
/// ``Moment``, so that neither time nor chance is inside. A machine is good for one run: once closed it stays closed.
///
/// See the HTML Living Standard, section 9.2.3 *Processing model*.
public struct EventSourceStateMachine: Equatable, Sendable {
  /// What comes from outside with every fact.
  public struct Moment: Hashable, Sendable {
    /// Monotonic time on the client's clock.
    public var now: Duration
    /// A random number drawn for this fact alone, 0 ≤ jitter < 1.
    public var jitter: Double
    /// Seconds since 1970 by the wall clock, where there is one. `Retry-After` with a date needs it only if the
    /// response has no `Date` of its own.
    public var unixTime: Int64?

    /// Creates a moment.
    public init(now: Duration, jitter: Double = 0, unixTime: Int64? = nil) {
      self.now = now
      self.jitter = jitter
      self.unixTime = unixTime
    }
  }

  /// A timer. There's at most one of each kind; scheduling one again moves it.
  public enum Timer: Hashable, Sendable, CaseIterable {
    /// The wait between two connections.
    case reconnect
    /// The time in which something must arrive.
    case idle
    /// The time in which the body of an error response must arrive.
    case rejection
  }

  /// What the driver has to do.
  public enum Action: Hashable, Sendable {
    /// Open a connection. Its facts come back with this generation.
    case connect(EventStreamRequest, generation: Int)
    /// Close the connection of this generation.
    case cancel(generation: Int)
    /// Call ``timerFired(_:generation:at:)`` at this time.
    case schedule(Timer, at: Duration, generation: Int)
    /// The timer is no longer wanted.
    case unschedule(Timer)
    /// Get new credentials and tell with ``credentialsRefreshed(_:generation:at:)``.
    case refreshCredentials(generation: Int)
    /// Hand this to the consumer, after all that was delivered before.
    case deliver(EventSourceSignal)
    /// Tell whoever watches where the event source stands.
    case publishState(EventSourceState)
    /// Everything up to this ID has been processed: keep it. Empty: the server reset it.
    case storeLastEventID(String)
    /// It's over: end the sequence after all deliveries, with the error if there is one.
    case stop(EventSourceCloseReason, EventSourceError?)
  }

  /// The settings.
  public let configuration: EventSourceConfiguration
  /// The request without its last event ID.
  let template: EventStreamRequest

  /// Where the event source stands.
  public internal(set) var state: EventSourceState = .idle
  /// The last event ID up to which the consumer has processed everything.
  public internal(set) var processedLastEventID: String
  /// The last event ID that the next request will carry.
  public var lastEventID: String { parser.lastEventID }
  /// The server's reconnection time in milliseconds, if it sent one.
  public var retry: Int64? { parser.retry }

  var phase: Phase = .idle
  var parser: EventStreamParser
  var ledger = DeliveryLedger()
  /// Of the newest connection; 0 before the first.
  var generation = 0
  /// Connections in a row that were not healthy.
  var failures = 0
  /// The server asked not to be asked before this time.
  var notBefore: Duration?

  var isOnline = true
  var isForeground = true
  var isCatchingUp = false
  var access = Access.granted
  /// A refresh succeeded and no response was accepted since: another 401 means signed out.
  var hasRefreshed = false
  /// The first event that was given up in an overflow: the resumed stream should begin with it.
  var givenUp: GivenUp?

  enum Phase: Hashable, Sendable {
    case idle
    case connecting(Connection)
    case open(Connection)
    case rejected(Connection, EventSourceError)
    case waiting(until: Duration)
    case held
    case closed
  }

  /// The live connection.
  struct Connection: Hashable, Sendable {
    var generation: Int
    var lastHeard: Duration
    var redirects = 0
    var status: Int?
    var openedAt: Duration?
    var hasDelivered = false
    /// The last event ID after the last event that was handed out; at first the one with which it was made.
    var lastEventID: String
  }

  enum Access: Hashable, Sendable {
    case granted
    case refreshing(generation: Int)
    case signedOut
    case blocked
  }

  struct GivenUp: Hashable, Sendable {
    var event: ServerSentEvent
    var resumedAfter: String
  }

  /// Creates a machine that hasn't started.
  ///
  /// - Parameters:
  ///   - request: what to send. `Accept` and `Cache-Control` are added unless given; a given `Last-Event-ID`, in any
  ///     case, is the first ID and gives way to newer ones. The configuration's ID comes before it.
  ///   - configuration: the settings.
  ///   - retry: the server's reconnection time of an earlier run, in milliseconds.
  public init(
    _ request: EventStreamRequest, configuration: EventSourceConfiguration = EventSourceConfiguration(),
    retry: Int64? = nil
  ) {
    var template = request
    let given = template.headers["Last-Event-ID"] ?? ""
    template.headers["Last-Event-ID"] = nil
    if template.headers["Accept"] == nil {
      template.headers.append(HeaderField("Accept", "text/event-stream"))
    }
    if template.headers["Cache-Control"] == nil {
      template.headers.append(HeaderField("Cache-Control", "no-cache"))
    }
    let wanted = configuration.lastEventID.isEmpty ? given : configuration.lastEventID
    let isSafe = !wanted.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0x00 }
    self.configuration = configuration
    self.template = template
    processedLastEventID = isSafe ? wanted : ""
    parser = EventStreamParser(
      limits: configuration.limits, lastEventID: processedLastEventID, retry: retry.map { max($0, 0) })
  }

  /// The generation of the live connection, if there's one.
  public var liveGeneration: Int? { connection?.generation }

  /// When the next connection is due, if one is scheduled.
  public var reconnectsAt: Duration? {
    switch phase {
    case .waiting(let until): until
    case .idle, .connecting, .open, .rejected, .held, .closed: nil
    }
  }

  /// How many deliveries the consumer hasn't finished with.
  public var unconsumed: Int { ledger.count }

  var connection: Connection? {
    switch phase {
    case .connecting(let connection), .open(let connection), .rejected(let connection, _): connection
    case .idle, .waiting, .held, .closed: nil
    }
  }

  /// What keeps a connection from being made; the most lasting cause first.
  var suspension: EventSourceSuspension? {
    switch access {
    case .refreshing: return .refreshingCredentials
    case .signedOut: return .signedOut
    case .blocked: return .blocked
    case .granted: break
    }
    if !isForeground { return .background }
    if !isOnline { return .offline }
    return isCatchingUp ? .catchingUp : nil
  }

  /// The request of the next connection.
  var nextRequest: EventStreamRequest {
    var request = template
    let id = parser.lastEventID
    if !id.isEmpty { request.headers.append(HeaderField("Last-Event-ID", id)) }
    return request
  }

  /// The machine only publishes changes.
  mutating func publish(_ state: EventSourceState, _ actions: inout [Action]) {
    guard state != self.state else { return }
    self.state = state
    actions.append(.publishState(state))
  }

  /// Hands out something that is not read from the body.
  mutating func deliver(_ signal: EventSourceSignal, _ actions: inout [Action]) {
    if configuration.delivery == .signals { ledger.append(.signal) }
    actions.append(.deliver(signal))
  }
}
