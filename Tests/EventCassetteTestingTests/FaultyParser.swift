// The parser that tutorials show: lines of each chunk, nothing kept in between. The assertions must catch it.

import EventCassetteTesting
import EventCassettes
import ServerSentEvents

struct LineBasedParser: EventStreamParsing {
  private var name: String?
  private var id: String?
  private var data: [String] = []

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    // A Character, so that CR LF is one line end too.
    for line in String(decoding: chunk, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    {
      if line.isEmpty {
        if !data.isEmpty {
          events.append(
            ServerSentEvent(name: name, data: data.joined(separator: "\n"), lastEventID: id ?? ""))
        }
        (name, data) = (nil, [])
      } else if let value = value(of: "data", in: line) {
        data.append(value)
      } else if let value = value(of: "event", in: line) {
        name = value
      } else if let value = value(of: "id", in: line) {
        id = value
      }
    }
    return events
  }

  private func value(of field: String, in line: Substring) -> String? {
    guard line.hasPrefix(field + ":") else { return nil }
    let value = line.dropFirst(field.count + 1)
    return String(value.first == " " ? value.dropFirst() : value)
  }
}

/// Ours, as a value of another type.
struct GoodParser: EventStreamParsing, Equatable {
  private var parser = EventStreamParser()

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    parser.append(chunk).compactMap { if case .event(let event) = $0 { event } else { nil } }
  }
}
