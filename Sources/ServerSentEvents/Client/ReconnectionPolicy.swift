// What follows a response or the end of a connection, and after how long: pure decisions on plain numbers. When they
// are carried out is the state machine's business.

/// What an event source does after a connection, and how long it waits.
///
/// The floor: however small the server's `retry`, ``floor`` (100 ms) passes between two connections, and with each
/// further connection in a row that was not healthy it doubles, up to ``ceiling``. So `retry: 0` from a server that
/// always closes costs ten requests a second at first and soon one in thirty seconds, and a server that really wants
/// fast polling (and delivers) still gets it. The standard allows the wait: "optionally, wait some more" (9.2.3).
public struct ReconnectionPolicy: Hashable, Sendable {
  /// Which answers may be followed by another connection.
  public enum Rules: String, Hashable, Sendable, CaseIterable {
    /// The WHATWG text: 200 with the right type, 204, or fatal; network errors and ends reconnect.
    case standard
    /// By cause: see ``ReconnectionPolicy/resilient``.
    case resilient
  }

  /// Which answers may be followed by another connection.
  public var rules: Rules
  /// The reconnection time until the server sends one (`standard`), or the base of the backoff (`resilient`).
  public var initialDelay: Duration
  /// The shortest wait between two connections.
  public var floor: Duration
  /// The longest backoff. A longer wait that the server asks for is kept.
  public var ceiling: Duration
  /// How long a connection must have been open to count as healthy even if it brought no event.
  public var healthyAfter: Duration

  /// The WHATWG text. Until the server says otherwise it waits 3 s, as Chromium does.
  public static let standard = ReconnectionPolicy(.standard, initialDelay: .seconds(3))

  /// What ended a connection decides: 204 stops; 401 refreshes the credentials once, then signed out; 403 waits for new
  /// ones; 429 and 503 wait as `Retry-After` says; other 5xx, network errors and ends wait for the server's `retry`, or
  /// else with full-jitter exponential backoff from 1 s to 30 s; other statuses and a wrong content type are fatal.
  public static let resilient = ReconnectionPolicy(.resilient, initialDelay: .seconds(1))

  /// Creates a policy.
  public init(
    _ rules: Rules, initialDelay: Duration, floor: Duration = .milliseconds(100),
    ceiling: Duration = .seconds(30), healthyAfter: Duration = .seconds(5)
  ) {
    self.rules = rules
    self.initialDelay = initialDelay
    self.floor = floor
    self.ceiling = ceiling
    self.healthyAfter = healthyAfter
  }

  /// What a response means.
  enum Verdict: Hashable, Sendable {
    case accept, stop, refuse, refresh, block, retry
  }

  func verdict(on response: EventStreamResponse, mode: EventSourceConfiguration.Mode, hasCredentials: Bool)
    -> Verdict
  {
    switch response.status {
    case 200: return response.isEventStream ? .accept : .refuse
    case 204: return .stop
    case let status:
      guard mode == .eventSource, rules == .resilient else { return .refuse }
      if status == 401 { return hasCredentials ? .refresh : .refuse }
      if status == 403 { return hasCredentials ? .block : .refuse }
      return status == 429 || (500...599).contains(status) ? .retry : .refuse
    }
  }

  /// A wait, and whether the server asked for it (so that nothing may shorten it).
  struct Wait: Hashable, Sendable {
    var delay: Duration
    var isAsked: Bool
  }

  /// A year: longer than any process waits, and within what every clock can add to its time.
  private static let longestWait = Duration.seconds(365 * 86_400)

  /// The wait before the next connection.
  ///
  /// - Parameters:
  ///   - failures: connections in a row that were not healthy, the one that just ended included.
  ///   - retry: the server's last `retry`, in milliseconds.
  ///   - retryAfter: the response's `Retry-After`.
  ///   - jitter: a random number, 0 ≤ jitter < 1.
  func wait(failures: Int, retry: Int64?, retryAfter: Duration?, jitter: Double) -> Wait {
    let jitter = min(max(jitter, 0), 1)
    let asked = [retry.map { .milliseconds($0) }, retryAfter].compactMap { $0 }.max().map {
      min($0, Self.longestWait)
    }
    // The first unhealthy connection is free: only a repetition doubles the floor.
    let least = doubled(floor, times: failures - 2)
    let delay: Duration
    switch rules {
    case .standard: delay = asked ?? initialDelay
    case .resilient:
      // A server's wish is spread upwards by a tenth, so that not all of its clients come back at once.
      delay = asked.map { $0 + $0 * (jitter / 10) } ?? doubled(initialDelay, times: failures - 1) * jitter
    }
    return Wait(delay: min(max(delay, least), Self.longestWait), isAsked: asked != nil)
  }

  private func doubled(_ duration: Duration, times: Int) -> Duration {
    var result = duration
    var times = times
    while times > 0, result > .zero, result < ceiling {
      result = result * 2
      times -= 1
    }
    return min(result, max(duration, ceiling))
  }
}
