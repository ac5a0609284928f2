// The consumer's end of a run. The driver is crossed to once for all that waits there, not once an event: for a consumer
// on the main actor that is the difference between thousands of events a second and a hundred times as many.

/// What a run delivers, for one consumer.
struct EventSourceDeliveries: Sendable {
  let run: Int
  private let driver: EventSourceDriver
  private let progress: DeliveryProgress
  private var batch = ArrayQueue<EventSourceDelivery>()
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
    return try await fetchNext()
  }

  /// The next delivery of those that are here; where it's `nil`, ``fetchNext()`` has to be asked.
  mutating func takeNext() -> EventSourceSignal? {
    let isOver = isHolding && !progress.finishOne()  // the run was ended meanwhile
    isHolding = false
    if isOver || Task.isCancelled { batch = ArrayQueue() }
    return popFirst()
  }

  /// The next delivery, from the driver, with all that waits there.
  mutating func fetchNext() async throws -> EventSourceSignal? {
    batch = try await driver.next(run)
    return popFirst()
  }

  private mutating func popFirst() -> EventSourceSignal? {
    guard let delivery = batch.popFirst() else { return nil }
    isHolding = true
    return delivery.signal
  }
}

/// A signal on its way to the consumer.
struct EventSourceDelivery: Sendable {
  var signal: EventSourceSignal
  /// When it came in, where somebody measures.
  var arrived: Duration?
}
