// Where a coordinator's connection stands, in the few words that a screen shows.

/// Where the connection of an ``EventStreamCoordinator`` stands.
public enum EventStreamConnectionState: Hashable, Sendable {
  /// There's no connection, and none will be made until what is named changes.
  case disconnected(EventStreamDisconnection)
  /// The first connection, or the first after there was none, is being made.
  case connecting
  /// The server answered: events may come.
  case connected
  /// The connection was lost or given up; the client waits, gets credentials, or connects again.
  case reconnecting
}

/// Why there's no connection.
public enum EventStreamDisconnection: String, Hashable, Sendable, CaseIterable {
  /// No scene is active.
  case inactive
  /// There's no network.
  case offline
  /// Nobody is logged in, or the server refused the credentials and they could not be refreshed.
  case signedOut
  /// The server answered 403: this account may not have the stream.
  case blocked
  /// The server answered 204: it wants no further connections.
  case noContent
  /// The server gave an answer that no retry will change: another status or content type, or a stream over the limits.
  case refused
  /// The connection was cancelled underneath, by invalidating the app's URLSession for instance.
  case cancelled
}
