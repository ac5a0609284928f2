// How a stream is cut may change nothing: neither what comes out, nor what the parser is afterwards.

import ServerSentEvents

extension Oracle {
  static let chunking = Oracle(
    name: "chunking", statement: "Outputs, their offsets and the parser's state do not depend on the cuts."
  ) { input in
    let start = EventStreamParser()
    let whole = Trace(input, .whole, start)
    return difference(from: whole, of: input, deliveries(of: input), start, oracle: "chunking")
      ?? splitDifference(from: whole, of: input, start, oracle: "chunking")
  }

  /// Runs the input under the deliveries, and compares each with the uncut run.
  static func difference(
    from whole: Trace, of input: [UInt8], _ deliveries: [Delivery], _ start: EventStreamParser, oracle: String
  ) -> Finding? {
    for delivery in deliveries where delivery != .whole {
      let trace = Trace(input, delivery, start)
      if let difference = firstDifference(whole.items, trace.items) {
        return Finding(
          oracle: oracle, delivery: delivery.description, expected: difference.expected, got: difference.got)
      }
      if trace.parser != whole.parser {
        return Finding(
          oracle: oracle, delivery: delivery.description, expected: String(reflecting: whole.parser),
          got: String(reflecting: trace.parser))
      }
    }
    return nil
  }

  /// Cuts a short input once at every offset. There are so many runs of this kind that each keeps only raw bytes;
  /// the first that differs is run again in full.
  static func splitDifference(
    from whole: Trace, of input: [UInt8], _ start: EventStreamParser, oracle: String
  ) -> Finding? {
    guard input.count <= everySplitUpTo else { return nil }
    let expected = RawTrace(input, cut: 0, start)
    for cut in input.indices.dropFirst() where RawTrace(input, cut: cut, start) != expected {
      return difference(from: whole, of: input, [.at([cut])], start, oracle: oracle)
        ?? Finding(
          oracle: oracle, delivery: Delivery.at([cut]).description, expected: String(reflecting: expected),
          got: String(reflecting: RawTrace(input, cut: cut, start)))
    }
    return nil
  }
}

/// What the visitor was told, as one series of bytes, and the parser afterwards: cheap to make and to compare.
private struct RawTrace: Equatable {
  private var told: [UInt8] = []
  private var visits: [EventStreamParser.Visit] = []
  private var parser: EventStreamParser

  init(_ input: [UInt8], cut: Int, _ parser: EventStreamParser) {
    self.parser = parser
    told.reserveCapacity(input.count + 32)
    feed(input.span.extracting(0..<cut))
    feed(Span())
    feed(input.span.extracting(cut..<input.count))
  }

  private mutating func feed(_ chunk: Span<UInt8>) {
    parser.visit(chunk) { visit, payload, name, lastEventID in
      visits.append(visit)
      for index in 0..<payload.count { told.append(payload[index]) }
      told.append(0xFF)
      for index in 0..<name.count { told.append(name[index]) }
      told.append(0xFF)
      for index in 0..<lastEventID.count { told.append(lastEventID[index]) }
    }
  }
}
