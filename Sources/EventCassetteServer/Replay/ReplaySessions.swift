// Which request belongs to which client, and what that client should know: HTTP has no sessions, so they are guessed from
// what a request looks like, who is connected, and the last event ID. Pure; times and sockets are elsewhere.

import EventCassettes
import ServerSentEvents

/// The client sessions of a replay server.
struct ReplaySessions: Sendable {
  /// A session's turn to get an answer.
  struct Turn: Sendable {
    /// Its number among all turns, from 1.
    var number: Int
    var session: Int
    /// `nil`: the cassette is over for this client.
    var answer: AnswerScript?
    var before: ExpectedID
    var findings: [ClientFinding]
    /// Where the answer begins in the exchange's body.
    fileprivate var start = 0
    /// What is left if the answer is cut short; `nil` where nothing is that a client could ask for.
    fileprivate var cut: CutAnswer?
  }

  /// How a turn ended.
  struct Ending: Sendable {
    /// What the client should know now.
    var expected: ExpectedID
    /// The faults that had their effect.
    var faults: Set<Int> = []
    /// Whether one of them ended the answer before its end.
    var isCutShort = false
    /// How much of the exchange's body was sent, and how many events.
    var sent = 0
    var events = 0
    /// Whether the client closed the connection.
    var clientLeft = false
  }

  private struct Session: Sendable {
    var number: Int
    var keys: Set<String>
    /// The number of the turn that it is in.
    var turn: Int?
    var next = 0
    /// The answer whose rest comes before the next exchange.
    var cut: CutAnswer?
    /// Where a redirect sent the client.
    var redirection: (client: String, target: String)?
    var idleSince: Duration = .zero
    var expected: ExpectedID?
    var usedFaults: Set<Int> = []

    func mayBe(_ request: ReplayRequest) -> Bool { keys.contains(request.key) || isSent(here: request) }

    func isSent(here request: ReplayRequest) -> Bool {
      redirection.map { $0.client == request.client && $0.target == request.target } ?? false
    }
  }

  let exchanges: [PreparedExchange]
  let faults: [FaultSpec]
  let speed: ReplaySpeed
  let loops: Bool
  let settle: Duration
  private var sessions: [Session] = []  // in the order in which they began or ended their last turn
  private(set) var count = 0
  private var turns = 0

  /// A client that is expected to reconnect does so within this time; until then those that ended first come first.
  static let patience = Duration.seconds(15)
  /// Sessions that are remembered; beyond it the one that has been idle longest is forgotten.
  static let most = 10_000

  init(
    exchanges: [PreparedExchange], faults: [FaultSpec], speed: ReplaySpeed, loops: Bool, settle: Duration
  ) {
    self.exchanges = exchanges
    self.faults = faults
    self.speed = speed
    self.loops = loops
    self.settle = settle
  }

  /// Whether a client that looks like this one is being answered right now: it may have gone unnoticed.
  func isContested(_ request: ReplayRequest) -> Bool {
    sessions.contains { $0.mayBe(request) && $0.turn != nil }
  }

  /// Finds the session of a request, or begins one, and says what to send.
  mutating func begin(_ request: ReplayRequest, at now: Duration) -> Turn {
    var session = take(for: request, at: now)
    let (start, harm) = resume(&session, for: request)
    turns += 1
    if session.cut == nil, session.next == exchanges.count {
      guard loops else {
        // Who is no event source has no use for being told that it is over.
        guard request.isEventSource else { return begin(request, at: now) }
        return Turn(
          number: turns, session: session.number, answer: nil, before: ExpectedID(),
          findings: harm.map { [$0] } ?? [])
      }
      session.next = 0
    }
    let index = session.cut?.index ?? session.next
    let exchange = exchanges[index]
    let mistake = finding(for: request, in: session, exchange)
    // What was accepted is what the client has.
    let before = (mistake == nil ? nil : session.expected) ?? ExpectedID(last: request.lastEventID)
    let answer = AnswerScript(
      exchange.rest(from: start), faults: place(faults, in: exchange, from: start, session), speed: speed,
      settle: settle)
    var turn = Turn(
      number: turns, session: session.number, answer: answer, before: before,
      findings: [harm, mistake].compactMap { $0 }, start: start)
    if !answer.keepsExchange {
      if exchange.head?.isEventStream == true {
        turn.cut = session.cut ?? CutAnswer(index: index, before: before.last)
      }
      if session.cut == nil { session.next += 1 }
      session.cut = nil
      session.redirection = exchange.redirection(from: request.target).map { (request.client, $0) }
    }
    session.turn = turns
    session.expected = before
    sessions.append(session)
    forgetIdle()
    return turn
  }

