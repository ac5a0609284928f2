// What an event source needs from outside to act: the pieces that are not values, gathered so that tests, replays and
// apps each bring their own.

/// The world an event source runs in.
public struct EventSourceEnvironment: Sendable {
  /// What opens connections.
  public var transport: any EventStreamTransport
  /// What time it is, and how to wait.
  public var clock: any EventStreamClock
  /// Where the last event ID is kept between launches; `nil` for nowhere.
  public var store: (any LastEventIDStore)?
  /// Who takes measurements; `nil` for nobody.
  public var metrics: (any EventSourceMetrics)?
  /// Makes each request fresh just before it is sent: a token, a timestamp, a signature. What it throws counts as a
  /// connection that failed.
  public var prepareRequest: (@Sendable (EventStreamRequest) async throws -> EventStreamRequest)?
  /// Gets new credentials after a 401; throwing means that there are none. With it 401 and 403 are not fatal to the
  /// resilient policy.
  public var refreshCredentials: (@Sendable () async throws -> Void)?
  /// A random number, 0 ≤ n < 1, for each decision that wants one.
  public var jitter: @Sendable () -> Double
  /// Seconds since 1970, where there's a wall clock. Only a `Retry-After` with a date, in a response without `Date`,
  /// asks for it.
  public var unixTime: @Sendable () -> Int64?

  /// Gathers an environment; all but the transport have defaults that work.
  public init(
    transport: any EventStreamTransport, clock: any EventStreamClock = SystemEventStreamClock(),
    store: (any LastEventIDStore)? = nil, metrics: (any EventSourceMetrics)? = nil,
    prepareRequest: (@Sendable (EventStreamRequest) async throws -> EventStreamRequest)? = nil,
    refreshCredentials: (@Sendable () async throws -> Void)? = nil,
    jitter: @escaping @Sendable () -> Double = { .random(in: 0..<1) },
    unixTime: @escaping @Sendable () -> Int64? = { nil }
  ) {
    self.transport = transport
    self.clock = clock
    self.store = store
    self.metrics = metrics
    self.prepareRequest = prepareRequest
    self.refreshCredentials = refreshCredentials
    self.jitter = jitter
    self.unixTime = unixTime
  }
}
