// Every conformance case under every delivery. Texts are compared by their UTF-8 bytes: `==` on String follows
// canonical equivalence and would let a parser that mixes up normal forms pass.

import EventStreamFuzzing
import ServerSentEvents
import Testing

@Suite struct ParserConformanceTests {
  /// How many bytes may be fed for the single splits of one case: the few large ones take a sample past it.
  static let budget = 4 << 20

  @Test("the case file is complete")
  func isComplete() throws {
    let cases = try ConformanceCase.all.get()
    #expect(cases.count == 138)
    #expect(Set(cases.map(\.name)).count == cases.count)
  }

  @Test("every case passes whole, byte by byte, at hostile cuts and at 20 random plans")
  func fixedDeliveries() throws {
    for item in try ConformanceCase.all.get() {
      let bytes = item.bytes
      expect(item, .whole)
      expect(item, .byteByByte(bytes.count))
      expect(item, .hostile(bytes))
      for seed in 1...20 {
        var generator = SeededGenerator(seed: UInt64(seed))
        expect(item, .random(bytes.count, using: &generator))
      }
    }
  }

  @Test("every case passes at every single split")
  func everySplit() throws {
    for item in try ConformanceCase.all.get() {
      let bytes = item.bytes
      let whole = Run(bytes, .whole)
      var offsets = Array(0...bytes.count)
      if bytes.count * bytes.count > Self.budget {
        // The hostile offsets first, then a seeded sample, until the budget is spent.
        var generator = SeededGenerator(seed: 1)
        let sample = (0..<200).map { _ in generator.below(bytes.count + 1) }
        offsets = Array(
          (Delivery.hostileOffsets(in: bytes) + sample).prefix(max(20, Self.budget / bytes.count)))
      }
      for offset in offsets {
        let run = Run(bytes, .at([offset]))
        #expect(run == whole, "\(item.name) at:\(offset)")
      }
    }
  }

  @Test("every case passes from the middle of a larger buffer, as slice and as span")
  func slices() throws {
    let before = Array("data: not mine\n\n\r".utf8)
    let after = Array("\ndata: nor mine\n\n".utf8)
    for item in try ConformanceCase.all.get() {
      let buffer = before + item.bytes + after
      let range = before.count..<before.count + item.bytes.count
      var sliced = EventStreamParser()
      let fromSlice = sliced.append(buffer[range])
      var spanned = EventStreamParser()
      let fromSpan = spanned.append(buffer.span.extracting(range))
      expect(item, fromSlice, sliced, "ArraySlice")
      expect(item, fromSpan, spanned, "Span")
      #expect(sliced == spanned)
    }
  }

  @Test("the reference parser passes every case too, so it can be trusted to judge")
  func reference() throws {
    for item in try ConformanceCase.all.get() {
      let reference = ReferenceParser(item.bytes)
      expectSame(item, reference.events, "reference")
      #expect(reference.retry == item.expect.retry?.saturated, "\(item.name)")
      #expect(reference.lastEventID.utf8.elementsEqual(item.expect.finalLastEventId.utf8), "\(item.name)")
    }
  }

  @Test("an event comes out with the first byte of its blank line's end, not later")
  func promptness() throws {
    for item in try ConformanceCase.all.get() {
      let bytes = item.bytes
      let due = ReferenceParser(bytes).items.filter { if case .event = $0.output { true } else { false } }
        .map(\.offset)
      var came: [Int] = []
      var parser = EventStreamParser()
      for (index, byte) in bytes.enumerated() {
        for case .event in parser.append(CollectionOfOne(byte)) { came.append(index + 1) }
      }
      #expect(came == due, "\(item.name)")
    }
  }

  // MARK: Expectations

  private func expect(
    _ item: ConformanceCase, _ delivery: Delivery, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let run = Run(item.bytes, delivery)
    expect(item, run.outputs, run.parser, delivery.description, sourceLocation: sourceLocation)
  }

  private func expect(
    _ item: ConformanceCase, _ outputs: [EventStreamParser.Output], _ parser: EventStreamParser,
    _ delivery: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let events = outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
    expectSame(item, events, delivery, sourceLocation: sourceLocation)
    #expect(
      parser.retry == item.expect.retry?.saturated, "\(item.name) \(delivery)", sourceLocation: sourceLocation
    )
    #expect(
      parser.lastEventID.utf8.elementsEqual(item.expect.finalLastEventId.utf8), "\(item.name) \(delivery)",
      sourceLocation: sourceLocation)
    #expect(parser.failure == nil, "\(item.name) \(delivery)", sourceLocation: sourceLocation)
  }

  private func expectSame(
    _ item: ConformanceCase, _ events: [ServerSentEvent], _ delivery: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let expected = item.expect.events
    let isSame =
      events.count == expected.count
      && zip(events, expected).allSatisfy { event, wanted in
        event.type.utf8.elementsEqual(wanted.type.utf8) && event.data.utf8.elementsEqual(wanted.data.utf8)
          && event.lastEventID.utf8.elementsEqual(wanted.lastEventId.utf8)
      }
    if !isSame {
      Issue.record(
        "\(item.name) \(delivery): \(String(reflecting: events)) instead of \(String(reflecting: expected))",
        sourceLocation: sourceLocation)
    }
  }
}

/// The outputs of a delivery, with empty chunks thrown in, and the parser after it.
private struct Run: Equatable {
  var outputs: [EventStreamParser.Output] = []
  var parser = EventStreamParser()

  init(_ bytes: [UInt8], _ delivery: Delivery) {
    outputs += parser.append([])
    for chunk in delivery.chunks(of: bytes) { outputs += parser.append(chunk) }
    outputs += parser.append([])
  }
}
