// What an event source tells the world, as plain values: signals (one ordered sequence: what happened), states (where
// it stands now) and the reason why it closed for good.

/// One thing that happened to an event source, in the order in which it happened.
public enum EventSourceSignal: Hashable, Sendable {
  /// A response was accepted: 200 with the right content type (the standard's *announce the connection*).
  case open(EventStreamResponse)
  /// An event was dispatched.
  case event(ServerSentEvent)
  /// A comment line: what follows its colon, nothing stripped. Servers use them as heartbeats.
  case comment(String)
  /// A block was over the parser's limits and was skipped, with so many bytes.
  case dropped(bytes: Int)
  /// Events may be missing or repeated from here on.
  case gap(EventSourceGap)
  /// A connection ended other than by the client's own closing: a clean end and a 204 too.
  case error(EventSourceError)
  /// After an `error`: the next connection will be made after this delay.
  case reconnecting(after: Duration)
  /// The event source closed for good; nothing follows.
  case closed(EventSourceCloseReason)
}

/// Where the sequence of events may have a hole, after the buffer ran over.
public enum EventSourceGap: Hashable, Sendable {
  /// No ID is in effect, so the server can't know where to go on: what it sends meanwhile is lost.
  case noLastEventID
  /// The server was asked to go on after this ID, and its first event is not the one that came next before.
  case notResumed(after: String)
}

/// Why an event source closed for good.
public enum EventSourceCloseReason: String, Hashable, Sendable, CaseIterable {
  /// The server answered 204.
  case noContent
  /// The answer was not an event stream (status or content type), or the stream broke the parser's limits.
  case fatalResponse
  /// The one connection of a one-shot stream is over, well or not.
  case oneShot
  /// The app or the transport's owner cancelled.
  case cancelled
}

/// Where an event source stands. Distinct: two equal states are never published one after the other.
public enum EventSourceState: Hashable, Sendable {
  /// Not started.
  case idle
  /// A request is on its way.
  case connecting
  /// A response was accepted; events may come.
  case open
  /// The connection ended; the next is made at this time on the client's clock.
  case reconnecting(at: Duration)
  /// There is no connection and none is scheduled, until something outside changes.
  case suspended(EventSourceSuspension)
  /// Closed for good.
  case closed(EventSourceCloseReason)
}

/// What an event source without a connection is waiting for.
public enum EventSourceSuspension: String, Hashable, Sendable, CaseIterable {
  /// The app is in the background.
  case background
  /// There is no network.
  case offline
  /// A 401 came, and the credentials are being refreshed.
  case refreshingCredentials
  /// A 401 came and the credentials could not be refreshed, or were refused again. New credentials end it.
  case signedOut
  /// A 403 came. New credentials end it.
  case blocked
  /// The buffer ran over: the consumer has to catch up.
  case catchingUp
}
