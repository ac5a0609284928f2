// Plays a scenario through the state machine alone: a virtual clock, a scripted server that exists only as a list of
// facts to come, and a consumer that takes everything at once. No task, no socket, no waiting.

import CZlib
import ServerSentEvents

struct ScenarioSimulation {
  private enum Happening {
    case fact(EventStreamTransportFact, generation: Int)
    case timer(EventSourceStateMachine.Timer, generation: Int, ticket: Int)
    case close
  }

  private let scenario: Scenario
  private var machine: EventSourceStateMachine
  private var now = Duration.zero
  private var agenda: [(at: Duration, order: Int, what: Happening)] = []
  private var order = 0
  private var tickets: [EventSourceStateMachine.Timer: Int] = [:]
  private var answered = 0
  private var previousAnswerEnd: Duration?
  private var openAnswers: [Int: Duration] = [:]
  private var closedAt: Duration?
  private(set) var seen = Observation()

  static func play(_ scenario: Scenario) -> Observation {
    var simulation = ScenarioSimulation(scenario)
    simulation.run()
    return simulation.seen
  }

  private init(_ scenario: Scenario) {
    self.scenario = scenario
    machine = EventSourceStateMachine(
      scenario.request(to: "http://simulated/"), configuration: scenario.configuration)
  }

  private mutating func run() {
    if let milliseconds = scenario.client.closeAfterMs { plan(.milliseconds(milliseconds), .close) }
    perform(machine.start(at: moment))
    // As the table has it: until it's settled, and then for observe_ms more.
    var deadline: Duration?
    while let next = agenda.min(by: { ($0.at, $0.order) < ($1.at, $1.order) }) {
      if deadline == nil, scenario.isSettled(seen) {
        deadline = now + .milliseconds(scenario.expect.observeMs)
      }
      if let deadline, next.at > deadline { break }
      if next.at > .seconds(60) { break }
      agenda.removeAll { $0.order == next.order }
      now = next.at
      happen(next.what)
    }
    seen.state = machine.state
  }

  private var moment: EventSourceStateMachine.Moment { .init(now: now, jitter: 0.5) }

  private mutating func plan(_ after: Duration, _ what: Happening) {
    order += 1
    agenda.append((now + after, order, what))
  }

  private mutating func happen(_ what: Happening) {
    switch what {
    case .close: close()
    case .timer(let timer, let generation, let ticket):
      guard tickets[timer] == ticket else { return }
      perform(machine.timerFired(timer, generation: generation, at: moment))
    case .fact(let fact, let generation):
      switch fact {
      case .redirect(let response, let request):
        previousAnswerEnd = now
        perform(machine.redirectReceived(response, to: request, generation: generation, at: moment))
        if machine.liveGeneration == generation { answer(request, generation) }
      case .response(let response):
        perform(machine.responseReceived(response, generation: generation, at: moment))
      case .bytes(let bytes):
        perform(machine.bytesReceived(bytes, generation: generation, at: moment))
      case .ended(let end, let detail):
        previousAnswerEnd = now
        openAnswers[generation] = nil
        perform(machine.connectionEnded(end, detail: detail, generation: generation, at: moment))
      }
    }
  }

  private mutating func perform(_ actions: [EventSourceStateMachine.Action]) {
    for action in actions {
      switch action {
      case .connect(let request, let generation):
        openAnswers[generation] = now
        answer(request, generation)
      case .cancel(let generation):
        agenda.removeAll { if case .fact(_, generation) = $0.what { true } else { false } }
        // The server sees it at once: in the simulation there is no way between them.
        if openAnswers.removeValue(forKey: generation) != nil, let closedAt {
          seen.closeSeenAfter = now - closedAt
        }
        previousAnswerEnd = now
      case .schedule(let timer, let at, let generation):
        tickets[timer, default: 0] += 1
        plan(at - now, .timer(timer, generation: generation, ticket: tickets[timer] ?? 0))
      case .unschedule(let timer): tickets[timer, default: 0] += 1
      case .deliver(let signal):
        guard closedAt == nil else { break }
        seen.note(signal)
        react(to: signal)
        if closedAt == nil { perform(machine.eventConsumed(at: moment)) }
      case .publishState(let state): seen.state = state
      case .refreshCredentials, .storeLastEventID, .stop: break
      }
    }
  }

  private mutating func react(to signal: EventSourceSignal) {
    switch signal {
    case .open: if scenario.client.closeOnOpen == true { close() }
    case .event: if seen.events.count == scenario.client.closeAfterEvents { close() }
    case .comment, .dropped, .gap, .error, .reconnecting, .closed: break
    }
  }

  private mutating func close() {
    guard closedAt == nil else { return }
    closedAt = now
    perform(machine.stop())
  }

  /// The n-th request gets the n-th response, laid out in time as facts to come.
  private mutating func answer(_ request: EventStreamRequest, _ generation: Int) {
    let path = String(request.url.dropFirst("http://simulated".count))
    seen.requests.append(
      Observation.Request(
        path: path, fields: request.headers.map { ($0.name, Array($0.value.utf8)) },
        after: previousAnswerEnd.map { now - $0 }))
    let beyond = Scenario.Response(status: 204, headers: [], chunksB64: [], then: .close)
    let response = answered < scenario.responses.count ? scenario.responses[answered] : beyond
    answered += 1
    var time = Duration.milliseconds(1)
    if let status = response.status {
      let head = EventStreamResponse(status: status, headers: response.fields)
      if (300..<400).contains(status), let location = head.headers["Location"] {
        var next = request
        next.url = location.hasPrefix("/") ? "http://simulated" + location : "http://simulated/" + location
        return plan(time, .fact(.redirect(head, to: next), generation: generation))
      }
      plan(time, .fact(.response(head), generation: generation))
      for (index, chunk) in response.chunks.enumerated() {
        let decoded = head.headers["Content-Encoding"] == "gzip" ? gunzip(chunk) : chunk
        for _ in 0..<response.times(ofChunk: index) {
          time += response.delay(ofChunk: index)
          if !decoded.isEmpty { plan(time, .fact(.bytes(decoded), generation: generation)) }
        }
      }
    }
    let end: ConnectionEnd
    switch response.then {
    case .hang: return
    case .close: end = .complete
    case .cut: end = .truncated
    case .reset:
      end = .reset
      time += .milliseconds(response.settleMs ?? 0)
    }
    plan(time, .fact(.ended(end, detail: ""), generation: generation))
  }

  /// A transport undoes content encodings before the client sees a byte.
  private func gunzip(_ bytes: [UInt8]) -> [UInt8] {
    var stream = unsafe z_stream()
    guard
      unsafe inflateInit2_(&stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return [] }
    defer { unsafe inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: 1 << 16)
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        _ = unsafe inflate(&stream, Z_FINISH)
      }
    }
    return Array(output.prefix(unsafe Int(stream.total_out)))
  }
}
