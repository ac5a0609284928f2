// One subscriber's events on their way from the coordinator: a bounded queue that says what it had to leave out.

/// Events that a subscription did not get.
public enum EventStreamMiss: Hashable, Sendable {
  /// The subscriber was too slow, and so many of its oldest events were dropped to make room.
  case overflow(count: Int)
  /// So many of its events came while its scene was not active.
  case hidden(count: Int)
  /// The stream itself has a gap, or an event was over the limits: nobody knows what was in it.
  case gap
}

/// What waits for a subscriber: pure, bounded, oldest first.
struct EventInboxState: Equatable, Sendable {
  struct Entry: Equatable, Sendable {
    var event: ServerSentEvent
    var arrived: Duration
  }

  enum Delivery: Equatable, Sendable {
    case event(Entry)
    case miss(EventStreamMiss)
  }

  private let capacity: Int
  private var waiting = ArrayQueue<Delivery>()
  // What was left out before everything that waits.
  private var hidden = 0
  private var overflowed = 0
  private var hasGap = false
  private(set) var isVisible: Bool

  init(capacity: Int, isVisible: Bool) {
    self.capacity = capacity
    self.isVisible = isVisible
  }

  mutating func add(_ entry: Entry) {
    if isVisible { append(.event(entry)) } else { hidden += 1 }
  }

  mutating func addGap() {
    if isVisible { append(.miss(.gap)) } else { hasGap = true }
  }

  /// Events that wait when the scene goes are taken back: a screen gets events only while it's visible.
  mutating func show(_ isVisible: Bool) {
    self.isVisible = isVisible
    guard !isVisible else { return }
    while let delivery = waiting.popFirst() {
      if case .event = delivery { hidden += 1 } else { hasGap = true }
    }
  }

  mutating func take() -> Delivery? {
    guard isVisible else { return nil }
    if hasGap {
      hasGap = false
      return .miss(.gap)
    }
    if hidden > 0 {
      defer { hidden = 0 }
      return .miss(.hidden(count: hidden))
    }
    if overflowed > 0 {
      defer { overflowed = 0 }
      return .miss(.overflow(count: overflowed))
    }
    return waiting.popFirst()
  }

  private mutating func append(_ delivery: Delivery) {
    if waiting.count >= capacity, let dropped = waiting.popFirst() {
      if case .event = dropped { overflowed += 1 } else { hasGap = true }
    }
    waiting.append(delivery)
  }
}

/// An inbox that its subscriber can wait on.
actor EventInbox {
  private var state: EventInboxState
  private var isOver = false
  private var waiters: [CheckedContinuation<EventInboxState.Delivery?, Never>] = []

  init(capacity: Int, isVisible: Bool) {
    state = EventInboxState(capacity: capacity, isVisible: isVisible)
  }

  func add(_ event: ServerSentEvent, arrived: Duration) {
    if isOver { return }
    state.add(.init(event: event, arrived: arrived))
    wake()
  }

  func addGap() {
    if isOver { return }
    state.addGap()
    wake()
  }

  func show(_ isVisible: Bool) {
    state.show(isVisible)
    wake()
  }

  /// Ends the subscription: what waits is given up.
  func finish() {
    isOver = true
    for waiter in waiters { waiter.resume(returning: nil) }
    waiters = []
  }

  /// The next delivery; `nil` when the subscription or the waiting task has ended.
  func next() async -> EventInboxState.Delivery? {
    if isOver || Task.isCancelled { return nil }
    if let delivery = state.take() { return delivery }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiters.append($0) }
    } onCancel: {
      Task { await self.finish() }
    }
  }

  private func wake() {
    while !waiters.isEmpty, let delivery = state.take() { waiters.removeFirst().resume(returning: delivery) }
  }
}
