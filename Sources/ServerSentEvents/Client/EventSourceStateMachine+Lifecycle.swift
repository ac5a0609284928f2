// Facts about what is around the connection: the consumer, timers, the network, the app's place on the screen, its
// credentials. They may come in any order and at any moment. In one-shot mode the app's surroundings change nothing:
// the request can't be sent twice, so only the transport ends it.

extension EventSourceStateMachine {
  /// The consumer wants events.
  public mutating func start(at moment: Moment) -> [Action] {
    guard phase == .idle else { return [] }
    var actions: [Action] = []
    phase = .held
    resume(at: moment, &actions)
    return actions
  }

  /// The consumer wants no more: the connection closes, and what waits is given up.
  public mutating func stop() -> [Action] {
    guard phase != .closed else { return [] }
    var actions: [Action] = []
    if let connection { actions.append(.cancel(generation: connection.generation)) }
    ledger = DeliveryLedger()
    close(.cancelled, announcing: nil, failing: nil, &actions)
    return actions
  }

  /// The consumer came back for the next delivery, so the oldest one is processed.
  public mutating func eventConsumed(at moment: Moment) -> [Action] { eventsConsumed(1, at: moment) }

  /// The consumer came back so many times since this was last told.
  public mutating func eventsConsumed(_ count: Int, at moment: Moment) -> [Action] {
    var lastEventID: String?
    var isChanged = false
    for _ in 0..<count {
      guard let entry = ledger.removeFirst() else { break }
      isChanged = true
      lastEventID = entry.lastEventID ?? lastEventID
    }
    guard isChanged else { return [] }
    var actions: [Action] = []
    if ledger.isEmpty {
      storeParsedID(&actions)
      if isCatchingUp {
        isCatchingUp = false
        resume(at: moment, &actions)
      }
    } else if let lastEventID {
      store(lastEventID, &actions)
    }
    return actions
  }

  /// The buffer ran over for a reason outside: a recorded session says so, or its memory is needed.
  public mutating func bufferOverflowed(at moment: Moment) -> [Action] {
    var actions: [Action] = []
    overflow(resumingAfter: parser.lastEventID, without: nil, at: moment, &actions)
    return actions
  }

  /// A timer's time has come. An early one is set again.
  public mutating func timerFired(_ timer: Timer, generation: Int, at moment: Moment) -> [Action] {
    var actions: [Action] = []
    switch (timer, phase) {
    case (.reconnect, .waiting(let until)) where generation == self.generation:
      if moment.now >= until {
        connect(at: moment, &actions)
      } else {
        actions.append(.schedule(.reconnect, at: until, generation: generation))
      }
    case (.idle, .connecting(let connection)) where connection.generation == generation,
      (.idle, .open(let connection)) where connection.generation == generation:
      guard let idle = configuration.idleTimeout else { break }
      // Chunks don't move the timer, it looks back when it fires: one timer an idle time, not one a chunk.
      let due = connection.lastHeard + idle
      if moment.now >= due {
        actions.append(.cancel(generation: generation))
        let error = EventSourceError(.timedOut, status: connection.status, detail: "\(idle)")
        connectionLost(connection, .timedOut, error, retryAfter: nil, at: moment, &actions)
      } else {
        actions.append(.schedule(.idle, at: due, generation: generation))
      }
    case (.rejection, .rejected(let connection, let error)) where connection.generation == generation:
      reject(connection, error, &actions)
    case (.reconnect, _), (.idle, _), (.rejection, _): break
    }
    return actions
  }

  /// There's no network any more.
  public mutating func networkLost(at moment: Moment) -> [Action] {
    guard configuration.mode == .eventSource, isOnline else { return [] }
    isOnline = false
    var actions: [Action] = []
    pause(at: moment, &actions)
    return actions
  }

  /// The network is back.
  public mutating func networkRestored(at moment: Moment) -> [Action] {
    guard configuration.mode == .eventSource, !isOnline else { return [] }
    isOnline = true
    var actions: [Action] = []
    resume(at: moment, &actions)
    return actions
  }

  /// The app, or the last scene that shows this, went to the background.
  public mutating func enteredBackground(at moment: Moment) -> [Action] {
    guard configuration.mode == .eventSource, isForeground else { return [] }
    isForeground = false
    var actions: [Action] = []
    pause(at: moment, &actions)
    return actions
  }

  /// The app came back to the foreground.
  public mutating func enteredForeground(at moment: Moment) -> [Action] {
    guard configuration.mode == .eventSource, !isForeground else { return [] }
    isForeground = true
    if configuration.foregroundUnblocks, access == .blocked { access = .granted }
    var actions: [Action] = []
    resume(at: moment, &actions)
    return actions
  }

  /// Login, logout or a new token: the connection is made anew with them.
  public mutating func credentialsChanged(at moment: Moment) -> [Action] {
    guard configuration.mode == .eventSource else { return [] }
    access = .granted
    hasRefreshed = false
    var actions: [Action] = []
    pause(at: moment, &actions)
    resume(at: moment, &actions)
    return actions
  }

  /// The refresh that ``Action/refreshCredentials(generation:)`` asked for came to an end.
  public mutating func credentialsRefreshed(
    _ isSuccess: Bool, generation: Int, at moment: Moment
  ) -> [Action] {
    guard access == .refreshing(generation: generation) else { return [] }
    access = isSuccess ? .granted : .signedOut
    hasRefreshed = isSuccess
    var actions: [Action] = []
    resume(at: moment, &actions)
    return actions
  }
}
