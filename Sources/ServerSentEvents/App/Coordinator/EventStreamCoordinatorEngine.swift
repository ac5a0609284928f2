// The hands of the coordinator: takes facts one after the other, carries out what the state machine says, and hands
// events to the subscribers. No decision here.

/// Runs one event source for a coordinator. It lives until the coordinator has gone and its facts have been taken.
actor EventStreamCoordinatorEngine {
  /// A subscriber and what it asked for.
  struct Subscriber: Sendable {
    let inbox: EventInbox
    let scene: String?
    let filter: @Sendable (ServerSentEvent) -> Bool
  }

  /// What arrives, in the order in which it happened.
  enum Fact: Sendable {
    case machine(EventStreamCoordinatorStateMachine.Fact)
    case observe(AsyncStream<EventStreamConnectionState>.Continuation)
    case forget(observer: Int)
    case subscribe(Subscriber)
    case unsubscribe(ObjectIdentifier)
  }

  private let source: EventSource
  private let clock: any EventStreamClock
  private let facts: AsyncStream<Fact>.Continuation
  private var machine = EventStreamCoordinatorStateMachine()
  private var repeats: RepeatedEventFilter
  private var subscribers: [ObjectIdentifier: Subscriber] = [:]
  private var states = EventSourceBroadcast<EventStreamConnectionState>()
  private var run = 0
  private var pump: Task<Void, Never>?

  init(
    _ request: EventStreamRequest, configuration: EventSourceConfiguration,
    environment: EventSourceEnvironment,
    repeats: Int, facts: AsyncStream<Fact>.Continuation
  ) {
    var environment = environment
    if environment.refreshCredentials == nil {
      environment.refreshCredentials = { throw EventSourceError(.badStatus, status: 401) }
    }
    environment.metrics = environment.metrics.map(MetricsWithoutHandling.init)
    source = EventSource(request, configuration: configuration, environment: environment)
    clock = environment.clock
    self.facts = facts
    self.repeats = RepeatedEventFilter(window: repeats)
  }

  /// Takes facts until there will be none any more.
  func run(_ stream: AsyncStream<Fact>) async {
    await source.enteredBackground()
    // The machine waits for the end of each run that it ended: a state that was dropped would leave it waiting.
    let states = await source.driver.observeStates(.unbounded)
    let watching = Task { [facts] in
      for await state in states { facts.yield(.machine(.sourceChanged(state))) }
    }
    for await fact in stream { await take(fact) }
    watching.cancel()
    pump?.cancel()
    await source.close()
    for subscriber in subscribers.values { await subscriber.inbox.finish() }
    self.states.finish()
  }

  private func take(_ fact: Fact) async {
    switch fact {
    case .machine(let fact):
      for action in machine.handle(fact) { await perform(action) }
    case .observe(let continuation):
      let observer = states.add(continuation)
      continuation.onTermination = { [facts] _ in facts.yield(.forget(observer: observer)) }
      continuation.yield(machine.state)
    case .forget(let observer): states.remove(observer)
    case .subscribe(let subscriber):
      subscribers[ObjectIdentifier(subscriber.inbox)] = subscriber
      if let scene = subscriber.scene, machine.activeScenes.contains(scene) {
        await subscriber.inbox.show(true)
      }
    case .unsubscribe(let id):
      await subscribers.removeValue(forKey: id)?.inbox.finish()
    }
  }

  private func perform(_ action: EventStreamCoordinatorStateMachine.Action) async {
    switch action {
    case .start:
      let deliveries = await source.driver.begin(.signals)
      run = deliveries.run
      pump?.cancel()
      pump = Task { [weak self, deliveries] in
        var deliveries = deliveries
        while let signal = try? await deliveries.next() { await self?.receive(signal) }
      }
    case .end: await source.driver.end(run)
    case .tellForeground(let isForeground):
      if isForeground { await source.enteredForeground() } else { await source.enteredBackground() }
    case .tellNetwork(let isOnline):
      if isOnline { await source.networkRestored() } else { await source.networkLost() }
    case .tellCredentials: await source.credentialsChanged()
    case .forgetLastEventID:
      await source.forgetLastEventID()
      repeats.reset()
    case .showScene(let scene, let isVisible):
      for subscriber in subscribers.values where subscriber.scene == scene {
        await subscriber.inbox.show(isVisible)
      }
    case .publish(let state): states.send(state)
    }
  }

  private func receive(_ signal: EventSourceSignal) async {
    switch signal {
    case .event(let event):
      guard repeats.isNew(event) else { return }
      let arrived = clock.now
      for subscriber in subscribers.values where subscriber.filter(event) {
        await subscriber.inbox.add(event, arrived: arrived)
      }
    case .gap, .dropped:
      for subscriber in subscribers.values { await subscriber.inbox.addGap() }
    case .open, .comment, .error, .reconnecting, .closed: break
    }
  }
}

/// The pump takes every event at once, so its event source's handling times mean nothing: subscribers measure theirs.
private struct MetricsWithoutHandling: EventSourceMetrics {
  let metrics: any EventSourceMetrics

  func record(_ metric: EventSourceMetric) {
    if case .eventHandled = metric { return }
    metrics.record(metric)
  }
}
