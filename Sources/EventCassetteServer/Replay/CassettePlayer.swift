// Carries out the answers of a replay server: routes requests, waits by the clock, sends, and tells the sessions how it
// went.

import EventCassettes
import ServerSentEvents

final class CassettePlayer: Sendable {
  private struct State {
    var sessions: ReplaySessions
    var findings: [ClientFinding] = []
  }

  private let state: Locked<State>
  private let clock: any EventStreamClock
  private let onFinding: @Sendable (ClientFinding) -> Void
  private let page: ReplayPage?

  init(
    _ cassette: Cassette, options: CassetteServer.Options, clock: any EventStreamClock,
    onFinding: @escaping @Sendable (ClientFinding) -> Void
  ) throws(CassetteServerError) {
    guard !cassette.exchanges.isEmpty else {
      throw CassetteServerError(
        code: .noExchanges, description: "the cassette holds no exchange: record one first")
    }
    guard options.boundaries != .each else {
      throw CassetteServerError(
        code: .unusablePlan,
        description: "plan ‘each’ is many replays, not one: give a single split as at:OFFSET")
    }
    if case .times(let factor) = options.speed, !(factor > 0 && factor.isFinite) {
      throw CassetteServerError(
        code: .unusableSpeed, description: "speed \(factor) is no number above 0: use 1 for as recorded")
    }
    self.clock = clock
    self.onFinding = onFinding
    let exchanges = PreparedExchange.all(of: cassette, plan: options.boundaries)
    page = options.servesPage ? ReplayPage(exchanges: exchanges, faults: options.faults) : nil
    state = Locked(
      State(
        sessions: ReplaySessions(
          exchanges: exchanges, faults: options.faults, speed: options.speed, loops: options.loops,
          settle: options.resetSettle)))
  }

  var findings: [ClientFinding] { state.withLock { $0.findings } }
  var sessionCount: Int { state.withLock { $0.sessions.count } }

  func answer(_ request: HTTPRequest, _ response: ResponseWriter) async throws {
    if let refusal = request.refusal { return try await response.send(refusal) }
    if page != nil, request.path == "/verdict" {
      // The page's own report: among the exchanges, for whoever runs a browser against it.
      return try await response.send(ScriptedResponse(status: 204))
    }
    if let page, request.path == "/", !request.acceptsEventStream {
      let headers = [
        HeaderField("Content-Type", "text/html; charset=utf-8"), HeaderField("Cache-Control", "no-store"),
      ]
      return try await response.send(
        ScriptedResponse(headers: headers, chunks: [.init(page.html)], framing: .length()))
    }
    try await play(to: request, response)
  }

  private func play(to request: HTTPRequest, _ response: ResponseWriter) async throws {
    let start = clock.now
    let asked = ReplayRequest(request, peer: response.connection.peer)
    if state.withLock({ $0.sessions.isContested(asked) }) {
      // A client that has just closed and comes back may be here before its close is noticed: look at the sockets
      // once more. Real time, since it is about real sockets.
      _ = await response.connection.loop.wait(until: SystemEventStreamClock().now + .milliseconds(5))
    }
    let turn = state.withLock { state in
      let turn = state.sessions.begin(asked, at: start)
      if let finding = turn.finding { state.findings.append(finding) }
      return turn
    }
    if let finding = turn.finding { onFinding(finding) }
    guard let answer = turn.answer else { return try await response.send(ScriptedResponse(status: 204)) }
    var ids = DeliveredIDs(after: turn.before, isEventStream: false)
    do {
      try await send(answer, to: request, response, from: start, turn: turn, ids: &ids)
    } catch {
      end(turn, ids.expected(isLossy: true), clientLeft: true)
      throw error
    }
  }

  private func send(
    _ answer: AnswerScript, to request: HTTPRequest, _ response: ResponseWriter, from start: Duration,
    turn: ReplaySessions.Turn, ids: inout DeliveredIDs
  ) async throws {
    // Chunked coding is what keeps each chunk one chunk; HTTP/1.0 has none.
    let isChunked = request.version == .http11
    var due = start
    for step in answer.steps {
      due += step.wait
      if step.wait > .zero { try await response.pause(until: due) }
      switch step.action {
      case .head(let head, let splitAt, let pause):
        ids = DeliveredIDs(after: turn.before, isEventStream: head.isEventStream)
        try await response.connection.sendHead(
          version: request.version, status: head.status, headers: head.headers,
          framing: isChunked && head.headers["Content-Length"] == nil ? .chunked : .connection, length: 0,
          splitAt: splitAt, pause: pause)
        due += splitAt == nil ? .zero : pause
      case .body(let bytes):
        ids.append(bytes)
        try await response.send(bytes)
      case .raw(let bytes):
        if isChunked { try await response.sendRaw(bytes) }
      case .end(let ending):
        // Before the client can see the end and come back.
        if ending != .hang { end(turn, ids.expected(isLossy: ending.isLossy), clientLeft: false) }
        try await response.end(ending)
      }
    }
  }

  private func end(_ turn: ReplaySessions.Turn, _ expected: ExpectedID, clientLeft: Bool) {
    let now = clock.now
    state.withLock { $0.sessions.end(turn, expecting: expected, clientLeft: clientLeft, at: now) }
  }
}

extension ScriptedResponse.Ending {
  /// Whether what was sent before may not have arrived.
  fileprivate var isLossy: Bool {
    if case .reset = self { true } else { false }
  }
}

extension HTTPRequest {
  /// The answer to what asks for no stream.
  var refusal: ScriptedResponse? {
    if method == "HEAD" || method == "OPTIONS" {
      return ScriptedResponse(status: 405, headers: [HeaderField("Allow", "GET, POST")], framing: .length())
    }
    return path == "/favicon.ico" ? ScriptedResponse(status: 404, framing: .length()) : nil
  }

  /// Whether it asks for an event stream by name.
  fileprivate var acceptsEventStream: Bool {
    fields.values(of: "Accept").contains { $0.containsASCII("text/event-stream") }
  }
}

extension ReplayRequest {
  init(_ request: HTTPRequest, peer: SocketAddress) {
    lastEventID = request.bytes(of: "Last-Event-ID") ?? []
    isEventSource = request.acceptsEventStream
    let items = (request.query ?? "").split(separator: "&")
    if let named = items.first(where: { $0.hasPrefix("session=") }) {
      key = String(named)
    } else {
      // Clients differ in what they call themselves; their ports differ from one connection to the next.
      key = [request.target, request["User-Agent"] ?? "", String(describing: peer.host)].joined(
        separator: "\n")
    }
  }
}
