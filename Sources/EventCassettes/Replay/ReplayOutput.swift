// What a replay tells, as values: the client's own signals and states with their place in the session, and findings.

public import ServerSentEvents

/// One thing that happened in a replay.
public struct ReplayOutput: Hashable, Sendable {
  /// What happened.
  public enum What: Hashable, Sendable {
    /// What the client would have handed to its consumer.
    case signal(EventSourceSignal)
    /// Where the client stands from here on.
    case state(EventSourceState)
    /// The client of the replay and the recorded one part ways.
    case finding(ReplayFinding)
  }

  /// The exchange it belongs to: the one begun last, from 1; 0 before the first.
  public var exchange: Int
  /// Virtual time since the replay's beginning. At the recorded delays, but reconnections are the client's own.
  public var at: Duration
  /// What happened.
  public var what: What

  /// ``at`` in whole microseconds.
  public var microseconds: Int64 {
    let (seconds, attoseconds) = at.components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
    return overflow ? .max : product.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
  }
}

/// A difference between the recorded client and the one of the replay.
public struct ReplayFinding: Hashable, Sendable, CustomStringConvertible {
  /// The kinds of differences. More may be added.
  public struct Kind: Hashable, Sendable, CustomStringConvertible {
    /// The kind's name, stable.
    public let description: String
    /// A request's `Last-Event-ID` is not the recorded one.
    public static let lastEventID = Kind(description: "lastEventID")
    /// The recorded client closed a connection and went on; this one does not close it.
    public static let cancelNotMade = Kind(description: "cancelNotMade")
    /// The recorded client made a connection that this one never makes.
    public static let exchangeNotRequested = Kind(description: "exchangeNotRequested")
  }

  /// The kind of difference.
  public let kind: Kind
  /// The exchange in which it shows, from 1.
  public let exchange: Int
  /// What the recording has, for people.
  public let recorded: String
  /// What the replay has, for people.
  public let replayed: String

  /// The whole of it in a sentence.
  public var description: String {
    "exchange \(exchange): recorded \(recorded), replayed \(replayed)"
  }
}
