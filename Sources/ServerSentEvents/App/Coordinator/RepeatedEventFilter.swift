// Leaves out what a server sends twice around a reconnect. Pure; remembers a bounded number of IDs.

/// Tells events that were seen before by their own IDs.
struct RepeatedEventFilter: Equatable, Sendable {
  private let window: Int
  private var order = ArrayQueue<[UInt8]>()
  private var known: Set<[UInt8]> = []

  /// Remembers the IDs of so many events; none lets all through.
  init(window: Int) {
    self.window = window
  }

  /// Whether the event is none of the last. One without an ID of its own, or with an empty one, is always new.
  mutating func isNew(_ event: ServerSentEvent) -> Bool {
    guard window > 0, let id = event.id.map({ Array($0.utf8) }), !id.isEmpty else { return true }
    guard known.insert(id).inserted else { return false }
    order.append(id)
    if order.count > window, let oldest = order.popFirst() { known.remove(oldest) }
    return true
  }

  /// Forgets all.
  mutating func reset() { self = RepeatedEventFilter(window: window) }
}
