// The encoder undoes the parser: what was parsed from any bytes can be written and is read back the same.

import ServerSentEvents

extension Oracle {
  static let encoding = Oracle(
    name: "encoding", statement: "Parsed events can be encoded, and parsing that gives the same events."
  ) { input in
    let events = Trace(input, .whole).events
    for lineEnd in EventStreamEncoder.LineEnd.allCases {
      let encoder = EventStreamEncoder(lineEnd: lineEnd, writesByteOrderMark: lineEnd == .crlf)
      do {
        let stream = try encoder.encode(contentsOf: events)
        let delivery = Delivery.hashed(stream)
        if let difference = firstDifference(events, Trace(stream, delivery).events) {
          return Finding(
            oracle: "encoding", delivery: delivery.description, expected: difference.expected,
            got: difference.got
          ).failing("as the encoder writes its events, with \(lineEndNames(in: stream))", as: stream)
        }
      } catch {
        return Finding(
          oracle: "encoding", delivery: "whole", expected: "events that can be encoded", got: "\(error)")
      }
    }
    return nil
  }
}
