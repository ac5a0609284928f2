// What a correct parser drops without a word, and a person would want to know.

/// Something in a body that the standard makes a client ignore, though it probably means a fault.
public struct StreamWarning: Hashable, Sendable {
  /// The kind of thing found.
  public struct Code: Hashable, Sendable {
    /// The code's name.
    public let name: String
    /// A line whose field the standard doesn't know. Errors of servers and proxies hide there.
    public static let unknownField = Code(name: "unknownField")
    /// A last block without its blank line: its event is discarded.
    public static let unfinishedBlock = Code(name: "unfinishedBlock")
    /// Something other than comments after `data: [DONE]`.
    public static let afterEndMark = Code(name: "afterEndMark")
    /// Bytes that aren't UTF-8: each is replaced by U+FFFD.
    public static let invalidUTF8 = Code(name: "invalidUTF8")
    /// An `id` that holds NUL is ignored.
    public static let nulInID = Code(name: "nulInID")
    /// A `retry` that isn't all ASCII digits is ignored.
    public static let badRetry = Code(name: "badRetry")
    /// A comment that begins like an HTTP error, as proxies write it when they give up.
    public static let errorComment = Code(name: "errorComment")
    /// The body is JSON or HTML under the event-stream type.
    public static let notAnEventStream = Code(name: "notAnEventStream")
    /// A line or an event longer than the default limits of the parser: a client gives up, and what follows is lost.
    public static let overLimit = Code(name: "overLimit")
    /// The response was an error, though its type is an event stream.
    public static let errorStatus = Code(name: "errorStatus")
  }

  /// The kind of thing found.
  public let code: Code
  /// Where it begins, in bytes from the start of the exchange's body.
  public let offset: Int
  /// What was found, for people. It names fields, never payloads.
  public let what: String

  /// Creates a warning.
  public init(_ code: Code, at offset: Int, _ what: String) {
    self.code = code
    self.offset = offset
    self.what = what
  }
}
