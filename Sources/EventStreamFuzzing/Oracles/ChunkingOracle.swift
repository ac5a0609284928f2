// How a stream is cut may change nothing: neither what comes out, nor what the parser is afterwards.

import ServerSentEvents

extension Oracle {
  static let chunking = Oracle(
    name: "chunking", statement: "Outputs, their offsets and the parser's state do not depend on the cuts."
  ) { input in
    differences(of: input, deliveries(of: input), from: EventStreamParser(), oracle: "chunking").finding
  }

  /// Runs the input under the deliveries from the given start, and compares each with the uncut run.
  static func differences(
    of input: [UInt8], _ deliveries: [Delivery], from start: EventStreamParser, oracle: String
  ) -> (whole: Trace, finding: Finding?) {
    let whole = Trace(input, .whole, start)
    for delivery in deliveries where delivery != .whole {
      let trace = Trace(input, delivery, start)
      if let difference = firstDifference(whole.items, trace.items) {
        return (
          whole,
          Finding(
            oracle: oracle, delivery: delivery.description, expected: difference.expected, got: difference.got)
        )
      }
      if trace.parser != whole.parser {
        let (expected, got) = (String(reflecting: whole.parser), String(reflecting: trace.parser))
        return (
          whole, Finding(oracle: oracle, delivery: delivery.description, expected: expected, got: got)
        )
      }
    }
    return (whole, nil)
  }
}
