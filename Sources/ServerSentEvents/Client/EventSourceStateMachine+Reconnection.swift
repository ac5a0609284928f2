// From one connection to the next: connecting, losing, waiting, holding, running over, closing. No facts come in here;
// these are the steps that the fact methods are made of.

extension EventSourceStateMachine {
  /// Opens the next connection. Nothing may hold it.
  mutating func connect(at moment: Moment, _ actions: inout [Action]) {
    if !ledger.hasRoom(for: EventSourceConfiguration.Buffer.overhead, in: configuration.buffer) {
      isCatchingUp = true
      return hold(&actions)
    }
    generation += 1
    notBefore = nil
    parser.finish()
    phase = .connecting(
      Connection(generation: generation, lastHeard: moment.now, lastEventID: parser.lastEventID))
    publish(.connecting, &actions)
    actions.append(.connect(nextRequest, generation: generation))
    if let idle = configuration.idleTimeout {
      actions.append(.schedule(.idle, at: moment.now + idle, generation: generation))
    }
  }

  /// The connection is gone by itself (or by a time-out): what now?
  mutating func connectionLost(
    _ connection: Connection, _ end: ConnectionEnd, _ error: EventSourceError, retryAfter: Duration?,
    at moment: Moment, _ actions: inout [Action]
  ) {
    leaveConnection(connection, at: moment, &actions)
    switch configuration.mode {
    case .oneShot:
      let isFine = end == .complete && connection.openedAt != nil
      return close(.oneShot, announcing: isFine ? nil : error, failing: isFine ? nil : error, &actions)
    case .eventSource: break
    }
    guard end != .cancelled else { return close(.cancelled, announcing: error, failing: nil, &actions) }
    failures += 1
    let wait = configuration.policy.wait(
      failures: failures, retry: parser.retry, retryAfter: retryAfter, jitter: moment.jitter)
    // Without an answer the server asked for nothing: then the network's return is as good as the timer.
    if wait.isAsked, connection.status != nil { notBefore = moment.now + wait.delay }
    deliver(.error(error), &actions)
    deliver(.reconnecting(after: wait.delay), &actions)
    self.wait(until: moment.now + wait.delay, &actions)
  }

  /// What every way out of a connection has in common.
  mutating func leaveConnection(_ connection: Connection, at moment: Moment, _ actions: inout [Action]) {
    phase = .held  // until the caller says where to
    parser.finish()
    let openFor = connection.openedAt.map { moment.now - $0 } ?? .zero
    if connection.hasDelivered || openFor >= configuration.policy.healthyAfter { failures = 0 }
    if configuration.idleTimeout != nil { actions.append(.unschedule(.idle)) }
  }

  private mutating func wait(until time: Duration, _ actions: inout [Action]) {
    phase = .waiting(until: time)
    publish(.reconnecting(at: time), &actions)
    actions.append(.schedule(.reconnect, at: time, generation: generation))
  }

  /// Goes without a connection until ``resume(at:_:)`` finds nothing in the way.
  mutating func hold(_ actions: inout [Action]) {
    phase = .held
    if let suspension { publish(.suspended(suspension), &actions) }
  }

  /// Something came up that a connection can't live with: gives it up, or the wait for it.
  mutating func pause(at moment: Moment, _ actions: inout [Action]) {
    switch phase {
    case .connecting(let connection), .open(let connection):
      actions.append(.cancel(generation: connection.generation))
      leaveConnection(connection, at: moment, &actions)
      hold(&actions)
    case .waiting:
      actions.append(.unschedule(.reconnect))
      hold(&actions)
    case .held: hold(&actions)
    case .idle, .rejected, .closed: break  // nothing to give up; a fatal answer stays fatal
    }
  }

  /// Something that was in the way went: connects if it was the last, and not before the server wants it.
  mutating func resume(at moment: Moment, _ actions: inout [Action]) {
    guard phase == .held else { return }
    guard suspension == nil else { return hold(&actions) }
    if let notBefore, notBefore > moment.now {
      wait(until: notBefore, &actions)
    } else {
      connect(at: moment, &actions)
    }
  }

  /// The buffer has no room: the connection is given up, and later resumed after the last event handed over.
  mutating func overflow(
    resumingAfter id: String, without event: ServerSentEvent?, at moment: Moment, _ actions: inout [Action]
  ) {
    guard case .open(let connection) = phase else { return }
    actions.append(.cancel(generation: connection.generation))
    leaveConnection(connection, at: moment, &actions)
    switch configuration.mode {
    case .oneShot:
      let error = EventSourceError(.bufferOverflow, detail: "\(ledger.count) events wait")
      return close(.oneShot, announcing: error, failing: error, &actions)
    case .eventSource: break
    }
    parser = EventStreamParser(limits: configuration.limits, lastEventID: id, retry: parser.retry)
    if id.isEmpty {
      givenUp = nil
      deliver(.gap(.noLastEventID), &actions)
    } else if let event {
      givenUp = GivenUp(event: event, resumedAfter: id)
    }
    isCatchingUp = !ledger.isEmpty
    hold(&actions)
    resume(at: moment, &actions)
  }

  /// Ends it for good.
  mutating func close(
    _ reason: EventSourceCloseReason, announcing announced: EventSourceError?,
    failing error: EventSourceError?,
    _ actions: inout [Action]
  ) {
    switch phase {
    case .connecting, .open:
      if configuration.idleTimeout != nil { actions.append(.unschedule(.idle)) }
    case .rejected: actions.append(.unschedule(.rejection))
    case .waiting: actions.append(.unschedule(.reconnect))
    case .idle, .held, .closed: break
    }
    phase = .closed
    isCatchingUp = false
    parser.finish()
    if let announced { deliver(.error(announced), &actions) }
    deliver(.closed(reason), &actions)
    publish(.closed(reason), &actions)
    actions.append(.stop(reason, error))
  }

  /// Everything that was parsed is processed, so that its last event ID counts.
  mutating func storeParsedID(_ actions: inout [Action]) {
    guard !processedLastEventID.hasSameBytes(as: parser.committedID.span) else { return }
    store(parser.lastEventID, &actions)
  }

  mutating func store(_ id: String, _ actions: inout [Action]) {
    // By bytes: two IDs that Swift calls equal may differ on the wire.
    guard !id.hasSameBytes(as: processedLastEventID) else { return }
    processedLastEventID = id
    actions.append(.storeLastEventID(id))
  }
}
