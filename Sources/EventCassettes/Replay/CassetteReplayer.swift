// A cassette through the parser and the client state machine on virtual time. One loop takes whatever comes next, the
// script's step or a timer, and carries out the machine's actions; nothing here waits, sleeps or draws chance.
// Pacing a replay for people is ReplayPace; running an app's own client is ReplayTransport.

import ServerSentEvents

/// Replays a cassette: connection n+1 of the client gets exchange n+1.
///
/// ```swift
/// var replayer = CassetteReplayer(try CassetteReader(contentsOf: path))
/// while let output = try replayer.next() { print(output) }
/// ```
///
/// It reads on the way and holds no more than the plan's longest piece. Steps of an exchange come at their recorded
/// distance from its request; when that request is made is the client's own decision. Notes are fed as the inputs
/// they stand for, at their time. In joined cassettes each recording gets a fresh client, while exchange numbers and time run on.
public struct CassetteReplayer: ~Copyable {
  private var script: SessionScript
  private let options: ReplayOptions
  private var outputs: [ReplayOutput?] = []  // nil where it was given out
  private var outputIndex = 0
  private var session: ReplaySession?
  /// A redirect whose next hop isn't known yet.
  private var pendingRedirect: Cassette.Response?
  /// The recording's first request, until its client makes it.
  private var pendingRequest: (Cassette.Request, at: Duration)?
  /// Notes whose time has not come, though the script is past them. A slice, which gives up its first without moving
  /// the others.
  private var lateNotes: ArraySlice<SessionStep> = []

  /// Virtual time since the replay's beginning.
  public private(set) var now: Duration = .zero
  /// The exchange begun last, from 1.
  public private(set) var exchange = 0
  /// How many findings there were.
  public private(set) var findings = 0

  /// Replays what a reader reads.
  public init(_ reader: consuming CassetteReader, options: ReplayOptions = ReplayOptions()) {
    self.init(RecordSource(reader), options)
  }

  /// Replays a cassette in memory.
  public init(_ cassette: Cassette, options: ReplayOptions = ReplayOptions()) {
    self.init(RecordSource(cassette.records), options)
  }

  private init(_ source: consuming RecordSource, _ options: ReplayOptions) {
    script = SessionScript(source, plan: options.plan)
    self.options = options
  }

  /// The next thing that happens; `nil` at the end.
  ///
  /// - Throws: ``CassetteError`` where the cassette is damaged; what came before it was given out.
  public mutating func next() throws(CassetteError) -> ReplayOutput? {
    while outputIndex == outputs.count {
      outputs.removeAll(keepingCapacity: true)
      outputIndex = 0
      guard try step() else { return nil }
    }
    outputIndex += 1
    return outputs[outputIndex - 1].take()
  }

  // MARK: The loop

  /// Takes the next step; false at the end of the cassette.
  private mutating func step() throws(CassetteError) -> Bool {
    guard let session else { return try begin() }
    let next = try script.peek()
    let timer = session.timers.isEmpty ? nil : session.timers.min { $0.value.at < $1.value.at }
    if !lateNotes.isEmpty, let note = lateNotes.first,
      note.at <= min(timer?.value.at ?? note.at, dueTime(of: next) ?? note.at)
    {
      lateNotes.removeFirst()
      now = max(now, note.at)
      if case .note(let note) = note.what { try feed(note) }
      return true
    }
    // On a tie what was recorded goes before what is scheduled: it was known first.
    if let due = dueTime(of: next), due <= timer?.value.at ?? due, let step = try script.next() {
      now = max(now, due)
      try take(step)
      return true
    }
    if let timer, !isOver(next) {
      now = max(now, timer.value.at)
      session.timers[timer.key] = nil
      let generation = timer.value.generation
      try drive { $0.timerFired(timer.key, generation: generation, at: $1) }
      return true
    }
    try finishSession()
    return true
  }

  private func isOver(_ next: SessionStep.Head?) -> Bool { next.map { $0.kind == .recordingEnded } ?? true }

  /// When a step is due; `nil` for one that waits for the client, and for the recording's end.
  private func dueTime(of next: SessionStep.Head?) -> Duration? {
    guard let next, let session else { return nil }
    switch next.kind {
    case .request, .recording, .recordingEnded: return nil
    case .response, .piece, .note, .end: return next.at + session.shift
    }
  }

