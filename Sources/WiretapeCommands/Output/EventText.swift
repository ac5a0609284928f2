// How events read on a terminal and as JSON lines. Every verb that prints events prints them through here, so that
// what `parse`, `listen` and `replay` say can be compared.

import ServerSentEvents

extension ServerSentEvent {
  /// The lines for people: the head with whatever else is known, then the data, a line each, indented.
  func text(_ details: String...) -> [String] {
    var head = ["event " + printable(type)]
    if let id { head.append("id " + (id.isEmpty ? "reset" : printable(id))) }
    head += details.filter { !$0.isEmpty }
    let lines = data.split(separator: "\n", omittingEmptySubsequences: false)
    return [head.joined(separator: " · ")] + lines.map { "  " + printable(String($0), keeping: "\t") }
  }
}

extension JSONLine {
  /// The members of an event that every verb has: `kind`, `type`, `data`, `lastEventId`, `id`.
  init(_ event: ServerSentEvent) {
    add("kind", "event")
    addFields(of: event)
    add("id", event.id)
  }

  /// `type`, `data` and `lastEventId`.
  mutating func addFields(of event: ServerSentEvent) {
    add("type", event.type)
    add("data", event.data)
    add("lastEventId", event.lastEventID)
  }

  /// A comment line of a stream: what follows the colon.
  init(comment: String) {
    add("kind", "comment")
    add("comment", comment)
  }
}

/// `1 event`, `2 events`.
func counted(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(count) \(count == 1 ? one : many ?? one + "s")"
}
