// What waits for a consumer, in the kind that it takes: events alone, or all signals.

/// Deliveries on their way to one consumer, which are all of one kind.
struct EventSourceBatch: Sendable {
  var events = ArrayQueue<ServerSentEvent>()
  var signals = ArrayQueue<EventSourceSignal>()

  var isEmpty: Bool { events.isEmpty && signals.isEmpty }

  /// The first delivery, whichever kind it is of.
  mutating func popFirst() -> EventSourceSignal? {
    signals.popFirst() ?? events.popFirst().map { .event($0) }
  }
}
