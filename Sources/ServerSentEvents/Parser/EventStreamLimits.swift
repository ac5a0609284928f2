// What bounds the parser's memory, and the error when a stream goes past it.

extension EventStreamParser {
  /// How much of one line and one event the parser holds, and what happens past that.
  ///
  /// Without limits a peer that never ends a line takes all memory there is. With them the parser holds at most
  /// ``line`` + ``event`` bytes and the last event ID, whatever arrives.
  public struct Limits: Hashable, Sendable {
    /// What happens when a limit is passed.
    public enum Policy: Hashable, Sendable {
      /// The parser reports ``EventStreamParser/Output/failed(_:)`` and stays failed until it is reset.
      case fail
      /// The rest of the block is skipped and ``EventStreamParser/Output/dropped(bytes:)`` reported at its blank line.
      case skipEvent
    }

    /// The longest line in bytes, without its line end.
    public var line: Int
    /// The most bytes that one block's data (lines joined with LF), event name and id may have together.
    public var event: Int
    /// What happens past a limit.
    public var policy: Policy

    /// 16 MiB for a line and for an event: an image in base64 from an LLM fits many times over (the longest line
    /// seen from a public server had 100 KB), and a phone still holds it.
    public static let `default` = Limits()

    /// Creates limits. Both must be positive.
    public init(line: Int = 16 << 20, event: Int = 16 << 20, policy: Policy = .fail) {
      precondition(line > 0 && event > 0, "the limits of an event stream must be positive")
      self.line = line
      self.event = event
      self.policy = policy
    }
  }
}

/// A line or an event that is longer than the parser's limits allow.
public struct EventStreamLimitError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which limit was passed.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the limit.
    public let description: String
    /// A line longer than ``EventStreamParser/Limits/line``.
    public static let lineTooLong = Code(description: "line")
    /// A block with more than ``EventStreamParser/Limits/event`` bytes.
    public static let eventTooLarge = Code(description: "event")
  }

  /// Which limit was passed.
  public let code: Code
  /// The limit in bytes.
  public let limit: Int
  /// How many bytes of the stream there are up to and including the first one too many.
  public let offset: Int

  /// An error as the parser reports it: for tests, and for other readings of a stream that keep the same limits.
  public init(code: Code, limit: Int, offset: Int) {
    self.code = code
    self.limit = limit
    self.offset = offset
  }

  /// What happened, where, and what to do.
  public var description: String {
    "the \(code) that reaches byte \(offset) of the event stream is longer than \(limit) bytes; "
      + "raise the parser's \(code) limit, or let it skip such events, if the server means it"
  }
}
