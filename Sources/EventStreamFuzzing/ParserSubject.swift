// A parser that isn't ours under the oracles that need nothing but its events: for people who keep their own and
// want to know whether it holds, in a test or under libFuzzer.

import ServerSentEvents

/// Any parser of event streams, as the oracles see it: chunks in, events out.
///
/// ```swift
/// let subject = ParserSubject {
///   var parser = MyParser()
///   return { chunk in parser.feed(chunk).map { .init(type: $0.type, data: $0.data, lastEventID: $0.id) } }
/// }
/// if let finding = subject.check(bytes) { fatalError(finding.description) }
/// ```
///
/// `wiretape fuzz init` writes a package with a fuzz target and tests around such a subject.
public struct ParserSubject: Sendable {
  /// What a listener sees of an event.
  public struct Event: Hashable, Sendable {
    /// The event's type: `message` where the block names none.
    public var type: String
    /// The data lines joined with LF.
    public var data: String
    /// The last event ID string at that moment; `nil` if the parser doesn't tell, which isn't held against it.
    public var lastEventID: String?

    /// An event.
    public init(type: String = "message", data: String, lastEventID: String? = nil) {
      self.type = type
      self.data = data
      self.lastEventID = lastEventID
    }
  }

  /// Takes the next chunk of a stream and returns the events that it completed.
  public typealias Feed = (_ chunk: [UInt8]) -> [Event]

  let makeFeed: @Sendable () -> Feed

  /// A parser, by a closure that makes a fresh one for each stream.
  public init(_ makeFeed: @escaping @Sendable () -> Feed) { self.makeFeed = makeFeed }

  /// This package's own parser.
  public static let wiretape = ParserSubject {
    var parser = EventStreamParser()
    return { chunk in
      parser.append(chunk).compactMap { if case .event(let event) = $0 { Event(event) } else { nil } }
    }
  }

  /// The events of a stream under a delivery.
  public func events(in stream: [UInt8], _ delivery: Delivery = .whole) -> [Event] {
    let feed = makeFeed()
    return delivery.chunks(of: stream).flatMap { feed(Array($0)) }
  }

  /// Holds the parser to the standard and to itself: the events are the reference parser's, whatever the cuts,
  /// the kind of line end and a byte order mark in front. `nil` if all that holds.
  public func check(_ input: [UInt8]) -> Finding? {
    let expected = ReferenceParser(input).events.map(Event.init)
    let splits = input.count <= Oracle.everySplitUpTo ? Delivery.everySplit(input.count) : []
    for delivery in Oracle.deliveries(of: input) + splits {
      if let finding = difference("reference", expected, input, delivery) { return finding }
    }
    for variant in Oracle.lineEndVariants(of: input) {
      for delivery in [Delivery.whole, .byteByByte(variant.count), .hashed(variant)] {
        if let finding = difference("lineEnds", expected, variant, delivery) { return finding }
      }
    }
    guard !input.starts(with: EventStreamEncoder.byteOrderMark) else { return nil }
    let marked = EventStreamEncoder.byteOrderMark + input
    for delivery in [Delivery.whole, .byteByByte(marked.count)] {
      if let finding = difference("byteOrderMark", expected, marked, delivery) { return finding }
    }
    return nil
  }

  private func difference(
    _ oracle: String, _ expected: [Event], _ stream: [UInt8], _ delivery: Delivery
  ) -> Finding? {
    guard let finding = finding(oracle, expected, stream, delivery) else { return nil }
    // Where one cut shows it as well, that is what a person wants to read, and what two findings are compared by.
    guard delivery.cuts.count > 1, stream.count <= Self.singleCutsUpTo else { return finding }
    for cut in stream.indices.dropFirst() {
      if let simpler = self.finding(oracle, expected, stream, .at([cut])) { return simpler }
    }
    return finding
  }

  /// Longer streams, each of whose cuts costs a run, are not worth it.
  private static let singleCutsUpTo = 512

  private func finding(
    _ oracle: String, _ expected: [Event], _ stream: [UInt8], _ delivery: Delivery
  ) -> Finding? {
    let got = events(in: stream, delivery)
    for index in 0..<max(expected.count, got.count) {
      let a = index < expected.count ? expected[index] : nil
      let b = index < got.count ? got[index] : nil
      if let a, let b, b.isAccepted(for: a) { continue }
      return Finding(
        oracle: oracle, delivery: delivery.description, expected: Self.describe(a, index),
        got: Self.describe(b, index))
    }
    return nil
  }

  private static func describe(_ event: Event?, _ index: Int) -> String {
    guard let event else { return "no event \(index)" }
    let id = event.lastEventID.map { ", last event ID \(String(reflecting: $0))" } ?? ""
    return
      "event \(index): type \(String(reflecting: event.type)), data \(String(reflecting: event.data))\(id)"
  }
}

extension ParserSubject.Event {
  init(_ event: ServerSentEvent) {
    self.init(type: event.type, data: event.data, lastEventID: event.lastEventID)
  }

  /// By bytes: `==` on texts follows canonical equivalence.
  fileprivate func isAccepted(for expected: Self) -> Bool {
    type.utf8.elementsEqual(expected.type.utf8) && data.utf8.elementsEqual(expected.data.utf8)
      && (lastEventID.map { $0.utf8.elementsEqual((expected.lastEventID ?? "").utf8) } ?? true)
  }
}
