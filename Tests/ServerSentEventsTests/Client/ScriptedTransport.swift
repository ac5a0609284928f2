// A transport whose far end is the test: it gets each connection as it is opened and says what comes of it.

import ServerSentEvents

struct ScriptedTransport: EventStreamTransport {
  /// One connection, seen from the far end.
  struct Connection: Sendable {
    let request: EventStreamRequest
    private let continuation: AsyncStream<StampedTransportFact>.Continuation
    private let closings: AsyncStream<Void>

    init(_ request: EventStreamRequest, _ continuation: AsyncStream<StampedTransportFact>.Continuation) {
      self.request = request
      self.continuation = continuation
      let (closings, closing) = AsyncStream.makeStream(of: Void.self)
      self.closings = closings
      continuation.onTermination = { _ in closing.finish() }
    }

    /// Accepts the request as an event stream and sends a text.
    func accept(_ text: String = "") {
      send(.response(accepted))
      if !text.isEmpty { send(text) }
    }

    func send(_ text: String) { send(.bytes(Array(text.utf8))) }

    func send(_ fact: EventStreamTransportFact) {
      continuation.yield(StampedTransportFact(at: .zero, fact))
    }

    func end(_ end: ConnectionEnd = .complete) {
      send(.ended(end, detail: ""))
      continuation.finish()
    }

    /// Ends the sequence of facts without a last one.
    func finish() { continuation.finish() }

    /// Returns when the client has closed the connection.
    func closed() async {
      for await _ in closings {}
    }
  }

  private let opened: AsyncStream<Connection>
  private let opening: AsyncStream<Connection>.Continuation

  init() {
    (opened, opening) = AsyncStream.makeStream(of: Connection.self)
  }

  /// The next connection that is opened. One caller at a time.
  func connection() async throws -> Connection {
    for await connection in opened { return connection }
    throw CancellationError()
  }

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    opening.yield(Connection(request, continuation))
    return stream
  }
}
