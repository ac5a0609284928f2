// A parser as it is written again and again: it takes each chunk for whole lines and decodes it on its own. It works
// against a local server, whose chunks happen to be whole events, and fails wherever a network cuts elsewhere.

import EventCassettes
import ServerSentEvents

/// What many apps ship. It is here to fail.
struct NaiveParser: EventStreamParsing {
  private var type = "message"
  private var data: [String] = []
  private var id = ""

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for line in String(decoding: chunk, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast() {
      if line.hasPrefix("data: ") { data.append(String(line.dropFirst(6))) }
      if line.hasPrefix("event: ") { type = String(line.dropFirst(7)) }
      if line.hasPrefix("id: ") { id = String(line.dropFirst(4)) }
      if line.isEmpty, !data.isEmpty {
        events.append(
          ServerSentEvent(
            name: type == "message" ? nil : type, data: data.joined(separator: "\n"), lastEventID: id))
        (type, data) = ("message", [])
      }
    }
    return events
  }

  /// Its heart, as the demo shows it.
  static let source = """
    for line in String(decoding: chunk, as: UTF8.self).split(separator: "\\n") {
      if line.hasPrefix("data: ") { data.append(line.dropFirst(6)) }
      …
    }
    """
}
