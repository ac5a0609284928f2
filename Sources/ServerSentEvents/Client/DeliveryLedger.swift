// What was handed out and not yet taken: only sizes and IDs, so that the state machine can bound the buffer and knows
// which ID counts as processed. The signals themselves wait in the driver.

/// The account of deliveries that the consumer hasn't finished with, oldest first.
struct DeliveryLedger: Equatable, Sendable {
  /// A delivery: its cost, and the last event ID in effect after it (`nil` for what is no event).
  struct Entry: Hashable, Sendable {
    var bytes: Int
    var lastEventID: String?
  }

  // A queue in an array: entries before `head` are gone, and are cleared away when they are the larger half.
  private var entries: [Entry] = []
  private var head = 0
  private(set) var bytes = 0

  var count: Int { entries.count - head }
  var isEmpty: Bool { count == 0 }

  func hasRoom(for cost: Int, in buffer: EventSourceConfiguration.Buffer) -> Bool {
    isEmpty || (count < buffer.events && cost <= buffer.bytes - bytes)
  }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    bytes += entry.bytes
  }

  mutating func removeFirst() -> Entry? {
    guard !isEmpty else { return nil }
    let entry = entries[head]
    head += 1
    bytes -= entry.bytes
    if head * 2 >= entries.count {
      entries.removeFirst(head)
      head = 0
    }
    return entry
  }

  // Where the queue's head lies in its array is history, not state.
  static func == (a: DeliveryLedger, b: DeliveryLedger) -> Bool {
    a.bytes == b.bytes && a.entries[a.head...].elementsEqual(b.entries[b.head...])
  }
}
