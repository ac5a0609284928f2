// Which request belongs to which client, and what that client should know: HTTP has no sessions, so they are guessed from
// what a request looks like, who is connected, and the last event ID. Pure; times and sockets are elsewhere.

import EventCassettes
import ServerSentEvents

/// The last event IDs that a client may have after an answer.
struct ExpectedID: Hashable, Sendable {
  /// The one after everything that was sent.
  var last: [UInt8] = []
  /// Earlier ones, where the client may not have got everything.
  var others: Set<[UInt8]> = []

  func accepts(_ id: [UInt8]) -> Bool { id == last || others.contains(id) }
}

/// Follows the last event ID over the bytes of one answer.
struct DeliveredIDs: Sendable {
  private var parser: EventStreamParser?
  private var seen: Set<[UInt8]>
  private var last: [UInt8]

  init(after expected: ExpectedID, isEventStream: Bool) {
    last = expected.last
    seen = expected.others.union([expected.last])
    parser = isEventStream ? EventStreamParser(lastEventID: String(decoding: last, as: UTF8.self)) : nil
  }

  mutating func append(_ bytes: [UInt8]) {
    guard parser != nil else { return }
    for case .event(let event)? in parser?.append(bytes) ?? [] { note(event.lastEventID) }
    if let id = parser?.lastEventID { note(id) }
  }

  private mutating func note(_ id: String) {
    guard !last.elementsEqual(id.utf8) else { return }
    last = Array(id.utf8)
    seen.insert(last)
  }

  /// What to expect next; `isLossy` if the client may have missed the end.
  func expected(isLossy: Bool) -> ExpectedID { ExpectedID(last: last, others: isLossy ? seen : []) }
}

/// What a request looks like to the sessions.
struct ReplayRequest: Hashable, Sendable {
  /// Requests with equal keys may come from one client.
  var key: String
  var lastEventID: [UInt8]
  /// Whether it asks for an event stream by name, as every event source does: such a client comes back after the end.
  var isEventSource: Bool
}

/// The client sessions of a replay server.
struct ReplaySessions: Sendable {
  /// A session's turn to get an answer.
  struct Turn: Sendable {
    var session: Int
    /// `nil`: the cassette is over for this client.
    var answer: AnswerScript?
    var before: ExpectedID
    var finding: ClientFinding?
  }

  private struct Session: Sendable {
    var number: Int
    var key: String
    var next = 0
    var isBusy = false
    var idleSince: Duration = .zero
    var expected: ExpectedID?
    var usedFaults: Set<Int> = []
  }

  let exchanges: [PreparedExchange]
  let faults: [FaultSpec]
  let speed: ReplaySpeed
  let loops: Bool
  let settle: Duration
  private var sessions: [Session] = []  // in the order in which they began or ended their last turn
  private(set) var count = 0

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
    sessions.contains { $0.key == request.key && $0.isBusy }
  }

  /// Finds the session of a request, or begins one, and says what to send.
  mutating func begin(_ request: ReplayRequest, at now: Duration) -> Turn {
    var session = take(for: request, at: now)
    if session.next == exchanges.count {
      guard loops else {
        return Turn(session: session.number, answer: nil, before: ExpectedID(), finding: nil)
      }
      session.next = 0
    }
    let exchange = exchanges[session.next]
    let finding = finding(for: request, in: session, exchange)
    let before = session.expected ?? ExpectedID(last: request.lastEventID)
    let placed = place(faults, in: exchange, used: session.usedFaults)
    let answer = AnswerScript(exchange, faults: placed, speed: speed, settle: settle)
    for index in answer.fired where faults[index].answer != .every { session.usedFaults.insert(index) }
    if !answer.keepsExchange { session.next += 1 }
    session.isBusy = true
    session.expected = before
    sessions.append(session)
    forgetIdle()
    return Turn(session: session.number, answer: answer, before: before, finding: finding)
  }

  /// Ends a turn: the client may come back. One that left by itself during the last exchange is done.
  mutating func end(_ turn: Turn, expecting expected: ExpectedID, clientLeft: Bool, at now: Duration) {
    guard let index = sessions.firstIndex(where: { $0.number == turn.session && $0.isBusy }) else { return }
    var session = sessions.remove(at: index)
    if clientLeft, !loops, session.next == exchanges.count { return }
    session.isBusy = false
    session.idleSince = now
    session.expected = expected
    sessions.append(session)
  }

  /// Takes the session out of the list.
  private mutating func take(for request: ReplayRequest, at now: Duration) -> Session {
    let idle = sessions.indices.filter { index in
      let session = sessions[index]
      // After the end only an event source is told so; whoever else asks again starts anew.
      return session.key == request.key && !session.isBusy
        && (loops || request.isEventSource || session.next < exchanges.count)
    }
    let fitting = idle.filter { sessions[$0].expected?.accepts(request.lastEventID) ?? true }
    // A client that says it knows nothing, after the end of the cassette, is a new one.
    let guessed = idle.filter {
      !request.lastEventID.isEmpty || loops || sessions[$0].next < exchanges.count
    }
    // Clients that were cut off together come back in about that order; what is older was probably abandoned.
    func choice(_ candidates: [Int]) -> Int? {
      candidates.first { now - sessions[$0].idleSince <= Self.patience } ?? candidates.last
    }
    if let index = choice(fitting) ?? choice(guessed) { return sessions.remove(at: index) }
    count += 1
    return Session(number: count, key: request.key)
  }

  private func finding(
    for request: ReplayRequest, in session: Session, _ exchange: PreparedExchange
  ) -> ClientFinding? {
    let sent = request.lastEventID
    let expected: ExpectedID
    if let known = session.expected {
      // A new recording is a new client, whatever it knew.
      if session.next > 0, exchanges[session.next - 1].recording != exchange.recording { return nil }
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
    while sessions.count > Self.most, let index = sessions.firstIndex(where: { !$0.isBusy }) {
      sessions.remove(at: index)
    }
  }

  /// The faults that fall into an exchange.
  private func place(
    _ faults: [FaultSpec], in exchange: PreparedExchange, used: Set<Int>
  ) -> [PlacedFault] {
    let length = exchange.bodyLength
    return faults.enumerated().compactMap { index, fault in
      guard !used.contains(index) else { return nil }
      if case .exchange(let number) = fault.answer, number != exchange.number { return nil }
      let offset: Int
      switch fault.offset {
      case .at(let given): offset = given
      case .random(let seed):
        var generator = SplitMix64(seed: seed)
        // The high half of the product: the same everywhere and forever, which the standard library doesn't promise.
        offset = Int(generator.next().multipliedFullWidth(by: UInt64(length) + 1).high)
      }
      let isInBody = type(of: fault.kind.fault).extent == .body
      guard !isInBody || offset <= length else { return nil }
      return PlacedFault(index: index, kind: fault.kind, offset: offset)
    }
  }
}
