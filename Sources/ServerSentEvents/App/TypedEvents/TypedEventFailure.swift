// What may be said about a payload that can't be decoded. It goes to logs and telemetry, so nothing of the payload is
// in it: no value, and of its keys only one that the app's own type asked for in vain.

/// An event whose payload is not what its type promises.
public struct TypedEventFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong. More codes may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name.
    public let description: String
    /// The payload lacks a member that the type needs.
    public static let missingKey = Code(description: "missing key")
    /// The payload has a member of another type.
    public static let wrongType = Code(description: "wrong type")
    /// The payload has `null` where the type needs a value.
    public static let missingValue = Code(description: "missing value")
    /// The payload is not valid JSON, or holds a value that can't be read, a date of another format for instance.
    public static let corrupt = Code(description: "corrupt")
    /// The decoder threw an error of its own.
    public static let other = Code(description: "other")
  }

  /// What was wrong.
  public let code: Code
  /// The event's type, which is a name that the app knows: it asked for it.
  public let eventType: String
  /// The payload's length in bytes.
  public let payloadBytes: Int
  /// What the app's type expected and how deep in the payload, in words of the app's own types.
  public let detail: String

  /// Describes a decoding error without its content.
  public init(_ event: ServerSentEvent, _ error: any Error) {
    eventType = event.type
    payloadBytes = event.data.utf8.count
    // Paths are given by depth: in a dictionary the keys on the way are content. Debug descriptions quote values.
    switch error {
    case DecodingError.keyNotFound(let key, let context):
      code = .missingKey
      detail = "no member '\(key.stringValue)' at depth \(context.codingPath.count)"
    case DecodingError.typeMismatch(let type, let context):
      code = .wrongType
      detail = "expected \(type) at depth \(context.codingPath.count)"
    case DecodingError.valueNotFound(let type, let context):
      code = .missingValue
      detail = "expected \(type), found null, at depth \(context.codingPath.count)"
    case DecodingError.dataCorrupted(let context):
      code = .corrupt
      detail = "a value at depth \(context.codingPath.count) can't be read"
    default:
      code = .other
      detail = "the decoder threw \(type(of: error))"
    }
  }

  /// What happened to which event, without its content, and what to do.
  public var description: String {
    let size = payloadBytes == 1 ? "1 byte" : "\(payloadBytes) bytes"
    return "an event of type '\(eventType)' with \(size) could not be decoded (\(code): \(detail)); "
      + "it was skipped; compare the type with what the server sends"
  }
}
