// The parser against the slow reading of the standard, and its replacement characters against the decoder's.

import ServerSentEvents

extension Oracle {
  static let reference = Oracle(
    name: "reference",
    statement: "Everything is as the standard's algorithm, run over the whole stream, gives it."
  ) { input in
    difference(of: Trace(input, .whole), from: ReferenceParser(input), oracle: "reference")
  }

  /// Invalid bytes inside one payload, where the cut lies in the middle of a sequence.
  static let replacement = Oracle(
    name: "replacement",
    statement: "Invalid UTF-8 is replaced as the standard's decoder does, wherever it is cut."
  ) { input in
    let payload = input.filter { $0 != 0x0A && $0 != 0x0D }.prefix(16)
    let stream = Array("data: ".utf8) + payload + [0x0A, 0x0A]
    let expected = ReferenceDecoder.text(Array(payload))
    for delivery in [.whole, .byteByByte(stream.count), .hostile(stream)] + Delivery.everySplit(stream.count)
    {
      let data = Trace(stream, delivery).events.map(\.data)
      guard data.count == 1, data[0].utf8.elementsEqual(expected.utf8) else {
        return Finding(
          oracle: "replacement", delivery: delivery.description, expected: String(reflecting: [expected]),
          got: String(reflecting: data)
        ).failing("its first bytes as one line of data", as: stream)
      }
    }
    return nil
  }

  /// Compares a run with the reference in all that the reference knows.
  static func difference(of trace: Trace, from reference: ReferenceParser, oracle: String) -> Finding? {
    func finding(_ expected: String, _ got: String) -> Finding {
      Finding(oracle: oracle, delivery: "whole", expected: expected, got: got)
    }
    if let difference = firstDifference(reference.items, trace.items) {
      return finding(difference.expected, difference.got)
    }
    let parser = trace.parser
    if !parser.lastEventID.utf8.elementsEqual(reference.lastEventID.utf8) {
      return finding(
        "last event ID \(String(reflecting: reference.lastEventID))", String(reflecting: parser.lastEventID))
    }
    if parser.retry != reference.retry {
      return finding(
        "reconnection time \(String(describing: reference.retry))", String(describing: parser.retry))
    }
    if parser.failure != reference.failure {
      return finding("failure \(String(describing: reference.failure))", String(describing: parser.failure))
    }
    var ended = parser
    let unfinished = ended.finish()
    if reference.failure == nil, unfinished != reference.unfinishedBytes {
      return finding("\(reference.unfinishedBytes) unfinished bytes", "\(unfinished)")
    }
    return nil
  }
}
