// Where the last event ID lives between connections and launches: the protocol, and the store that needs no system.
// Stores that touch the disk are in EventSourceURLSession, because they need Foundation.

/// A place that keeps one stream's last event ID, so that a client that comes back asks for what it missed.
///
/// A store belongs to one stream of one account: give each its own. Sending the ID of another account's stream
/// could skip events or ask for somebody else's.
///
/// Both calls are asynchronous, so that a store may take its disk work elsewhere. A method that does its work in place
/// runs on its caller's actor, as Swift's async functions do; a store that blocks should be an actor or use a queue.
/// The client calls one at a time, in order. What a store throws is reported, and the stream goes on.
public protocol LastEventIDStore: Sendable {
  /// The ID stored last; `nil` or empty if there's none.
  func load() async throws -> String?
  /// Keeps an ID in place of the one before. Empty means that there's none any more: the server reset it.
  func store(_ lastEventID: String) async throws
}

/// A store that lasts as long as the process: for tests, and for a stream that several event sources share in turn.
public actor MemoryLastEventIDStore: LastEventIDStore {
  private var lastEventID: String?

  /// Creates a store that holds an ID, or none.
  public init(_ lastEventID: String? = nil) {
    self.lastEventID = lastEventID
  }

  /// The ID stored last, or the first one.
  public func load() -> String? { lastEventID }

  /// Keeps an ID.
  public func store(_ lastEventID: String) { self.lastEventID = lastEventID }
}
