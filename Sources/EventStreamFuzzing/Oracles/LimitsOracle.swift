// Memory stays within the limits, and passing one is the same thing at the same byte however the stream is cut.

import ServerSentEvents

extension Oracle {
  static let limits = Oracle(
    name: "limits",
    statement: "Held bytes stay within the limits, which strike at the same byte whatever the cuts."
  ) { input in
    // Every split of every input under all of these would cost nine tenths of a fuzzer's time: one of them, which
    // the content picks, gets all deliveries.
    var generator = SeededGenerator(hashing: input)
    let thorough = generator.below(smallLimits.count)
    for (index, limits) in smallLimits.enumerated() {
      let start = EventStreamParser(limits: limits)
      let whole = Trace(input, .whole, start)
      let deliveries = index == thorough ? deliveries(of: input) : [.byteByByte(input.count), .hashed(input)]
      let reference = ReferenceParser(input, limits: limits)
      let finding =
        difference(of: whole, from: reference, oracle: "limits")
        ?? difference(from: whole, of: input, deliveries, start, oracle: "limits")
        ?? (index == thorough ? splitDifference(from: whole, of: input, start, oracle: "limits") : nil)
        ?? excess(of: input, start)
      if let finding { return finding.failing("under \(limitsText(limits))") }
    }
    return nil
  }

  /// Limits in words, for findings.
  static func limitsText(_ limits: EventStreamParser.Limits) -> String {
    "limits of \(limits.line) bytes a line and \(limits.event) an event, policy \(limits.policy)"
  }

  private static func excess(of input: [UInt8], _ start: EventStreamParser) -> Finding? {
    let most = start.limits.line + start.limits.event
    for delivery in [Delivery.whole, .byteByByte(input.count)] {
      var parser = start
      var fed = 0
      for chunk in delivery.chunks(of: input) {
        parser.visit(chunk.span) { _, _, _, _ in }
        fed += chunk.count
        guard parser.bufferedBytes > most else { continue }
        return Finding(
          oracle: "limits", delivery: delivery.description, expected: "at most \(most) bytes held",
          got: "\(parser.bufferedBytes) after \(fed) bytes")
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
