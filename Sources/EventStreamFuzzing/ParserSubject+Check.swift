// What is asked of anyone's parser, and what a failure is put down to. A parser may fail on a stream for what the stream
// says or for the form that it has; whoever reads a finding, or looks for a smaller input that fails alike, must know which.

import EventCassettes
import ServerSentEvents

extension ParserSubject {
  /// What must hold.
  private enum Rule: String {
    case reference = "The events are those that the standard gives."
    case lineEnds = "Lines end in LF, CR LF or CR; the events are the same."
    case byteOrderMark = "A byte order mark in front changes nothing."
  }

  /// Holds the parser to the standard and to itself: the events are the reference parser's, whatever the cuts,
  /// the kind of line end and a byte order mark in front. `nil` if all that holds.
  ///
  /// Where a stream fails and the same stream with LF line ends, or without its byte order mark, does not, the finding is
  /// one of `lineEnds` or `byteOrderMark`; everything else is one of `reference`.
  public func check(_ input: [UInt8]) -> Finding? {
    let expected = ReferenceParser(input).events.map(Event.init)
    if let difference = difference(expected, input, Self.deliveries(of: input)) {
      let (rule, form) = cause(of: difference, in: input, expected)
      return difference.finding(rule, form)
    }
    for variant in Oracle.lineEndVariants(of: input) where variant != input {
      let deliveries = [Delivery.whole, .byteByByte(variant.count), .hashed(variant)]
      if let difference = difference(expected, variant, deliveries) {
        return difference.finding(.lineEnds, Self.lineEndForm(of: variant), stream: variant)
      }
    }
    guard !input.starts(with: Oracle.mark) else { return nil }
    let marked = Oracle.mark + input
    return difference(expected, marked, [.whole, .byteByByte(marked.count)])?
      .finding(.byteOrderMark, Oracle.markForm, stream: marked)
  }

  private static func deliveries(of stream: [UInt8]) -> [Delivery] {
    Oracle.deliveries(of: stream)
      + (stream.count <= Oracle.everySplitUpTo ? Delivery.everySplit(stream.count) : [])
  }

  private static func lineEndForm(of stream: [UInt8]) -> String { "with \(Oracle.lineEndNames(in: stream))" }

  /// What a difference is put down to: the input's form, where the same in its plain form passes.
  private func cause(
    of difference: Difference, in input: [UInt8], _ expected: [Event]
  ) -> (rule: Rule, form: String?) {
    // Cuts elsewhere may show what has nothing to do with the form: where no cut was needed, none is tried.
    func passes(_ plain: [UInt8]) -> Bool {
      let deliveries = difference.delivery == .whole ? [.whole] : Self.deliveries(of: plain)
      return self.difference(expected, plain, deliveries) == nil
    }
    if input.starts(with: Oracle.mark) {
      let bare = Array(input.dropFirst(Oracle.mark.count))
      if !bare.starts(with: Oracle.mark), passes(bare) { return (.byteOrderMark, Oracle.markForm) }
    }
    let plain = Oracle.lineEndVariants(of: input)[0]
    if plain != input, passes(plain) { return (.lineEnds, Self.lineEndForm(of: input)) }
    return (.reference, nil)
  }

  /// Events that are not those that should have come.
  private struct Difference {
    var delivery: Delivery
    var expected: String
    var got: String

    func finding(_ rule: Rule, _ form: String?, stream: [UInt8]? = nil) -> Finding {
      Finding(
        oracle: "\(rule)", delivery: delivery.description, expected: expected, got: got, rule: rule.rawValue,
        form: form, stream: stream)
    }
  }

  private func difference(
    _ expected: [Event], _ stream: [UInt8], _ deliveries: [Delivery]
  ) -> Difference? {
    deliveries.lazy.compactMap { simplest(expected, stream, $0) }.first
  }

  private func simplest(_ expected: [Event], _ stream: [UInt8], _ delivery: Delivery) -> Difference? {
    guard let difference = difference(expected, stream, delivery) else { return nil }
    // Where one cut shows it as well, that is what a person wants to read, and what two findings are compared by.
    guard delivery.cuts.count > 1, stream.count <= Self.singleCutsUpTo else { return difference }
    for cut in stream.indices.dropFirst() {
      if let simpler = self.difference(expected, stream, .at([cut])) { return simpler }
    }
    return difference
  }

  /// Longer streams, each of whose cuts costs a run, are not worth it.
  private static let singleCutsUpTo = 512

  private func difference(_ expected: [Event], _ stream: [UInt8], _ delivery: Delivery) -> Difference? {
    let got = events(in: stream, delivery)
    for index in 0..<max(expected.count, got.count) {
      let a = index < expected.count ? expected[index] : nil
      let b = index < got.count ? got[index] : nil
      if let a, let b, b.isAccepted(for: a) { continue }
      return Difference(
        delivery: delivery, expected: Self.describe(a, index), got: Self.describe(b, index))
    }
    return nil
  }

  /// Texts as literals, so that what can't be seen is told apart as well.
  private static func describe(_ event: Event?, _ index: Int) -> String {
    guard let event else { return "no event \(index)" }
    let id = event.lastEventID.map { ", last event ID \(Reproduction.literal($0))" } ?? ""
    return
      "event \(index): type \(Reproduction.literal(event.type)), data \(Reproduction.literal(event.data))\(id)"
  }
}

extension ParserSubject.Event {
  /// By bytes: `==` on texts follows canonical equivalence.
  fileprivate func isAccepted(for expected: Self) -> Bool {
    type.utf8.elementsEqual(expected.type.utf8) && data.utf8.elementsEqual(expected.data.utf8)
      && (lastEventID.map { $0.utf8.elementsEqual((expected.lastEventID ?? "").utf8) } ?? true)
  }
}
