// The one error of the client: what ended a connection, or the whole event source. Nothing but that lives here.

/// What ended a connection or an event source.
///
/// Two errors are equal if their codes are: texts, statuses and bodies are for people.
public struct EventSourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of an error. More may be added.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, stable, for logs.
    public let description: String

    /// The server ended the response properly.
    public static let streamEnded = Code(description: "streamEnded")
    /// The server answered 204: it wants no further connections.
    public static let noContent = Code(description: "noContent")
    /// The server answered with a status that is not 200.
    public static let badStatus = Code(description: "badStatus")
    /// The server answered 200 with another content type than `text/event-stream`.
    public static let badContentType = Code(description: "badContentType")
    /// The body broke off before its end.
    public static let truncated = Code(description: "truncated")
    /// The peer reset the connection.
    public static let reset = Code(description: "reset")
    /// Nothing arrived for longer than the idle timeout.
    public static let timedOut = Code(description: "timedOut")
    /// The connection was closed underneath the client, for instance by invalidating its session.
    public static let cancelled = Code(description: "cancelled")
    /// No connection could be made.
    public static let unreachable = Code(description: "unreachable")
    /// The secure connection could not be made.
    public static let tls = Code(description: "tls")
    /// The peer broke HTTP, or redirected without a usable place or too often.
    public static let `protocol` = Code(description: "protocol")
    /// The transport failed in a way that it has no name for.
    public static let unknown = Code(description: "unknown")
    /// A line or an event was longer than the parser's limits.
    public static let limitExceeded = Code(description: "limitExceeded")
    /// A one-shot stream brought more than its consumer took in time.
    public static let bufferOverflow = Code(description: "bufferOverflow")
  }

  /// The most bytes of an error response's body that are kept: enough for any API's JSON error, too little to hurt.
  public static let longestBody = 4096

  /// The most bytes of it that the description shows.
  private static let shownBody = 200

  /// What happened.
  public let code: Code
  /// The status of the response, if there was one.
  public let status: Int?
  /// The transport's own words, or the content type or limit that was wrong. For people; may be empty.
  public let detail: String
  /// The first bytes of an error response's body, at most ``longestBody``.
  public internal(set) var body: [UInt8]

  /// Creates an error.
  public init(_ code: Code, status: Int? = nil, detail: String = "", body: [UInt8] = []) {
    self.code = code
    self.status = status
    self.detail = detail
    self.body = Array(body.prefix(Self.longestBody))
  }

  /// How a connection ended, as an error.
  init(_ end: ConnectionEnd, status: Int?, detail: String) {
    let code: Code =
      switch end {
      case .complete: .streamEnded
      case .truncated: .truncated
      case .reset: .reset
      case .timedOut: .timedOut
      case .cancelled: .cancelled
      case .unreachable: .unreachable
      case .tls: .tls
      case .protocol: .protocol
      case .unknown: .unknown
      }
    self.init(code, status: status, detail: detail)
  }

  /// Equal codes make equal errors.
  public static func == (a: EventSourceError, b: EventSourceError) -> Bool { a.code == b.code }

  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }

  /// What happened, and what to do about it.
  public var description: String {
    let place = detail.isEmpty ? "" : " (\(detail))"
    let answered = status.map { "the server answered \($0)" } ?? "the server answered"
    switch code {
    case .streamEnded: return "the server ended the stream\(place)"
    case .noContent:
      return "\(answered): it wants no further connections; open a new event source to ask again"
    case .badStatus:
      if let status, !detail.isEmpty, !(300..<400).contains(status) {
        // The transport answered by itself and says why: there is no server to look at.
        return "\(status) instead of an event stream: \(detail)"
      }
      return
        "\(answered)\(place), which is no event stream; check the URL, the credentials and the error's body\(bodyText)"
    case .badContentType:
      return
        "\(answered) with content type \(detail.isEmpty ? "missing" : detail), not text/event-stream; check the URL\(bodyText)"
    case .truncated:
      return "the stream broke off before its end\(place); what came is incomplete: ask again"
    case .reset:
      return
        "the server reset the connection\(place); ask again, and look into the server's log if it stays so"
    case .timedOut:
      return
        "nothing arrived for longer than the idle timeout\(place); set it above twice the server's heartbeat"
    case .cancelled:
      return
        "the connection was cancelled underneath the event source\(place); keep its session valid as long as it runs"
    case .unreachable: return "the server can't be reached\(place); check the address and the network"
    case .tls: return "the secure connection failed\(place); check the server's certificate"
    case .protocol:
      return "the server broke the protocol\(place); `curl -iN` shows what it sends"
    case .limitExceeded: return detail
    case .bufferOverflow:
      return
        "the stream brought more than its consumer took in time\(place); take events faster or raise the buffer"
    default: return "the connection failed\(place); ask again, and look into the server's log if it stays so"
    }
  }

  /// The beginning of the body, on one line: what a server says of an error is mostly the best hint there is.
  private var bodyText: String {
    guard !body.isEmpty else { return "" }
    // A character that the limit cuts in two is left out.
    let isCut = body.count > Self.shownBody
    var end = min(body.count, Self.shownBody)
    while isCut, end > 0, body[end] & 0xC0 == 0x80 { end -= 1 }
    var text = ""
    for scalar in String(decoding: body[..<end], as: UTF8.self).unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: text += " "
      case _: text.unicodeScalars.append(scalar)
      }
    }
    return "; it begins with: \(text)\(isCut ? "…" : "")"
  }
}