  /// Begins the next recording: its client starts when its first request was made.
  private mutating func begin() throws(CassetteError) -> Bool {
    var header: Cassette.Header?
    var notes: [Cassette.Note] = []
    let origin = now
    while let step = try script.next() {
      switch step.what {
      case .recording(let next): header = next
      case .note(let note): notes.append(note)
      case .request(let request, let body):
        guard let header else { break }
        now = origin + step.at
        session = ReplaySession(
          machine: EventSourceStateMachine(
            request.request(body: body), configuration: options.configuration(for: header)),
          shift: origin)
        pendingRequest = (request, step.at)
        for note in notes { try feed(note) }
        try drive { $0.start(at: $1) }
        return true
      case .recordingEnded: header = nil
      case .response, .piece, .end: break  // no reader gives these outside an exchange
      }
    }
    return false
  }

  /// The recording is over, or its client will do nothing more.
  private mutating func finishSession() throws(CassetteError) {
    lateNotes.removeAll()
    var isReported = false
    while let next = try script.peek(), next.kind != .recording {
      _ = try script.next()
      guard next.kind == .request else { continue }
      exchange += 1
      if !isReported, let session {
        isReported = true
        report(
          .exchangeNotRequested, recorded: "a request",
          replayed: "none, for the client is \(session.machine.state.words)")
      }
    }
    session = nil
    pendingRequest = nil
    pendingRedirect = nil
  }

  // MARK: Steps

  private mutating func take(_ step: SessionStep) throws(CassetteError) {
    switch step.what {
    case .response(let response):
      guard let generation = session?.generation else { return }
      if response.isRedirect {
        pendingRedirect = response
      } else {
        try drive { $0.responseReceived(response.head, generation: generation, at: $1) }
      }
    case .piece(let bytes):
      guard let session, let generation = session.generation, pendingRedirect == nil else { return }
      // The consumer is as fast as can be.
      try carryOut(
        session.machine.bytesReceived(bytes, generation: generation, at: moment) { put(.signal($0)) })
    case .note(let note): try feed(note)
    case .end(let end): try take(end)
    case .request, .recording, .recordingEnded: break  // never due
    }
  }

  private mutating func take(_ end: Cassette.End) throws(CassetteError) {
    guard let generation = session?.generation else { return }
    if let redirect = pendingRedirect {
      pendingRedirect = nil
      if try requestFollows(), let step = try script.next(), case .request(let request, let body) = step.what,
        let session
      {
        now = max(now, step.at + session.shift)
        exchange += 1
        try drive {
          $0.redirectReceived(redirect.head, to: request.request(body: body), generation: generation, at: $1)
        }
        return
      }
      try drive { $0.responseReceived(redirect.head, generation: generation, at: $1) }
      guard session?.generation != nil else { return }
    }
    guard end.cause == .cancelled else {
      session?.generation = nil
      try drive { $0.connectionEnded(end.cause, detail: end.detail, generation: generation, at: $1) }
      return
    }
    guard try requestFollows() else {
      // The recorder was stopped, and with it the client.
      session?.generation = nil
      try drive { machine, _ in machine.stop() }
      return
    }
    // A note that comes right after says why the client closed; the machine will close for the same reason.
    if lateNotes.contains(where: { $0.isReasonToClose }) { return }
    report(
      .cancelNotMade, recorded: "that the client closed the connection and went on",
      replayed: "a client that keeps it")
    if session?.machine.configuration.mode == .oneShot {
      session?.generation = nil
      try drive { machine, _ in machine.stop() }
    } else {
      // The nearest input there is: close, and connect again at once.
      try drive { $0.credentialsChanged(at: $1) }
    }
  }

  private mutating func feed(_ note: Cassette.Note) throws(CassetteError) {
    switch note.event {
    case .networkLost: try drive { $0.networkLost(at: $1) }
    case .networkRestored: try drive { $0.networkRestored(at: $1) }
    case .background: try drive { $0.enteredBackground(at: $1) }
    case .foreground: try drive { $0.enteredForeground(at: $1) }
    case .credentialsChanged: try drive { $0.credentialsChanged(at: $1) }
    case .overflow: try drive { $0.bufferOverflowed(at: $1) }
    default: break  // a recorder's own name: it stands for no input
    }
  }

  /// Whether another request of this recording comes next. Notes on the way wait for their time.
  private mutating func requestFollows() throws(CassetteError) -> Bool {
    while let next = try script.peek() {
      switch next.kind {
      case .request: return true
      case .note: try setAside()
      case .recording, .recordingEnded, .response, .piece, .end: return false
      }
    }
    return false
  }

