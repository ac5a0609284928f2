// What was handed out and not yet taken: only sizes and IDs, so that the state machine can bound the buffer and knows
// which ID counts as processed. The signals themselves wait in the driver.

/// The account of deliveries that the consumer hasn't finished with, oldest first.
struct DeliveryLedger: Equatable, Sendable {
  /// A delivery: its cost, and the last event ID in effect after it (`nil` for what is no event).
  struct Entry: Hashable, Sendable {
    var bytes: Int
    var lastEventID: String?

    /// What is no event and holds no text.
    static var signal: Entry { signal(texts: 0) }

    /// What is no event, with texts of so many bytes.
    static func signal(texts: Int) -> Entry {
      Entry(bytes: texts + EventSourceConfiguration.Buffer.overhead, lastEventID: nil)
    }
  }

  private var entries = ArrayQueue<Entry>()
  private(set) var bytes = 0

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }

  func hasRoom(for cost: Int, in buffer: EventSourceConfiguration.Buffer) -> Bool {
    isEmpty || (count < buffer.events && cost <= buffer.bytes - bytes)
  }

  mutating func append(_ entry: Entry) {
    entries.append(entry)
    bytes += entry.bytes
  }

  mutating func removeFirst() -> Entry? {
    guard let entry = entries.popFirst() else { return nil }
    bytes -= entry.bytes
    return entry
  }
}
