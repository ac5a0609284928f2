// What one delivery of a stream to the product's parser showed, in full: every oracle compares these.

import ServerSentEvents

/// Everything observable of a parser that was fed a stream.
struct Trace {
  /// The outputs, each with the number of bytes consumed when it came out.
  var items: [ReferenceParser.Item] = []
  /// The parser after the last byte, before the stream was ended.
  var parser: EventStreamParser

  /// Feeds the chunks of a delivery to a parser.
  init(_ input: [UInt8], _ delivery: Delivery, _ parser: EventStreamParser = EventStreamParser()) {
    self.parser = parser
    for chunk in delivery.chunks(of: input) {
      self.parser.append(chunk) { output, offset in
        items.append(ReferenceParser.Item(output: output, offset: offset))
      }
    }
  }

  var events: [ServerSentEvent] { items.events }
}

extension [ReferenceParser.Item] {
  var events: [ServerSentEvent] {
    compactMap { if case .event(let event) = $0.output { event } else { nil } }
  }
}

extension ReferenceParser.Item {
  /// Equality by bytes: `==` on a comment's text follows canonical equivalence, which is too lenient here.
  func isIdentical(to other: ReferenceParser.Item) -> Bool {
    if case .comment(let a) = output, case .comment(let b) = other.output {
      return offset == other.offset && a.utf8.elementsEqual(b.utf8)
    }
    return self == other
  }
}

/// Where two sequences of outputs part, as text for a finding; `nil` if they are the same.
func firstDifference(
  _ expected: [ReferenceParser.Item], _ got: [ReferenceParser.Item]
) -> (expected: String, got: String)? {
  for index in 0..<max(expected.count, got.count) {
    let a = index < expected.count ? expected[index] : nil
    let b = index < got.count ? got[index] : nil
    if let a, let b, a.isIdentical(to: b) { continue }
    return (describe(a, index), describe(b, index))
  }
  return nil
}

/// Where two sequences of events part, offsets left aside.
func firstDifference(
  _ expected: [ServerSentEvent], _ got: [ServerSentEvent]
) -> (expected: String, got: String)? {
  firstDifference(
    expected.map { ReferenceParser.Item(output: .event($0), offset: 0) },
    got.map { ReferenceParser.Item(output: .event($0), offset: 0) })
}

private func describe(_ item: ReferenceParser.Item?, _ index: Int) -> String {
  guard let item else { return "no output \(index)" }
  return "output \(index) at \(item.offset): \(String(reflecting: item.output))"
}
