// Why an event could not be written. Apart from the encoder, so that callers find what they can switch over.

/// What kept ``EventStreamEncoder`` from writing an event: a value that the format cannot carry.
///
/// Equality compares the ``code`` alone.
public struct EventStreamEncodingError: Error, Sendable {
  /// The kinds of refusal. More may be added: switch with a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The name of the code.
    public let description: String

    /// The name holds CR or LF: what follows it would be read as another field.
    public static let lineEndInName = Code(description: "lineEndInName")
    /// The ID holds CR or LF: what follows it would be read as another field.
    public static let lineEndInID = Code(description: "lineEndInID")
    /// The ID holds NUL: every reader ignores such an `id` field.
    public static let nulInID = Code(description: "nulInID")
    /// The reconnection time is negative: every reader ignores such a `retry` field.
    public static let negativeRetry = Code(description: "negativeRetry")
  }

  /// What is wrong.
  public let code: Code
  /// Where the value stops being writable: its offset in UTF-8 bytes, or 0 where the whole value is at fault.
  public let offset: Int

  init(_ code: Code, offset: Int = 0) {
    self.code = code
    self.offset = offset
  }
}

extension EventStreamEncodingError: Hashable {
  /// Whether both refuse for the same reason.
  public static func == (a: EventStreamEncodingError, b: EventStreamEncodingError) -> Bool {
    a.code == b.code
  }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension EventStreamEncodingError: CustomStringConvertible {
  /// The place and the next step; the value itself is left out, since it may be confidential.
  public var description: String {
    switch code {
    case .lineEndInName:
      "The event name holds a line end at byte \(offset). Remove it: it would begin another field."
    case .lineEndInID:
      "The event ID holds a line end at byte \(offset). Remove it: it would begin another field."
    case .nulInID:
      "The event ID holds NUL at byte \(offset). Encode the ID without it: readers ignore an ID with NUL."
    case .negativeRetry:
      "The reconnection time is negative. Give milliseconds from 0 on, or none."
    default:
      "The event cannot be written: \(code)."
    }
  }
}
