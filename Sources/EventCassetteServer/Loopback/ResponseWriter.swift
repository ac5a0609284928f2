// A handler's way to answer: each call is one thing that a client can notice. A thin public face of the connection.

public import ServerSentEvents

/// Sends the answer to one request.
///
/// Calls wait until the system has taken the bytes. They throw ``LoopbackServerError`` (`clientClosed`) once the client
/// is gone; the handler's task is cancelled then as well. A handler that returns without one of the endings has its
/// answer ended properly.
public struct ResponseWriter: Sendable {
  let connection: ServerConnection

  /// Sends the status line and header fields. `length` is the Content-Length where `framing` wants one (its `extra` is
  /// added).
  public func sendHead(
    version: HTTPVersion = .http11, status: Int = 200, headers: [HeaderField] = [],
    framing: ScriptedResponse.Framing = .chunked, length: Int = 0
  ) async throws {
    try await connection.sendHead(
      version: version, status: status, headers: headers, framing: framing, length: length)
  }

  /// Sends one piece of the body, in one call to the system; as one HTTP chunk where the framing is chunked. No bytes
  /// send nothing.
  public func send(_ bytes: [UInt8]) async throws {
    try await connection.sendChunk(bytes)
  }

  /// Sends the UTF-8 of a text as one piece of the body.
  public func send(_ text: String) async throws {
    try await connection.sendChunk(Array(text.utf8))
  }

  /// Sends bytes as they are, without framing: for answers that are to be wrong.
  public func sendRaw(_ bytes: [UInt8]) async throws {
    try await connection.sendRaw(bytes)
  }

  /// Waits, by the server's clock. Throws `CancellationError` when the client is gone or the server stopped.
  public func pause(_ duration: Duration) async throws {
    try await connection.pause(until: connection.clock.now + duration)
  }

  /// Waits until a moment of the server's clock, as ``pause(_:)``.
  public func pause(until deadline: Duration) async throws {
    try await connection.pause(until: deadline)
  }

  /// Ends the answer properly: the last chunk if it is chunked, then the end of the connection.
  public func finish() async throws {
    try await connection.finish()
  }

  /// Ends the connection without ending the answer.
  public func cut() async {
    await connection.cut()
  }

  /// Resets the connection (TCP RST). The system may throw away what the client hasn't read yet.
  public func reset() async {
    await connection.reset()
  }

  /// Waits until the client closes the connection: throws `CancellationError` then.
  public func hang() async throws {
    try await connection.hang()
  }

  /// Sends a whole scripted response.
  public func send(_ response: ScriptedResponse) async throws {
    if let status = response.status {
      var length = response.bodyLength
      if case .length(let extra) = response.framing {
        let (sum, isOver) = length.addingReportingOverflow(extra)
        length = isOver ? .max : Swift.max(sum, 0)
      }
      try await sendHead(
        version: response.version, status: status, headers: response.headers, framing: response.framing,
        length: length)
      for chunk in response.chunks {
        for _ in 0..<Swift.max(chunk.times, 0) {
          if chunk.delay > .zero { try await pause(chunk.delay) }
          try await send(chunk.bytes)
        }
      }
    }
    try await end(response.ending)
  }

  /// Ends the answer in one of the four ways.
  public func end(_ ending: ScriptedResponse.Ending) async throws {
    switch ending {
    case .close: try await finish()
    case .cut: await cut()
    case .reset(let settle):
      if settle > .zero { try await pause(settle) }
      await reset()
    case .hang: try await hang()
    }
  }
}
