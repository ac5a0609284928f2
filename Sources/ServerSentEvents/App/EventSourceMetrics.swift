// What a client says about itself to an app's telemetry. Only numbers and causes may stand here: no payload, no event
// name, no ID, no URL, no header, so that whatever an observer does with a metric can't leak what the stream carried.

/// Takes an event source's measurements.
///
/// Calls come in order from the client's own actor; do little in them, or hand them on.
public protocol EventSourceMetrics: Sendable {
  /// Takes one measurement.
  func record(_ metric: EventSourceMetric)
}

/// One measurement. More kinds may be added: switch over it with a `default`.
public enum EventSourceMetric: Hashable, Sendable {
  /// Why a client opens a connection that isn't its first, or waits to.
  public enum ReconnectReason: String, Hashable, Sendable, CaseIterable {
    /// The server ended the response properly.
    case cleanEnd
    /// The connection failed or broke off.
    case connectionLost
    /// Nothing arrived for longer than the idle timeout.
    case idle
    /// The server answered 429 or 503 or another 5xx.
    case serverBusy
    /// The credentials changed or were refreshed after a 401.
    case credentials
    /// The network came back.
    case networkRestored
    /// The app came to the foreground.
    case foreground
    /// The consumer was too slow, and the connection was given up until it had caught up.
    case overflow
  }

  /// A connection attempt began. `number` counts from 1 over the client's life.
  case connectionAttempt(number: Int)
  /// The head of a response arrived, `after` the attempt began.
  case response(status: Int, after: Duration)
  /// A connection ended, `after` its attempt began. `status` is `nil` if there was no response.
  case connectionEnded(ConnectionEnd, status: Int?, after: Duration)
  /// The client will connect again after `delay`; zero if at once.
  case reconnect(ReconnectReason, delay: Duration)
  /// The parser gave up bytes: a line or an event was over its limit. The stream went on if the policy is to skip.
  case parseFailure(droppedBytes: Int)
  /// A payload did not decode as the type asked for.
  case decodingFailure
  /// An event reached its handler, so long after the chunk that completed it had arrived.
  case eventHandled(latency: Duration)
  /// The first event since the app came to the foreground, `after` that moment.
  case firstEventAfterForeground(after: Duration)
  /// The last event ID could not be loaded or stored.
  case storeFailure
}
