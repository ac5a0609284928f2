// One request on its way through the proxy: find its cassette, ask upstream, pass on what comes, fact by fact.

import EventCassettes
import ServerSentEvents

final class ProxyForwarder: Sendable {
  private let upstream: HTTPOrigin
  private let directory: String
  private let options: RecordingProxy.Options
  private let connecting: (@Sendable () -> UpstreamConnection)?
  private let clock: any EventStreamClock
  private let header: @Sendable () -> Cassette.Header
  private let onCassette: @Sendable (String) -> Void
  private let sessions: Locked<ProxySessions>
  private let failures = Locked<[CassetteError]>([])
  /// How often data was masked whole on finished cassettes, since a pattern took too long.
  let unsearched = Locked<Int64>(0)

  /// Bytes that may wait for a slow client.
  static let mostOutstanding = 1 << 20

  init(
    upstream: HTTPOrigin, directory: String, options: RecordingProxy.Options,
    connecting: (@Sendable () -> UpstreamConnection)?, clock: any EventStreamClock,
    header: @escaping @Sendable () -> Cassette.Header, onCassette: @escaping @Sendable (String) -> Void
  ) {
    self.upstream = upstream
    self.directory = directory
    self.options = options
    self.connecting = connecting
    self.clock = clock
    self.header = header
    self.onCassette = onCassette
    sessions = Locked(ProxySessions(most: max(options.mostSessions, 1)))
  }

  func finish() async -> [CassetteError] {
    for session in sessions.withLock({ $0.removeAll() }) { await finish(session.recording) }
    return failures.withLock { $0 }
  }

  private func finish(_ recording: CassetteRecording) async {
    do throws(CassetteError) {
      try await recording.finish()
    } catch {
      failures.withLock { $0.append(error) }
    }
    let places = await recording.redaction?.unsearched ?? 0
    unsearched.withLock { $0 += places }
  }

  func forward(_ request: HTTPRequest, _ response: ResponseWriter) async throws {
    guard request.method != "CONNECT", request.pathAndQuery.hasPrefix("/") else {
      return try await refuse(400, "a reverse proxy takes requests for paths", response)
    }
    let outgoing = outgoing(request)
    let session: ProxySessions.Session
    do {
      guard let found = try await self.session(for: request, outgoing, response) else {
        return try await refuse(503, "as many clients as may be are being recorded", response)
      }
      session = found
    } catch let error as CassetteError {
      failures.withLock { $0.append(error) }
      return try await refuse(500, "can't record: \(error)", response)
    }
    defer { sessions.withLock { $0.release(session.number) } }
    let credit = SendingCredit(limit: Self.mostOutstanding)
    defer { credit.end() }
    let connection =
      connecting?()
      ?? UpstreamConnection(
        SocketTransport(loop: response.connection.loop, clock: clock, credit: credit), passedOn: credit.refund
      )
    let facts = recorded(connection.transport, by: session.recording).connect(outgoing)
    try await passOn(facts, request, response, connection.passedOn)
    try Task.checkCancellation()
  }

  private func recorded(
    _ base: some EventStreamTransport, by recording: CassetteRecording
  ) -> RecordingTransport {
    recording.transport(around: base)
  }

  private func outgoing(_ request: HTTPRequest) -> EventStreamRequest {
    var target = String(request.pathAndQuery)
    if upstream.target != "/" {
      target =
        (upstream.target.hasSuffix("/") ? String(upstream.target.dropLast()) : upstream.target) + target
    }
    let fields = request.fields.map { HeaderField($0.name, $0.value) }
    return EventStreamRequest(
      method: request.method, url: "\(upstream.scheme)://\(upstream.authority)\(target)",
      // The body is whole here, so its length is known; whoever waited for 100 Continue has got it.
      headers: fields.forwarded(without: ["Host", "Content-Length", "Expect"]), body: request.body)
  }

  // MARK: Cassettes

