// One iteration over an event source: what its iterators hold, and what ends the connection with them.
//
// UNSAFE, and why: the deliveries are not checked for access by two at once, which for each event costs as much as to take
// it. Whoever iterates has the iterator to itself, and nothing that is called with them in hand comes back here.

/// One iteration: starts with its first `next`, and ends the connection when the iterator that holds it goes away.
@usableFromInline final class EventSourceRun {
  private let driver: EventSourceDriver
  private let delivery: EventSourceConfiguration.Delivery
  private let mode: EventSourceConfiguration.Mode
  @exclusivity(unchecked) private var deliveries: EventSourceDeliveries?

  init(
    _ driver: EventSourceDriver, _ delivery: EventSourceConfiguration.Delivery,
    _ mode: EventSourceConfiguration.Mode
  ) {
    self.driver = driver
    self.delivery = delivery
    self.mode = mode
  }

  deinit {
    guard let run = unsafe deliveries?.run else { return }
    Task { [driver] in await driver.end(run) }
  }

  /// The next signal that is here already, without a crossing or a suspension.
  @usableFromInline func takeNext() -> EventSourceSignal? { unsafe deliveries?.takeNext() }

  /// The first signal after ``fetch()``.
  @usableFromInline func pop() -> EventSourceSignal? { unsafe deliveries?.pop() }

  /// The same two for an iteration over events.
  @usableFromInline func takeNextEvent() -> ServerSentEvent? { unsafe deliveries?.takeNextEvent() }
  @usableFromInline func popEvent() -> ServerSentEvent? { unsafe deliveries?.popEvent() }

  /// Where there's none: gets the next ones. There are none at the end.
  @usableFromInline func fetch() async throws {
    if unsafe deliveries == nil { unsafe deliveries = await driver.begin(delivery) }
    try await unsafe deliveries?.fetch()
    if mode == .oneShot, unsafe deliveries?.isEmpty == true { try Task.checkCancellation() }
  }
}
