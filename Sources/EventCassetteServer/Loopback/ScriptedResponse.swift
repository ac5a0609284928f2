// What a loopback server is told to answer, as data: each part of the answer that a client can notice is a field here,
// down to the cuts of the body and the way the connection ends.

public import ServerSentEvents

/// One answer of a loopback server.
///
/// ```swift
/// ScriptedResponse.eventStream("data: a\n\n", "data: b\n\n", ending: .reset(after: .milliseconds(150)))
/// ScriptedResponse(status: 503, headers: [HeaderField("Retry-After", "2")])
/// ```
public struct ScriptedResponse: Hashable, Sendable {
  /// A piece of the body that is sent on its own.
  public struct Chunk: Hashable, Sendable {
    /// The bytes; none is allowed and sends nothing.
    public var bytes: [UInt8]
    /// The pause before each sending.
    public var delay: Duration
    /// How often it is sent.
    public var times: Int

    /// Creates a chunk.
    public init(_ bytes: [UInt8], delay: Duration = .zero, times: Int = 1) {
      self.bytes = bytes
      self.delay = delay
      self.times = times
    }

    /// Creates a chunk from the UTF-8 of a text.
    public init(_ text: String, delay: Duration = .zero, times: Int = 1) {
      self.init(Array(text.utf8), delay: delay, times: times)
    }
  }

  /// How the client can tell where the body ends (RFC 9112, section 6).
  public enum Framing: Hashable, Sendable {
    /// By the end of the connection.
    case connection
    /// Chunked coding: each chunk is an HTTP chunk of its own, sent in one piece.
    case chunked
    /// A Content-Length of the chunks' bytes, and `extra` more that are never sent.
    case length(extra: Int = 0)
  }

  /// What happens after the last chunk.
  public enum Ending: Hashable, Sendable {
    /// The answer is ended properly, then the connection.
    case close
    /// The connection is closed without the last chunk, or short of the length.
    case cut
    /// The connection is reset (TCP RST) after a pause in which the client can read what was sent: a reset may
    /// overtake data.
    case reset(after: Duration = .zero)
    /// Nothing, until the client closes the connection.
    case hang
  }

  /// The version in the status line.
  public var version: HTTPVersion
  /// The status code, or `nil` to send nothing at all before the ending.
  public var status: Int?
  /// The header fields in order. `Transfer-Encoding`, `Content-Length` (by ``framing``) and `Connection: close` come
  /// after them where they aren't given here.
  public var headers: [HeaderField]
  /// The body.
  public var chunks: [Chunk]
  /// The body's framing.
  public var framing: Framing
  /// What happens after the body.
  public var ending: Ending

  /// Creates a response. No `headers` are implied but those of the framing and `Connection: close`.
  public init(
    version: HTTPVersion = .http11, status: Int? = 200, headers: [HeaderField] = [], chunks: [Chunk] = [],
    framing: Framing = .connection, ending: Ending = .close
  ) {
    self.version = version
    self.status = status
    self.headers = headers
    self.chunks = chunks
    self.framing = framing
    self.ending = ending
  }

  /// An event stream: status 200, `Content-Type: text/event-stream`, a chunk for each text.
  public static func eventStream(
    _ chunks: String..., delay: Duration = .zero, framing: Framing = .connection, ending: Ending = .close
  ) -> ScriptedResponse {
    ScriptedResponse(
      headers: [HeaderField("Content-Type", "text/event-stream")],
      chunks: chunks.map { Chunk($0, delay: delay) }, framing: framing, ending: ending)
  }

  /// An answer that sends nothing and ends the connection as said.
  public static func noResponse(_ ending: Ending) -> ScriptedResponse {
    ScriptedResponse(status: nil, ending: ending)
  }

  /// The body's bytes in all; saturates.
  var bodyLength: Int {
    chunks.reduce(0) { sum, chunk in
      let (part, over) = chunk.bytes.count.multipliedReportingOverflow(by: Swift.max(chunk.times, 0))
      let (total, overToo) = sum.addingReportingOverflow(part)
      return over || overToo ? .max : total
    }
  }
}
