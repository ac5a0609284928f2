// How a session is replayed: plain values with their defaults.

public import ServerSentEvents

/// The settings of a replay.
public struct ReplayOptions: Hashable, Sendable {
  /// Where bodies are cut.
  public var plan: ChunkBoundaryPlan
  /// What follows the end of a connection; `nil`: what the cassette's header says, else the standard.
  public var policy: ReconnectionPolicy?
  /// What a stream's end means; `nil`: what the cassette's header says, else an event source.
  public var mode: EventSourceConfiguration.Mode?
  /// The parser's limits.
  public var limits: EventStreamParser.Limits
  /// How long nothing may arrive; `nil` for ever.
  public var idleTimeout: Duration?
  /// Whether the client can refresh its credentials, which under the resilient policy decides what a 401 means; then
  /// a refresh succeeds if the recording goes on after it. `nil`: what the header's `client` says as
  /// `hasCredentials`, else no.
  public var hasCredentials: Bool?
  /// The seed of the jitter in reconnection delays.
  public var jitterSeed: UInt64

  /// Creates settings; the defaults replay what was recorded, as it was recorded.
  public init(
    plan: ChunkBoundaryPlan = .recorded, policy: ReconnectionPolicy? = nil,
    mode: EventSourceConfiguration.Mode? = nil, limits: EventStreamParser.Limits = .default,
    idleTimeout: Duration? = nil, hasCredentials: Bool? = nil, jitterSeed: UInt64 = 0
  ) {
    self.plan = plan
    self.policy = policy
    self.mode = mode
    self.limits = limits
    self.idleTimeout = idleTimeout
    self.hasCredentials = hasCredentials
    self.jitterSeed = jitterSeed
  }

  /// The client's settings for a recording.
  func configuration(for header: Cassette.Header) -> EventSourceConfiguration {
    let client = header.client
    var policy = self.policy
    if policy == nil, let client {
      var recorded: ReconnectionPolicy = client.policy == "resilient" ? .resilient : .standard
      // An hour is more than any client waits at first; the cap keeps a hostile number out of the sums.
      recorded.initialDelay = .milliseconds(min(max(client.initialRetryMs, 0), 3_600_000))
      policy = recorded
    }
    var recordedCredentials = false
    if case .bool(true)? = client?.other["hasCredentials"] { recordedCredentials = true }
    return EventSourceConfiguration(
      mode: mode ?? client.flatMap { EventSourceConfiguration.Mode(rawValue: $0.mode) } ?? .eventSource,
      policy: policy ?? .standard, idleTimeout: idleTimeout, limits: limits,
      // The replay consumes at once, but a whole body may come as one chunk: its events must not count as a backlog.
      buffer: EventSourceConfiguration.Buffer(events: .max, bytes: .max), delivery: .signals,
      hasCredentials: hasCredentials ?? recordedCredentials)
  }
}

extension Cassette.Request {
  /// The request as a client sends it.
  func request(body: [UInt8]) -> EventStreamRequest {
    EventStreamRequest(method: method, url: url, headers: headers, body: body)
  }
}

extension Cassette.Response {
  /// The response head as a transport gives it.
  var head: EventStreamResponse {
    EventStreamResponse(status: status, headers: headers, contentDecoded: decoded)
  }

  /// Whether the transport would follow it: one of the five redirect statuses, with a Location.
  var isRedirect: Bool {
    [301, 302, 303, 307, 308].contains(status) && headers["Location"] != nil
  }
}
