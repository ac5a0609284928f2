// What a replay server found wrong with a client.

/// Something that a client did other than the cassette lets expect.
public struct ClientFinding: Hashable, Sendable, CustomStringConvertible {
  /// What kind of finding it is. More may be added.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    let name: String

    /// A request came without the last event ID that the client had received.
    public static let missingLastEventID = Kind(name: "missingLastEventID")
    /// A request came with another last event ID than the client had received.
    public static let wrongLastEventID = Kind(name: "wrongLastEventID")
    /// A request came with a last event ID where the client had received none.
    public static let unexpectedLastEventID = Kind(name: "unexpectedLastEventID")
    /// A fault cut an answer short, and the client can't name the event after which to go on, for those that it got have no
    /// IDs. That is no mistake of the client's: this session can't be resumed, and what was behind the cut is lost to it.
    public static let eventsLost = Kind(name: "eventsLost")
    /// A fault cut an answer short, and events that the client has come again: it posted its question anew, or its last
    /// event ID names none of them, for they have set it back to what it was before. No mistake of the client's either.
    public static let eventsRepeated = Kind(name: "eventsRepeated")

    /// The kind's name.
    public var description: String { name }
  }

  /// What kind of finding it is.
  public let kind: Kind
  /// The number of the client session, from 1.
  public let session: Int
  /// The exchange that the request got, from 1; that whose answer was cut short, where events are lost or repeated.
  public let exchange: Int
  /// The ID that was expected; empty for none.
  public let expected: String
  /// The ID that was sent; empty for none.
  public let sent: String
  /// How many events are lost; 0 but for ``Kind/eventsLost``.
  public let lostEvents: Int
  /// How many events come again; 0 but for ``Kind/eventsRepeated``.
  public let repeatedEvents: Int

  init(kind: Kind, session: Int, exchange: Int, expected: String, sent: String) {
    (self.kind, self.session, self.exchange) = (kind, session, exchange)
    (self.expected, self.sent, lostEvents, repeatedEvents) = (expected, sent, 0, 0)
  }

  /// What a cut does to a client that did nothing wrong.
  init(_ kind: Kind, session: Int, exchange: Int, events: Int) {
    (self.kind, self.session, self.exchange, expected, sent) = (kind, session, exchange, "", "")
    lostEvents = kind == .eventsLost ? events : 0
    repeatedEvents = kind == .eventsRepeated ? events : 0
  }

  /// The finding in a sentence.
  public var description: String {
    let place = "session \(session), request for exchange \(exchange): "
    let number = lostEvents + repeatedEvents
    let events = "session \(session): \(number) \(number == 1 ? "event" : "events") of exchange \(exchange)"
    switch kind {
    case .eventsLost:
      return "\(events) behind the cut lost, since those before it have no IDs that a client could send back"
    case .eventsRepeated:
      return "\(events) before the cut sent again, since the request names no event to go on after"
    case .missingLastEventID: return place + "no Last-Event-ID, but ‘\(expected)’ was received"
    case .unexpectedLastEventID: return place + "Last-Event-ID ‘\(sent)’, but no ID was received"
    default: return place + "Last-Event-ID ‘\(sent)’ instead of ‘\(expected)’"
    }
  }
}
