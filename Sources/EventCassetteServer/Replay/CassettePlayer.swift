// Carries out the answers of a replay server: routes requests, waits by the clock, sends, and tells the sessions how it
// went.

import EventCassettes
import ServerSentEvents

final class CassettePlayer: Sendable {
  private struct State {
    var sessions: ReplaySessions
    var findings: [ClientFinding] = []
    /// The indices of the faults that had their effect.
    var faults: Set<Int> = []
  }

  private let state: Locked<State>
  private let clock: any EventStreamClock
  private let onFinding: @Sendable (ClientFinding) -> Void
  private let page: ReplayPage?
  /// The faults, each with the reason why it can't happen, if there is one.
  private let faults: [UnusedFault]

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
    faults = options.faults.map { UnusedFault(fault: $0, obstacle: $0.obstacle(in: exchanges)) }
    page = options.servesPage ? ReplayPage(exchanges: exchanges, faults: options.faults) : nil
    state = Locked(
      State(
        sessions: ReplaySessions(
          exchanges: exchanges, faults: options.faults, speed: options.speed, loops: options.loops,
          settle: options.resetSettle)))
  }

  var findings: [ClientFinding] { state.withLock { $0.findings } }
  var unusedFaults: [UnusedFault] {
    let used = state.withLock { $0.faults }
    return faults.indices.filter { !used.contains($0) }.map { faults[$0] }
  }
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
      state.findings += turn.findings
      return turn
    }
    turn.findings.forEach(onFinding)
    guard let answer = turn.answer else { return try await response.send(ScriptedResponse(status: 204)) }
    var progress = Progress(ids: DeliveredIDs(after: turn.before, isEventStream: false))
    do {
      try await send(answer, to: request, response, from: start, turn: turn, &progress)
    } catch {
      // One that leaves where a fault made it wait lost its patience; any other had enough.
      let isCutShort = !progress.isComplete && !progress.faults.isDisjoint(with: answer.slowing)
      end(turn, progress.ending(isLossy: true, isCutShort: isCutShort, clientLeft: true))
      throw error
    }
  }

  /// How far an answer has come.
  private struct Progress {
    var ids: DeliveredIDs
    var faults: Set<Int> = []
    var sent = 0
    /// Whether all was sent but the end.
    var isComplete = false

    func ending(isLossy: Bool, isCutShort: Bool, clientLeft: Bool = false) -> ReplaySessions.Ending {
      ReplaySessions.Ending(
        expected: ids.expected(isLossy: isLossy), faults: faults, isCutShort: isCutShort, sent: sent,
        events: ids.events, clientLeft: clientLeft)
    }
  }

  private func send(
    _ answer: AnswerScript, to request: HTTPRequest, _ response: ResponseWriter, from start: Duration,
    turn: ReplaySessions.Turn, _ progress: inout Progress
  ) async throws {
    // Chunked coding is what keeps each chunk one chunk; HTTP/1.0 has none.
    let isChunked = request.version == .http11
    var due = start
    for step in answer.steps {
      due += step.wait
      note(step.faults, in: &progress)
      if step.wait > .zero { try await response.pause(until: due) }
      switch step.action {
      case .head(let head, let splitAt, let pause):
        progress.ids = DeliveredIDs(after: turn.before, isEventStream: head.isEventStream)
        try await response.connection.sendHead(
          version: request.version, status: head.status, headers: head.headers,
          framing: isChunked && head.headers["Content-Length"] == nil ? .chunked : .connection, length: 0,
          splitAt: splitAt, pause: pause)
        due += splitAt == nil ? .zero : pause
      case .body(let bytes):
        progress.ids.append(bytes)
        progress.sent = step.sent
        try await response.send(bytes)
      case .raw(let bytes):
        if isChunked { try await response.sendRaw(bytes) }
      case .end(let ending):
        progress.isComplete = true
        // Before the client can see the end and come back.
        if ending != .hang {
          end(turn, progress.ending(isLossy: ending.isLossy, isCutShort: answer.isCutShort))
        }
        try await response.end(ending)
      }
    }
  }

  private func note(_ faults: [Int], in progress: inout Progress) {
    guard !faults.isEmpty else { return }
    progress.faults.formUnion(faults)
    state.withLock { $0.faults.formUnion(faults) }
  }

  private func end(_ turn: ReplaySessions.Turn, _ ending: ReplaySessions.Ending) {
    let now = clock.now
    state.withLock { $0.sessions.end(turn, ending, at: now) }
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
}
