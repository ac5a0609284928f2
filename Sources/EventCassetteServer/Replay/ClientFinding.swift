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

    /// The kind's name.
    public var description: String { name }
  }

  /// What kind of finding it is.
  public let kind: Kind
  /// The number of the client session, from 1.
  public let session: Int
  /// The exchange that the request got, from 1.
  public let exchange: Int
  /// The ID that was expected; empty for none.
  public let expected: String
  /// The ID that was sent; empty for none.
  public let sent: String

  /// The finding in a sentence.
  public var description: String {
    let place = "session \(session), request for exchange \(exchange): "
    switch kind {
    case .missingLastEventID: return place + "no Last-Event-ID, but ‘\(expected)’ was received"
    case .unexpectedLastEventID: return place + "Last-Event-ID ‘\(sent)’, but no ID was received"
    default: return place + "Last-Event-ID ‘\(sent)’ instead of ‘\(expected)’"
    }
  }
}
