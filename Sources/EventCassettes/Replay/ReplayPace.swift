// How fast a replay goes for people and real clients: recorded distances into waits on a clock. The replay itself is
// always on virtual time.

package import ServerSentEvents

/// The speed of a replay.
public enum ReplaySpeed: Hashable, Sendable {
  /// No waiting at all.
  case instant
  /// So many times as fast as recorded; 1 is as recorded. Must be above 0.
  case times(Double)

  /// As recorded.
  public static let recorded = ReplaySpeed.times(1)
}

/// Waits until a moment of a replay has come.
///
/// ```swift
/// var pace = ReplayPace(speed: .times(10), maxIdle: .seconds(2))
/// while let output = try replayer.next() {
///   try await pace.wait(until: output.at)
///   show(output)
/// }
/// ```
package struct ReplayPace: Sendable {
  private let speed: ReplaySpeed
  private let maxIdle: Duration?
  private let clock: any EventStreamClock
  private var last: Duration = .zero
  private var due: Duration?

  /// Creates a pace that starts with its first wait.
  /// - Parameters:
  ///   - speed: how fast.
  ///   - maxIdle: no wait is longer than this, at whatever speed; `nil` for no bound.
  ///   - clock: what waits.
  package init(
    speed: ReplaySpeed, maxIdle: Duration? = nil, clock: any EventStreamClock = SystemEventStreamClock()
  ) {
    self.speed = speed
    self.maxIdle = maxIdle
    self.clock = clock
  }

  /// Waits until the replay's time is `at`. Waits are added up, so a slow consumer doesn't stretch the replay.
  ///
  /// - Throws: `CancellationError`.
  package mutating func wait(until at: Duration) async throws {
    guard let gap = wait(before: at) else { return }
    let start = due ?? clock.now
    due = start + gap
    try await clock.sleep(until: start + gap)
  }

  /// How long a step at `at` is after the one before at this pace; `nil` for no waiting.
  mutating func wait(before at: Duration) -> Duration? {
    let gap = max(at - last, .zero)
    last = max(at, last)
    switch speed {
    case .instant: return nil
    case .times(let factor):
      guard factor > 0 else { return .zero }
      let scaled = gap / factor
      return maxIdle.map { min($0, scaled) } ?? scaled
    }
  }
}
