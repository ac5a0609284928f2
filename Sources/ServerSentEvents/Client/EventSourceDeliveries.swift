// The consumer's end of a run. The driver is crossed to once for all that waits there, not once an event: for a consumer
// on the main actor that is the difference between thousands of events a second and a hundred times as many.

/// What a run delivers, for one consumer.
struct EventSourceDeliveries: Sendable {
  let run: Int
  private let driver: EventSourceDriver
  private let progress: DeliveryProgress
  private var batch = EventSourceBatch()
  /// The consumer has one in hand.
  private var isHolding = false

  init(_ driver: EventSourceDriver, run: Int, progress: DeliveryProgress) {
    self.driver = driver
    self.run = run
    self.progress = progress
  }

  /// The next delivery, `nil` at the end. Asking means that the one before is processed.
  mutating func next() async throws -> EventSourceSignal? {
    if let signal = takeNext() { return signal }
    try await fetch()
    return pop()
  }

  /// The next delivery of those that are here; where it's `nil`, ``fetch()`` has to be called.
  mutating func takeNext() -> EventSourceSignal? {
    finishOne()
    return pop()
  }

  /// The same for who takes events alone.
  mutating func takeNextEvent() -> ServerSentEvent? {
    finishOne()
    return popEvent()
  }

  /// The first delivery after ``fetch()``.
  mutating func pop() -> EventSourceSignal? {
    isHolding = !batch.isEmpty
    return batch.popFirst()
  }

  /// The same for who takes events alone.
  mutating func popEvent() -> ServerSentEvent? {
    isHolding = !batch.events.isEmpty
    return batch.events.popFirst()
  }

  /// Whether nothing that was fetched is left.
  var isEmpty: Bool { batch.isEmpty }

  /// Gets all that waits, from the driver: something to take, unless it's the end.
  mutating func fetch() async throws {
    batch = try await driver.next(run)
  }

  /// The delivery in hand is processed.
  private mutating func finishOne() {
    let isOver = isHolding && !progress.finishOne()  // the run was ended meanwhile
    isHolding = false
    if isOver || Task.isCancelled { batch = EventSourceBatch() }
  }
}
