// What a resume sweep found wrong with a client.

/// A break after which a client asked for events again, or for fewer than it lacks.
public struct ResumeFinding: Hashable, Sendable, CustomStringConvertible {
  /// The number of the pass, from 1.
  public let pass: Int
  /// After how many bytes of the stream the connection was cut.
  public let offset: Int
  /// The ID of the last event that was complete then; empty for none.
  public let expected: String
  /// The `Last-Event-ID` that came; empty for none.
  public let sent: String
  /// Whether no event of the stream has the ID that came. The stream begins anew then.
  public let isUnknown: Bool
  /// The numbers of the events that the client will never get, from 1.
  public let lost: Range<Int>
  /// The numbers of the events that it gets again.
  public let repeated: Range<Int>

  /// The finding in a sentence.
  public var description: String {
    func id(_ text: String) -> String { text.isEmpty ? "no Last-Event-ID" : "Last-Event-ID ‘\(text)’" }
    func events(_ range: Range<Int>) -> String {
      range.count == 1 ? "event \(range.lowerBound)" : "events \(range.lowerBound) to \(range.upperBound - 1)"
    }
    var text =
      "pass \(pass), cut after byte \(offset): \(id(sent))\(isUnknown ? ", which no event has," : "") instead of "
      + id(expected)
    if !lost.isEmpty { text += "; \(events(lost)) lost" }
    if !repeated.isEmpty { text += "; \(events(repeated)) repeated" }
    return text
  }
}
