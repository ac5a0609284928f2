// What a loopback server saw: one request, when its answer ended, when the client closed.

/// One request that a loopback server received and what became of it.
///
/// Times are `EventStreamClock.now` of the server's clock (by default `SystemEventStreamClock`, whose origin all share).
public struct ServedExchange: Hashable, Sendable, Identifiable {
  /// How an exchange came to its end on the server's side.
  public struct Outcome: Hashable, Sendable {
    let name: String

    /// The answer was sent to its end.
    public static let finished = Outcome(name: "finished")
    /// The answer was broken off by the server as it was told: a cut or a reset.
    public static let brokenOff = Outcome(name: "brokenOff")
    /// The client closed the connection first.
    public static let clientClosed = Outcome(name: "clientClosed")
    /// The handler threw an error.
    public static let handlerFailed = Outcome(name: "handlerFailed")
    /// The server was stopped.
    public static let stopped = Outcome(name: "stopped")
  }

  /// The request's number, from 1, in the order in which requests were complete.
  public let number: Int
  /// The request.
  public let request: HTTPRequest
  /// Where the client's connection came from, such as `127.0.0.1:50312`.
  public let peer: String
  /// When the connection was accepted.
  public let connectedAt: Duration
  /// When the request was complete.
  public let receivedAt: Duration
  /// When the answer had ended on the server's side: its last byte given to the system, reset, or found closed.
  public internal(set) var endedAt: Duration?
  /// When the server saw the client's end of the connection closed or reset.
  public internal(set) var clientClosedAt: Duration?
  /// How it ended; `nil` while it is going on.
  public internal(set) var outcome: Outcome?
  /// Whether it came after the last of the server's scripted responses and was answered with 204 for that reason.
  public internal(set) var isUnexpected = false

  /// The request's number.
  public var id: Int { number }
}

extension ServedExchange.Outcome: CustomStringConvertible {
  /// The outcome's name.
  public var description: String { name }
}

/// Something that came in and was no request that could be served.
public struct RefusedRequest: Hashable, Sendable {
  /// The status that answered it.
  public let status: Int
  /// What was wrong with it.
  public let reason: String
  /// When.
  public let at: Duration
}
