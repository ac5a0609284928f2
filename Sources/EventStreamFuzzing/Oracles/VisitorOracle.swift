// The borrowed view and the copied one are the same parser: nothing may differ but the copying.

import ServerSentEvents

extension Oracle {
  static let visitor = Oracle(
    name: "visitor", statement: "The zero-copy visitor is told what append returns, with the same bytes."
  ) { input in
    for delivery in [Delivery.whole, .byteByByte(input.count), .hashed(input)] {
      var parser = EventStreamParser()
      var items: [ReferenceParser.Item] = []
      for chunk in delivery.chunks(of: input) {
        let copy = Array(chunk)
        parser.visit(copy.span) { visit, payload, name, lastEventID in
          items.append(
            item(visit, payload: bytes(payload), name: bytes(name), lastEventID: bytes(lastEventID)))
        }
      }
      let trace = Trace(input, delivery)
      if let difference = firstDifference(trace.items, items) {
        return Finding(
          oracle: "visitor", delivery: delivery.description, expected: difference.expected,
          got: difference.got)
      }
      if parser != trace.parser {
        return Finding(
          oracle: "visitor", delivery: delivery.description, expected: String(reflecting: trace.parser),
          got: String(reflecting: parser))
      }
      // Also the form that returns an array, from a collection that isn't contiguous.
      var plain = EventStreamParser()
      let outputs = delivery.chunks(of: input).flatMap { plain.append($0.lazy.map { $0 }) }
      if outputs != trace.items.map(\.output) || plain != trace.parser {
        return Finding(
          oracle: "visitor", delivery: delivery.description,
          expected: String(reflecting: trace.items.map(\.output)), got: String(reflecting: outputs))
      }
    }
    return nil
  }

  private static func item(
    _ visit: EventStreamParser.Visit, payload: [UInt8], name: [UInt8], lastEventID: [UInt8]
  ) -> ReferenceParser.Item {
    let output: EventStreamParser.Output
    switch visit {
    case .event(let hasID, let retry, _):
      let id = ReferenceDecoder.text(lastEventID)
      output = .event(
        ServerSentEvent(
          name: name.isEmpty ? nil : ReferenceDecoder.text(name), data: ReferenceDecoder.text(payload),
          id: hasID ? id : nil, lastEventID: id, retry: retry))
    case .comment: output = .comment(ReferenceDecoder.text(payload))
    case .retry(let milliseconds, _): output = .retry(milliseconds: milliseconds)
    case .dropped(let bytes, _): output = .dropped(bytes: bytes)
    case .failed(let error): output = .failed(error)
    }
    return ReferenceParser.Item(output: output, offset: visit.offset)
  }

  private static func bytes(_ span: Span<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<span.count { bytes.append(span[index]) }
    return bytes
  }
}