  /// Ends a turn: the client may come back. One that left by itself during the last exchange is done.
  mutating func end(_ turn: Turn, _ ending: Ending, at now: Duration) {
    guard let index = sessions.firstIndex(where: { $0.turn == turn.number }) else { return }
    var session = sessions.remove(at: index)
    session.usedFaults.formUnion(ending.faults.filter { faults[$0].answer != .every })
    if ending.isCutShort, var cut = turn.cut {
      cut.sent = max(cut.sent, turn.start + ending.sent)
      cut.isProgress = ending.events > 0
      session.cut = cut
    }
    if ending.clientLeft, isOver(session) { return }
    session.turn = nil
    session.idleSince = now
    session.expected = ending.expected
    sessions.append(session)
  }

  /// Where the answer begins after a cut, and what the client loses or gets twice. Without a cut, or with no event behind it, it is the
  /// next exchange's turn.
  private func resume(
    _ session: inout Session, for request: ReplayRequest
  ) -> (start: Int, harm: ClientFinding?) {
    guard let cut = session.cut else { return (0, nil) }
    let exchange = exchanges[cut.index]
    switch cut.sequel(in: exchange, for: request) {
    case .rest(let start, let events):
      let harm = ClientFinding(
        .eventsRepeated, session: session.number, exchange: exchange.number, events: events)
      return (start, events > 0 ? harm : nil)
    case .nothing:
      session.cut = nil
      return (0, nil)
    case .lost(let events):
      session.cut = nil
      return (
        0, ClientFinding(.eventsLost, session: session.number, exchange: exchange.number, events: events)
      )
    }
  }

  private func isOver(_ session: Session) -> Bool {
    !loops && session.cut == nil && session.next == exchanges.count
  }

  /// Takes the session out of the list.
  private mutating func take(for request: ReplayRequest, at now: Duration) -> Session {
    let idle = sessions.indices.filter { index in
      let session = sessions[index]
      // After the end only an event source is told so; whoever else asks again starts anew.
      return session.turn == nil && session.mayBe(request) && (request.isEventSource || !isOver(session))
    }
    let fitting = idle.filter { sessions[$0].expected?.accepts(request.lastEventID) ?? true }
    // A client that says it knows nothing, after the end of the cassette, is a new one.
    let guessed = idle.filter { !request.lastEventID.isEmpty || !isOver(sessions[$0]) }
    func choice(_ candidates: [Int]) -> Int? {
      // One that still has something to get comes before one that is only to be told that it is over: however slow
      // the machine is, nobody is then sent away in another's place.
      let open = candidates.filter { !isOver(sessions[$0]) }
      let candidates = open.isEmpty ? candidates : open
      // Clients that were cut off together come back in about that order; what is older was probably abandoned.
      return candidates.first { now - sessions[$0].idleSince <= Self.patience } ?? candidates.last
    }
    let redirected = idle.filter { sessions[$0].isSent(here: request) }
    if let index = redirected.first ?? choice(fitting) ?? choice(guessed) {
      var session = sessions.remove(at: index)
      session.keys.insert(request.key)
      return session
    }
    count += 1
    return Session(number: count, keys: [request.key])
  }

  private func finding(
    for request: ReplayRequest, in session: Session, _ exchange: PreparedExchange
  ) -> ClientFinding? {
    let sent = request.lastEventID
    let expected: ExpectedID
    if let known = session.expected {
      // A new recording is a new client, whatever it knew.
      let isNew =
        session.cut == nil && session.next > 0
        && exchanges[session.next - 1].recording != exchange.recording
      if isNew { return nil }
      expected = known
    } else {
      expected = ExpectedID(last: exchange.lastEventID, others: [[]])
    }
    if expected.accepts(sent) { return nil }
    let kind: ClientFinding.Kind =
      sent.isEmpty ? .missingLastEventID : expected.last.isEmpty ? .unexpectedLastEventID : .wrongLastEventID
    return ClientFinding(
      kind: kind, session: session.number, exchange: exchange.number,
      expected: String(decoding: expected.last, as: UTF8.self), sent: String(decoding: sent, as: UTF8.self))
  }

  private mutating func forgetIdle() {
    while sessions.count > Self.most, let index = sessions.firstIndex(where: { $0.turn == nil }) {
      sessions.remove(at: index)
    }
  }

  /// The faults that fall into an answer. On the rest of an exchange only those act that say so: with its number or `every`.
  private func place(
    _ faults: [FaultSpec], in exchange: PreparedExchange, from start: Int, _ session: Session
  ) -> [PlacedFault] {
    faults.enumerated().compactMap { index, fault in
      guard !session.usedFaults.contains(index), let offset = fault.offset(in: exchange, from: start) else {
        return nil
      }
      if let cut = session.cut {
        if fault.answer == .first { return nil }
        // The same cut again and again before the first event would keep every client there for ever.
        if fault.answer == .every, fault.isInBody, !cut.isProgress { return nil }
      }
      return PlacedFault(index: index, kind: fault.kind, offset: offset)
    }
  }
}
