// A world for the state machine to live in: a model server that numbers its events and resumes after the ID it's sent, a
// consumer with a queue, timers, and an app that does anything at any moment. It keeps its own account of what is
// allowed, apart from the machine's, and notes every breach.

@testable import ServerSentEvents

struct RandomWorld {
  private(set) var machine: Machine
  private(set) var breaches: [String] = []
  private(set) var counts: [String: Int] = [:]
  private var random: SplitMix
  private let policy: ReconnectionPolicy
  private let delivery: EventSourceConfiguration.Delivery

  // The world's own account.
  private var now = Duration.zero
  private var live: Int?
  private var newestGeneration = 0
  private var timers: [Machine.Timer: (at: Duration, generation: Int)] = [:]
  private var isOnline = true
  private var isForeground = true
  private var needsCredentials = false
  private var refreshing: Int?
  private var serverWants: Duration?
  private var isStopped = false
  private var state = EventSourceState.idle

  // The model server: event n has ID n. What is left of the stream after the ID that it was sent.
  private var isAnswered = false
  private var pending: [UInt8] = []
  private var nextEvent = 1

  // The consumer.
  private var queue: [EventSourceSignal] = []
  private var inHand: EventSourceSignal?
  private var lastEvent = 0
  private var storedID = ""

  init(seed: UInt64, policy: ReconnectionPolicy, delivery: EventSourceConfiguration.Delivery) {
    random = SplitMix(seed)
    self.policy = policy
    self.delivery = delivery
    machine = RandomWorld.makeMachine(policy, delivery, lastEventID: "")
  }

  private static func makeMachine(
    _ policy: ReconnectionPolicy, _ delivery: EventSourceConfiguration.Delivery, lastEventID: String
  ) -> Machine {
    ServerSentEventsTests.makeMachine(
      policy, idleTimeout: .seconds(20), buffer: .init(events: 6, bytes: 4096), delivery: delivery,
      lastEventID: lastEventID, hasCredentials: true)
  }

  mutating func live(inputs: Int) {
    for number in 1...inputs where breaches.isEmpty {
      step()
      if !breaches.isEmpty { breaches.append("at input \(number)") }
    }
  }

  private mutating func step() {
    now += .milliseconds(Int.random(in: 0...800, using: &random))
    let moment = Machine.Moment(now: now, jitter: .random(in: 0..<1, using: &random), unixTime: 1_000_000)
    // A stopped machine is left behind, and a new one begins where the store is, as after a launch.
    if isStopped || state == .idle { return restart(moment) }
    switch Int.random(in: 0..<1000, using: &random) {
    case 0..<150: tell("response", live, moment) { $0.respond($1, $2) }
    case 150..<500: tell("bytes", live, moment) { $0.sendBytes($1, $2) }
    case 500..<515: tell("end", live, moment) { $0.end($1, $2) }
    case 515..<800: consume(moment)
    case 800..<900: fireTimer(moment)
    case 900..<905: perform("networkLost", machine.networkLost(at: moment)) { $0.isOnline = false }
    case 905..<925: perform("networkRestored", machine.networkRestored(at: moment)) { $0.isOnline = true }
    case 925..<930: perform("background", machine.enteredBackground(at: moment)) { $0.isForeground = false }
    case 930..<950: perform("foreground", machine.enteredForeground(at: moment)) { $0.isForeground = true }
    case 950..<958:
      perform("credentials", machine.credentialsChanged(at: moment)) { $0.needsCredentials = false }
    case 958..<968: refresh(moment)
    case 968..<972: perform("overflow", machine.bufferOverflowed(at: moment))
    case 972..<978:
      tell("redirect", live, moment) { world, generation, moment in
        world.machine.redirectReceived(answer(307), to: request(), generation: generation, at: moment)
      }
    case 978..<998: stale(moment)
    default: perform("stop", machine.stop())
    }
    check()
  }

  private mutating func restart(_ moment: Machine.Moment) {
    isStopped = false
    live = nil
    timers = [:]
    queue = []
    inHand = nil
    refreshing = nil
    needsCredentials = false
    serverWants = nil
    // What was handed over and not processed comes again: at least once, from the stored ID on.
    lastEvent = Int(storedID) ?? 0
    machine = Self.makeMachine(policy, delivery, lastEventID: storedID)
    newestGeneration = 0
    if !isOnline { perform("networkLost", machine.networkLost(at: moment)) }
    if !isForeground { perform("background", machine.enteredBackground(at: moment)) }
    perform("start", machine.start(at: moment))
  }

