// The world around the client's state machine for one script: it carries the actions out on a virtual clock, keeps its
// own account of what is allowed, and notes the first breach. It knows nothing of the machine's inside.

import ServerSentEvents

struct ClientWorld {
  typealias Machine = EventSourceStateMachine

  private(set) var machine: Machine
  /// What came out, for comparing one run with another: deliveries, connections, the end.
  private(set) var trace: [Machine.Action] = []
  private(set) var breach: (expected: String, got: String)?
  /// Whether deliveries waited when it was stopped, so that the ID behind them was never to be stored.
  private(set) var hasGivenUpDeliveries = false

  private let bytewise: Bool
  private var now = Duration.zero
  private var random: SeededGenerator
  private var live: Int?
  private var newest = 0
  private var timers: [Machine.Timer: (at: Duration, generation: Int)] = [:]
  private var isOnline = true
  private var isForeground = true
  private var isClosed = false
  private var refreshing: Int?
  /// The ID in effect by the reference parser; `nil` after an overflow, when the machine goes back to an earlier one.
  private var lastEventID: String?
  private var body: [UInt8] = []
  private var isAnswered = false
  private var isOpen = false
  private var connects = 0

  /// - Parameter bytewise: whether every byte comes as a chunk of its own, which must make no difference.
  init(_ script: ClientScript, bytewise: Bool) {
    var request = EventStreamRequest(url: "http://localhost/events")
    if let id = script.requestedID { request.headers.append(HeaderField("Last-Event-ID", id)) }
    machine = Machine(request, configuration: script.configuration, retry: script.retry)
    // The configuration's ID comes before the request's; one that fits no header counts for nothing.
    let ids = [script.configuration.lastEventID, script.requestedID ?? ""]
    let given = ids.first { !$0.isEmpty } ?? ""
    lastEventID = given.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } ? "" : given
    random = SeededGenerator(seed: UInt64(script.steps.count))
    self.bytewise = bytewise
    perform(machine.start(at: moment()))
    for step in script.steps where breach == nil { take(step) }
    if breach == nil { stop() }
    check()
    let after = machine
    let late = machine.networkRestored(at: moment()) + machine.enteredForeground(at: moment())
    if !late.isEmpty || (machine.state != after.state) { expect("nothing after the stop", "\(late)") }
  }

  private mutating func expect(_ expected: String, _ got: String) {
    if breach == nil { breach = (expected, got) }
  }

  private mutating func moment() -> Machine.Moment {
    Machine.Moment(now: now, jitter: Double(random.below(1000)) / 1000, unixTime: 1_000_000)
  }

  private mutating func take(_ step: ClientScript.Step) {
    let wasClosed = isClosed
    let count = trace.count
    switch step {
    case .response(let status, let retryAfter, let date):
      guard let live else { return }
      var headers = [HeaderField("Content-Type", "text/event-stream")]
      if let retryAfter { headers.append(HeaderField("Retry-After", retryAfter)) }
      if let date { headers.append(HeaderField("Date", date)) }
      // A second response to one request is none.
      if !isAnswered { isOpen = status == 200 }
      isAnswered = true
      perform(
        machine.responseReceived(
          EventStreamResponse(status: status, headers: headers), generation: live, at: moment()))
    case .bytes(let bytes): receive(bytes)
    case .end(let end, let detail):
      guard let generation = live else { return }
      live = nil
      settleID()
      perform(machine.connectionEnded(end, detail: detail, generation: generation, at: moment()))
    case .time(let milliseconds): pass(.milliseconds(milliseconds))
    case .earlyTimers: fireEarly()
    case .consume(let all):
      for _ in 0..<(all ? machine.unconsumed : 1) { perform(machine.eventConsumed(at: moment())) }
    case .network(let isThere):
      isOnline = isThere
      perform(isThere ? machine.networkRestored(at: moment()) : machine.networkLost(at: moment()))
    case .foreground(let isThere):
      isForeground = isThere
      perform(isThere ? machine.enteredForeground(at: moment()) : machine.enteredBackground(at: moment()))
    case .credentialsChanged: perform(machine.credentialsChanged(at: moment()))
    case .refreshed(let isSuccess):
      guard let generation = refreshing else { return }
      refreshing = nil
      perform(machine.credentialsRefreshed(isSuccess, generation: generation, at: moment()))
    case .overflow:
      lastEventID = nil
      perform(machine.bufferOverflowed(at: moment()))
    case .stop: stop()
    case .redirect:
      guard let live else { return }
      let request = EventStreamRequest(url: "http://localhost/elsewhere")
      perform(
        machine.redirectReceived(
          EventStreamResponse(status: 307), to: request, generation: live, at: moment()))
    case .stale: stale()
    case .start:
      let actions = machine.start(at: moment())
      if !actions.isEmpty { expect("nothing from a second start", "\(actions)") }
    }
    // What was delivered before the end is still consumed, and its IDs are stored.
    let late = trace[count...].filter { if case .storeLastEventID = $0 { false } else { true } }
    if wasClosed, !late.isEmpty { expect("nothing after the end", "\(late)") }
    check()
  }

  private mutating func stop() {
    if machine.unconsumed > 0 { hasGivenUpDeliveries = true }
    perform(machine.stop())
  }

  private mutating func receive(_ bytes: [UInt8]) {
    guard let generation = live, !bytes.isEmpty else { return }  // a transport's chunks are never empty
    let moment = moment()
    if isOpen { body += bytes }
    if bytewise {
      for byte in bytes {
        perform(machine.bytesReceived(CollectionOfOne(byte), generation: generation, at: moment))
      }
    } else {
      perform(machine.bytesReceived(bytes, generation: generation, at: moment))
    }
  }

  /// Facts of connections that are gone: nothing may come of them.
  private mutating func stale() {
    let moment = moment()
    let before = machine
    for generation in [0, newest - 1, newest + 1] where generation != live {
      let actions =
        machine.responseReceived(EventStreamResponse(status: 204), generation: generation, at: moment)
        + machine.bytesReceived(Array("id: old\ndata: old\n\n".utf8), generation: generation, at: moment)
        + machine.connectionEnded(.reset, generation: generation, at: moment)
        + machine.timerFired(.idle, generation: generation, at: moment)
        + machine.timerFired(.rejection, generation: generation, at: moment)
      if !actions.isEmpty { expect("nothing from generation \(generation)", "\(actions)") }
    }
    if machine != before { expect("no change by old facts", "\(machine.state)") }
  }

  private mutating func pass(_ duration: Duration) {
    let until = now + duration
    var fired = 0
    while breach == nil, let due = timers.min(by: { $0.value.at < $1.value.at }), due.value.at <= until {
      now = max(now, due.value.at)
      timers[due.key] = nil
      perform(machine.timerFired(due.key, generation: due.value.generation, at: moment()))
      fired += 1
      if fired > 10_000 { return expect("timers that let time pass", "10,000 of them by \(now)") }
    }
    now = until
  }

  /// Clocks are not exact: a timer that fires before its time is set again for the same, and nothing else comes of it. (The
  /// one for a refused answer's body only gives up waiting.)
  private mutating func fireEarly() {
    for (timer, due) in timers.sorted(by: { $0.value.at < $1.value.at }) where due.at > now {
      if timer == .rejection { continue }
      let actions = machine.timerFired(timer, generation: due.generation, at: moment())
      let isSetAgain = actions.allSatisfy { action in
        if case .schedule(timer, let at, due.generation) = action {
          timer == .idle ? at >= due.at : at == due.at
        } else {
          false
        }
      }
      if !isSetAgain { expect("\(timer) set again for \(due.at)", "\(actions)") }
      perform(actions)
    }
  }

  // MARK: Actions

  private mutating func perform(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .connect(let request, let generation): connect(request, generation)
      case .cancel(let generation):
        if generation != live { expect("to cancel \(String(describing: live))", "cancels \(generation)") }
        live = nil
        settleID()
      case .schedule(let timer, let at, let generation):
        if at < now { expect("a timer from \(now) on", "\(timer) at \(at)") }
        if at > now + .seconds(400 * 86_400) { expect("a timer within a year", "\(timer) at \(at)") }
        timers[timer] = (at, generation)
        continue  // how often timers are set again depends on chunks, and may
      case .unschedule(let timer):
        timers[timer] = nil
        continue
      case .refreshCredentials(let generation): refreshing = generation
      case .publishState(.suspended(.catchingUp)): lastEventID = nil
      case .deliver(.gap): lastEventID = nil
      case .deliver, .publishState, .storeLastEventID: break
      case .stop:
        if isClosed { expect("one stop", "two") }
        isClosed = true
        // A connection that the machine leaves by closing must be cancelled or have ended.
        timers = timers.filter { _ in false }
      }
      trace.append(action)
    }
  }

  private mutating func connect(_ request: EventStreamRequest, _ generation: Int) {
    connects += 1
    if let live { expect("one connection", "\(generation) beside \(live)") }
    if generation <= newest { expect("a generation above \(newest)", "\(generation)") }
    if !isOnline || !isForeground { expect("no connection offline or in the background", "\(generation)") }
    if isClosed { expect("no connection after the end", "\(generation)") }
    let sent = request.headers["Last-Event-ID"]
    if sent?.isEmpty == true { expect("no empty Last-Event-ID", "one") }
    if sent?.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) == true {
      expect("a Last-Event-ID that fits a header", String(reflecting: sent))
    }
    if let lastEventID, !lastEventID.utf8.elementsEqual((sent ?? "").utf8) {
      expect("Last-Event-ID \(String(reflecting: lastEventID))", String(reflecting: sent))
    }
    lastEventID = sent ?? ""
    live = generation
    newest = generation
    body = []
    isAnswered = false
    isOpen = false
  }

  /// What the reference parser says is in effect after the connection that is gone.
  private mutating func settleID() {
    if let id = lastEventID {
      let limits = machine.configuration.limits
      lastEventID = ReferenceParser(body, limits: limits, lastEventID: id).lastEventID
    }
    body = []
  }

  private mutating func check() {
    if machine.liveGeneration != live, !isClosed {
      expect("connection \(String(describing: live))", String(describing: machine.liveGeneration))
    }
    if live != nil, timers[.reconnect] != nil { expect("no reconnect timer beside a connection", "one") }
  }
}
