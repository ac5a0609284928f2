// What a client should know after an answer: the last event ID, followed over the bytes that were sent. Pure.

import ServerSentEvents

/// The last event IDs that a client may have after an answer.
struct ExpectedID: Hashable, Sendable {
  /// The one after everything that was sent.
  var last: [UInt8] = []
  /// Earlier ones, where the client may not have got everything.
  var others: Set<[UInt8]> = []

  func accepts(_ id: [UInt8]) -> Bool { id == last || others.contains(id) }
}

/// Follows the last event ID over the bytes of one answer.
struct DeliveredIDs: Sendable {
  private var parser: EventStreamParser?
  private var seen: Set<[UInt8]>
  private var last: [UInt8]
  /// How many events were in them.
  private(set) var events = 0

  init(after expected: ExpectedID, isEventStream: Bool) {
    last = expected.last
    seen = expected.others.union([expected.last])
    parser = isEventStream ? EventStreamParser(lastEventID: String(decoding: last, as: UTF8.self)) : nil
  }

  mutating func append(_ bytes: [UInt8]) {
    guard parser != nil else { return }
    for case .event(let event)? in parser?.append(bytes) ?? [] {
      events += 1
      note(event.lastEventID)
    }
    if let id = parser?.lastEventID { note(id) }
  }

  private mutating func note(_ id: String) {
    guard !last.elementsEqual(id.utf8) else { return }
    last = Array(id.utf8)
    seen.insert(last)
  }

  /// What to expect next; `isLossy` if the client may have missed the end.
  func expected(isLossy: Bool) -> ExpectedID { ExpectedID(last: last, others: isLossy ? seen : []) }
}