  // MARK: The server

  private mutating func tell(
    _ name: String, _ generation: Int?, _ moment: Machine.Moment,
    _ fact: (inout RandomWorld, Int, Machine.Moment) -> [Machine.Action]
  ) {
    guard let generation else { return }
    let actions = fact(&self, generation, moment)
    perform(name, actions)
  }

  private mutating func respond(_ generation: Int, _ moment: Machine.Moment) -> [Machine.Action] {
    guard !isAnswered else { return [] }
    isAnswered = true
    let response: EventStreamResponse
    switch Int.random(in: 0..<40, using: &random) {
    case 0: response = answer(503, ("Retry-After", "7"))
    case 1: response = answer(401)
    case 2: response = answer(403)
    case 3: response = answer(500)
    case 4 where Bool.random(using: &random): response = answer(404)
    case 5 where Int.random(in: 0..<4, using: &random) == 0: response = answer(204)
    default: response = accepted
    }
    if response != accepted { pending = Array("an error".utf8) }
    let isResilient = policy.rules == .resilient
    if isResilient, response.status == 503 { serverWants = now + .seconds(7) }
    if isResilient, response.status == 403 || response.status == 401 { needsCredentials = true }
    return machine.responseReceived(response, generation: generation, at: moment)
  }

  private mutating func sendBytes(_ generation: Int, _ moment: Machine.Moment) -> [Machine.Action] {
    guard isAnswered else { return [] }
    if pending.count < 40 {
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: pending += Array(": beat\n\n".utf8)
        case 1: pending += Array("retry: \(Int.random(in: 0...3000, using: &random))\n\n".utf8)
        default:
          pending += Array("id: \(nextEvent)\r\ndata: \(nextEvent)\r\n\r\n".utf8)
          nextEvent += 1
        }
      }
    }
    let count = Int.random(in: 1...min(pending.count, 150), using: &random)
    let chunk = Array(pending.prefix(count))
    pending.removeFirst(count)
    return machine.bytesReceived(chunk, generation: generation, at: moment)
  }

  private mutating func end(_ generation: Int, _ moment: Machine.Moment) -> [Machine.Action] {
    live = nil
    let ends: [ConnectionEnd] = [
      .complete, .truncated, .reset, .timedOut, .unreachable, .tls, .protocol, .unknown,
    ]
    return machine.connectionEnded(
      ends.randomElement(using: &random) ?? .reset, generation: generation, at: moment)
  }

  /// Facts of connections long gone, and timers that were on their way when they were unscheduled.
  private mutating func stale(_ moment: Machine.Moment) {
    let old = Int.random(in: 0...newestGeneration, using: &random)
    guard old != live else { return }
    let before = machine
    var actions = machine.responseReceived(accepted, generation: old, at: moment)
    actions += machine.bytesReceived(Array("id: 666\ndata: 666\n\n".utf8), generation: old, at: moment)
    actions += machine.redirectReceived(answer(302), to: request(), generation: old, at: moment)
    actions += machine.connectionEnded(.reset, generation: old, at: moment)
    actions += machine.timerFired(.idle, generation: old, at: moment)
    actions += machine.timerFired(.rejection, generation: old, at: moment)
    if timers[.reconnect] == nil { actions += machine.timerFired(.reconnect, generation: old, at: moment) }
    if !actions.isEmpty || machine != before { breach("facts of generation \(old) did \(actions)") }
    counts["stale", default: 0] += 1
  }

  // MARK: The app

  private mutating func fireTimer(_ moment: Machine.Moment) {
    guard let (timer, due) = timers.min(by: { $0.value.at < $1.value.at }) else { return }
    // Mostly on time; sometimes too early, which must change nothing but set the timer again.
    let isEarly = Int.random(in: 0..<10, using: &random) == 0
    if !isEarly { now = max(now, due.at) }
    timers[timer] = nil
    let moment = Machine.Moment(now: now, jitter: moment.jitter, unixTime: moment.unixTime)
    perform("timer", machine.timerFired(timer, generation: due.generation, at: moment))
  }

  private mutating func refresh(_ moment: Machine.Moment) {
    guard let generation = refreshing else { return }
    refreshing = nil
    let isSuccess = Bool.random(using: &random)
    let actions = machine.credentialsRefreshed(isSuccess, generation: generation, at: moment)
    perform("refresh", actions) { if isSuccess { $0.needsCredentials = false } }
  }

  private mutating func consume(_ moment: Machine.Moment) {
    if inHand != nil {
      inHand = nil
      perform("consumed", machine.eventConsumed(at: moment))
      if machine.processedLastEventID != storedID {
        breach("processed \(machine.processedLastEventID), stored \(storedID)")
      }
    }
    guard !queue.isEmpty else { return }
    let signal = queue.removeFirst()
    inHand = signal
    guard case .event(let event) = signal else { return }
    counts["event", default: 0] += 1
    if event.data != "\(lastEvent + 1)" { breach("event \(event.data) after \(lastEvent)") }
    lastEvent = Int(event.data) ?? -1
    // Nothing is stored before it's processed.
    if let stored = Int(storedID), stored >= lastEvent {
      breach("stored \(stored) before \(lastEvent) was processed")
    }
  }

  // MARK: Actions and what they may be

  private mutating func perform(
    _ input: String, _ actions: [Machine.Action], _ before: (inout RandomWorld) -> Void = { _ in }
  ) {
    before(&self)
    counts[input, default: 0] += 1
    for action in actions { perform(action, of: input) }
  }

  private mutating func perform(_ action: Machine.Action, of input: String) {
    switch action {
    case .connect(let request, let generation): connect(request, generation)
    case .cancel(let generation):
      if generation != live { breach("cancels \(generation), live is \(String(describing: live))") }
      live = nil
    case .schedule(let timer, let at, let generation):
      if timer == .reconnect, timers[timer] != nil { breach("a second reconnect timer") }
      timers[timer] = (at, generation)
    case .unschedule(let timer): timers[timer] = nil
    case .refreshCredentials(let generation): refreshing = generation
    case .deliver(let signal):
      if case .event = signal {
        if input != "bytes" { breach("an event out of \(input)") }
        queue.append(signal)
      } else if delivery == .signals {
        queue.append(signal)
      }
    case .publishState(let state):
      if state == self.state { breach("state \(state) twice") }
      self.state = state
    case .storeLastEventID(let id): storedID = id
    case .stop:
      isStopped = true
      if live != nil && input != "end" && input != "response" { breach("stopped with a live connection") }
    }
  }

  private mutating func connect(_ request: EventStreamRequest, _ generation: Int) {
    counts["connect", default: 0] += 1
    if let live { breach("connects \(generation) beside \(live)") }
    if generation <= newestGeneration { breach("generation \(generation) again") }
    if !isOnline { breach("connects offline") }
    if !isForeground { breach("connects in the background") }
    if needsCredentials { breach("connects without credentials") }
    if let wanted = serverWants, now < wanted {
      breach("connects \(wanted - now) before the server wants it")
    }
    serverWants = nil
    live = generation
    newestGeneration = generation
    isAnswered = false
    pending = []
    // The server goes on after the ID that it's sent.
    let id = request.headers["Last-Event-ID"] ?? ""
    nextEvent = (Int(id) ?? 0) + 1
  }

  private mutating func check() {
    if machine.liveGeneration != live {
      breach("live is \(String(describing: machine.liveGeneration)), not \(String(describing: live))")
    }
    if live != nil, timers[.reconnect] != nil { breach("a reconnect timer beside a live connection") }
    if live != nil, !isOnline || !isForeground, !isRejected {
      breach("a connection while offline or inactive")
    }
    let waiting = queue.count + (inHand == nil ? 0 : 1)
    if !isStopped, waiting != machine.unconsumed {
      breach("\(waiting) wait, the machine knows \(machine.unconsumed)")
    }
    // Lifecycle signals come in ones and twos beside the bound on events.
    if waiting > 6 + 4 { breach("\(waiting) wait in a buffer of 6") }
    if machine.state != state { breach("state \(machine.state) was not published") }
  }

  /// A fatal answer's body may still come in while the app goes away; it ends within its second.
  private var isRejected: Bool { if case .rejected = machine.phase { true } else { false } }

  private mutating func breach(_ what: String) { breaches.append(what) }
}
