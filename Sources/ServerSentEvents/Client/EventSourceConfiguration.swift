// How an event source is set up: plain values only. What runs it (transport, clock, stores) is given beside it.

/// The settings of an event source.
public struct EventSourceConfiguration: Hashable, Sendable {
  /// What a stream's end means.
  public enum Mode: String, Hashable, Sendable, CaseIterable {
    /// The standard's event source: it reconnects.
    case eventSource
    /// One request, as for an LLM's answer: its end is the end, anything else is an error, nothing is sent twice.
    case oneShot
  }

  /// What is handed to the consumer, and so counts in the buffer.
  public enum Delivery: Hashable, Sendable {
    /// Events alone.
    case events
    /// All signals in order.
    case signals
  }

  /// How much may wait for a slow consumer. Past either bound the connection is given up; it is resumed when the
  /// consumer has taken all that waits. One event is always accepted by an empty buffer, however large it is.
  public struct Buffer: Hashable, Sendable {
    /// The most events (or signals).
    public var events: Int
    /// The most bytes of their texts, with ``overhead`` for each.
    public var bytes: Int
    /// What an event costs beside its texts: its own size and its place in the queue.
    public static let overhead = 128

    /// 4096 events and 8 MiB: minutes of a fast LLM, or hours of order updates, and little even for a watch.
    public init(events: Int = 4096, bytes: Int = 8 << 20) {
      precondition(events > 0 && bytes > 0, "an event source's buffer must hold at least one event")
      self.events = events
      self.bytes = bytes
    }
  }

  /// What a stream's end means.
  public var mode: Mode
  /// What follows the end of a connection.
  public var policy: ReconnectionPolicy
  /// How long nothing may arrive, the wait for the response included; `nil` for ever, as the standard has it. Set it
  /// above twice the server's heartbeat.
  public var idleTimeout: Duration?
  /// The parser's limits.
  public var limits: EventStreamParser.Limits
  /// How much may wait for the consumer.
  public var buffer: Buffer
  /// What the consumer takes. For machines run by hand: an ``EventSource`` sets it by how it is iterated.
  public var delivery: Delivery
  /// The ID to resume after, sent with the first request; empty for none. One with CR, LF or NUL counts as none.
  public var lastEventID: String
  /// Whether somebody can bring new credentials. With it, and the resilient policy, 401 asks for a refresh and 403
  /// waits for new ones; without, both are fatal.
  public var hasCredentials: Bool
  /// Whether coming to the foreground asks again after a 403 even if the credentials are the same. Off: a rejected app
  /// must not hammer.
  public var foregroundUnblocks: Bool

  /// Creates settings; the defaults are the standard's event source.
  public init(
    mode: Mode = .eventSource, policy: ReconnectionPolicy = .standard, idleTimeout: Duration? = nil,
    limits: EventStreamParser.Limits = .default, buffer: Buffer = Buffer(), delivery: Delivery = .events,
    lastEventID: String = "", hasCredentials: Bool = false, foregroundUnblocks: Bool = false
  ) {
    self.mode = mode
    self.policy = policy
    self.idleTimeout = idleTimeout
    self.limits = limits
    self.buffer = buffer
    self.delivery = delivery
    self.lastEventID = lastEventID
    self.hasCredentials = hasCredentials
    self.foregroundUnblocks = foregroundUnblocks
  }
}
