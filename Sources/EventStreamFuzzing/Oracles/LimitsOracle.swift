// Memory stays within the limits, and passing one is the same thing at the same byte however the stream is cut.

import ServerSentEvents

extension Oracle {
  static let limits = Oracle(
    name: "limits", statement: "Held bytes stay within the limits, which strike at the same byte whatever the cuts."
  ) { input in
    // Every split of every input under all of these would cost nine tenths of a fuzzer's time: one of them, which
    // the content picks, gets all deliveries.
    var generator = SeededGenerator(hashing: input)
    let thorough = generator.below(smallLimits.count)
    let few = [Delivery.byteByByte(input.count), .hashed(input)]
    for (index, limits) in smallLimits.enumerated() {
      let start = EventStreamParser(limits: limits)
      let deliveries = index == thorough ? deliveries(of: input) : few
      let (whole, finding) = differences(of: input, deliveries, from: start, oracle: "limits")
      if let finding { return finding }
      let reference = ReferenceParser(input, limits: limits)
      if let finding = difference(of: whole, from: reference, oracle: "limits") { return finding }
      for delivery in few {
        let peak = Trace(input, delivery, start).peak
        if peak.bytes > limits.line + limits.event {
          return Finding(
            oracle: "limits", delivery: delivery.description,
            expected: "at most \(limits.line + limits.event) bytes held",
            got: "\(peak.bytes) after \(peak.fed) bytes")
        }
      }
    }
    return nil
  }

  /// Small enough that short inputs pass them; the line's the smaller one, the event's the smaller one, and neither.
  private static let smallLimits: [EventStreamParser.Limits] = [
    EventStreamParser.Limits(line: 8, event: 5, policy: .fail),
    EventStreamParser.Limits(line: 8, event: 5, policy: .skipEvent),
    EventStreamParser.Limits(line: 12, event: 64, policy: .fail),
    EventStreamParser.Limits(line: 12, event: 64, policy: .skipEvent),
    EventStreamParser.Limits(line: 64, event: 12, policy: .skipEvent),
    EventStreamParser.Limits(line: 1, event: 1, policy: .fail),
    EventStreamParser.Limits(line: 2, event: 1, policy: .skipEvent),
  ]
}