  private mutating func setAside() throws(CassetteError) {
    guard var note = try script.next(), let session else { return }
    note.at += session.shift
    lateNotes.append(note)
  }

  // MARK: The machine

  private typealias Machine = EventSourceStateMachine

  private mutating func drive(_ input: (inout Machine, Machine.Moment) -> [Machine.Action])
    throws(CassetteError)
  {
    guard let session else { return }
    try carryOut(input(&session.machine, moment))
  }

  private mutating func carryOut(_ made: [Machine.Action]) throws(CassetteError) {
    guard let session else { return }
    var actions = made
    var index = 0
    while index < actions.count {
      let action = actions[index]
      index += 1
      switch action {
      case .connect(let request, let generation): try connect(request, generation)
      case .cancel(let generation): if session.generation == generation { session.generation = nil }
      case .schedule(let timer, let at, let generation): session.timers[timer] = (at, generation)
      case .unschedule(let timer): session.timers[timer] = nil
      case .refreshCredentials(let generation):
        let succeeds = try skipToRequest()
        actions += session.machine.credentialsRefreshed(succeeds, generation: generation, at: moment)
      case .deliver(let signal):
        put(.signal(signal))
        actions += session.machine.eventConsumed(at: moment)
      case .publishState(let state): put(.state(state))
      case .storeLastEventID: break  // nobody to keep it for
      case .stop: session.timers.removeAll()
      }
    }
  }

  private var moment: Machine.Moment {
    // One number for each exchange, so that no delay depends on how many pieces a plan makes.
    var generator = SplitMix64(seed: options.jitterSeed ^ UInt64(exchange) << 32)
    return Machine.Moment(now: now, jitter: Double(generator.next() >> 11) / 0x1p53)
  }

  /// The client opens a connection: it gets the next exchange, if there is one.
  private mutating func connect(_ request: EventStreamRequest, _ generation: Int) throws(CassetteError) {
    let recorded: Cassette.Request
    let recordedAt: Duration
    if let first = pendingRequest {
      (recorded, recordedAt) = first
      pendingRequest = nil
    } else {
      guard try skipToRequest(), let step = try script.next(), case .request(let next, _) = step.what else {
        return  // the session was recorded to here
      }
      recorded = next
      recordedAt = step.at
    }
    exchange += 1
    session?.generation = generation
    pendingRedirect = nil
    session?.shift = now - recordedAt
    let wanted = recorded.headers["Last-Event-ID"] ?? ""
    let sent = request.headers["Last-Event-ID"] ?? ""
    if !wanted.utf8.elementsEqual(sent.utf8), !wanted.contains("[FILTERED]") {
      report(.lastEventID, recorded: Self.named(wanted), replayed: Self.named(sent))
    }
  }

  /// Goes on to the next request of this recording, past what is left of an exchange that the client closed.
  private mutating func skipToRequest() throws(CassetteError) -> Bool {
    if pendingRequest != nil { return true }
    while let next = try script.peek() {
      switch next.kind {
      case .request: return true
      case .note: try setAside()
      case .response, .piece, .end: _ = try script.next()
      case .recording, .recordingEnded: return false
      }
    }
    return false
  }

  private static func named(_ id: String) -> String {
    id.isEmpty ? "no Last-Event-ID" : "Last-Event-ID ‘\(id)’"
  }

  private mutating func put(_ what: consuming ReplayOutput.What) {
    outputs.append(ReplayOutput(exchange: exchange, at: now, what: what))
  }

  private mutating func report(_ kind: ReplayFinding.Kind, recorded: String, replayed: String) {
    findings += 1
    put(.finding(ReplayFinding(kind: kind, exchange: exchange, recorded: recorded, replayed: replayed)))
  }
}

/// The client of one recording and where its script stands. A class, so that the machine has one owner and is changed
/// in place: with a value, each step would copy what the parser holds.
private final class ReplaySession {
  var machine: EventSourceStateMachine
  var timers: [EventSourceStateMachine.Timer: (at: Duration, generation: Int)] = [:]
  /// Replay time minus recorded time, for the exchange begun last.
  var shift: Duration
  /// The connection that the exchange plays to; `nil` once the client has closed it.
  var generation: Int?

  init(machine: EventSourceStateMachine, shift: Duration) {
    self.machine = machine
    self.shift = shift
  }
}

extension SessionStep {
  fileprivate var isReasonToClose: Bool {
    guard case .note(let note) = what else { return false }
    return [.networkLost, .background, .credentialsChanged, .overflow].contains(note.event)
  }
}
