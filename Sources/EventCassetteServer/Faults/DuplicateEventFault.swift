// A server that sends again what it was not sure of: a client that counts events by their IDs must bear it.

import EventCassettes

/// An event comes twice.
struct DuplicateEventFault: Fault {
  static let syntax = "duplicate@PLACE"
  static let summary = "sends the event at that place twice"

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    let body = exchange.body
    guard let block = EventBlock.range(in: body, holding: offset) else { return [] }
    return [.body(at: block.upperBound, [.insert(Array(body[block]))])]
  }
}

extension DuplicateEventFault {
  init(_ values: inout FaultValues) {}
}

extension FaultSpec.Kind {
  /// `duplicate@PLACE`: the event block that holds the place is sent a second time right after itself.
  public static let duplicateEvent = Self(DuplicateEventFault())
}
