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
}

extension ParserSubject.Event {
  init(_ event: ServerSentEvent) {
    self.init(type: event.type, data: event.data, lastEventID: event.lastEventID)
  }
}