  private func session(
    for request: HTTPRequest, _ outgoing: EventStreamRequest, _ response: ResponseWriter
  ) async throws -> ProxySessions.Session? {
    let host = response.connection.peer.host.map(String.init).joined(separator: ".")
    let key = [request.method, outgoing.url, host, outgoing.headers["User-Agent"] ?? ""].joined(
      separator: "\n")
    // Nothing else tells a client that came back from the next one that asks for the same.
    let isReconnect = outgoing.headers["Last-Event-ID"]?.isEmpty == false
    switch sessions.withLock({ $0.place(key: key, isReconnect: isReconnect) }) {
    case .existing(let session): return session
    case .full: return nil
    case .new(let number, let closing):
      if let closing { await finish(closing.recording) }
      let (path, recording) = try create(number, request)
      let session = ProxySessions.Session(number: number, key: key, path: path, recording: recording)
      sessions.withLock { $0.add(session) }
      onCassette(path)
      return session
    }
  }

  /// A new cassette under a name that says what it holds, past those that exist.
  private func create(_ number: Int, _ request: HTTPRequest) throws(CassetteError) -> (
    String, CassetteRecording
  ) {
    let last = request.path.split(separator: "/").last.map(String.init) ?? "root"
    let safe = last.unicodeScalars.prefix(40).map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        ? Character(scalar) : "-"
    }
    let folder = directory.hasSuffix("/") ? directory : directory + "/"
    let stem = "\(folder)\(request.method.prefix(10))-\(String(safe))-"
    var suffix = number
    while true {
      let path = stem + String(repeating: "0", count: max(4 - String(suffix).count, 0)) + "\(suffix).cassette"
      do throws(CassetteError) {
        return (
          path,
          try CassetteRecording(
            creating: path, header: header(), redaction: options.redaction, clock: clock)
        )
      } catch {
        guard error.code == .exists || error.code == .inUse, suffix < number + 10_000 else { throw error }
        suffix += 1
      }
    }
  }

  // MARK: Passing on

  private func passOn(
    _ facts: AsyncStream<StampedTransportFact>, _ request: HTTPRequest, _ response: ResponseWriter,
    _ passedOn: @Sendable (Int) -> Void
  ) async throws {
    var (hasHead, hasEnded) = (false, false)
    for await fact in facts {
      switch fact.fact {
      case .redirect: break  // a transport that follows by itself shows the last answer
      case .response(let head):
        hasHead = true
        try await send(head, to: request, response)
      case .bytes(let bytes):
        try await response.send(bytes)
        passedOn(bytes.count)
      case .ended(let cause, let detail):
        hasEnded = true
        if hasHead {
          try await response.end(
            cause == .complete ? .close : cause == .reset ? .reset(after: .milliseconds(100)) : .cut)
        } else {
          try await refuse(cause == .timedOut ? 504 : 502, detail.isEmpty ? cause.rawValue : detail, response)
        }
      }
    }
    // Without a word on the end it is none.
    if !hasEnded, !Task.isCancelled { try await response.end(.cut) }
  }

  private func send(_ head: EventStreamResponse, to request: HTTPRequest, _ response: ResponseWriter)
    async throws
  {
    let headers = head.headers.forwarded(
      without: head.contentDecoded ? ["Content-Length", "Content-Encoding"] : [])
    // The length stays where there is one; otherwise our own chunks.
    let framing: ScriptedResponse.Framing =
      headers["Content-Length"] == nil && request.version == .http11 ? .chunked : .connection
    try await response.sendHead(
      version: request.version, status: head.status, headers: headers, framing: framing)
  }

  private func refuse(_ status: Int, _ reason: String, _ response: ResponseWriter) async throws {
    try await response.send(
      ScriptedResponse(
        status: status, headers: [HeaderField("Content-Type", "text/plain; charset=utf-8")],
        chunks: [.init("wiretape proxy: \(reason)\n")], framing: .length()))
  }
}
