// The hands of the state machine: turns its actions into connections, timers and deliveries, and what comes of them
// back into facts. Nothing is decided here. Who iterates, and how, is in EventSource.swift.

/// Runs the state machine of one event source, one iteration ("run") after the other.
///
/// All tasks made here run on this actor and are ended with the run, so that nothing keeps the driver alive but the
/// event source, its iterators, and for a moment a store that is being written.
actor EventSourceDriver {
  private let environment: EventSourceEnvironment
  private var configuration: EventSourceConfiguration
  private var request: EventStreamRequest
  private(set) var machine: EventSourceStateMachine

  private var run = 0
  /// What the run's consumer wants.
  private var delivery = EventSourceConfiguration.Delivery.events
  /// What waits for the consumer, and where somebody measures, when it came.
  private var queue = EventSourceBatch()
  private var arrivals = ArrayQueue<Duration>()
  /// How far the run's consumer is with what it was handed, and how far the machine knows.
  private var progress = DeliveryProgress()
  private var settled = 0
  private var waiter: CheckedContinuation<EventSourceBatch, any Error>?
  private var outcome: Result<Void, any Error>?

  private var connecting: Task<Void, Never>?
  private var timers: [EventSourceStateMachine.Timer: Task<Void, Never>] = [:]
  private var refreshing: Task<Void, Never>?
  private var storing: Task<Void, Never>?
  private var idToStore: String?
  private var hasLoaded = false

  private var isOnline = true
  private var isForeground = true
  private var states = EventSourceBroadcast<EventSourceState>()
  private var notices = EventSourceBroadcast<EventSourceSignal>()
  private var meter: EventSourceMeter?
  /// Drawn anew once a wait was made of it: most facts want none, and drawing is a system call.
  private var jitter: Double

  init(
    _ request: EventStreamRequest, configuration: EventSourceConfiguration,
    environment: EventSourceEnvironment
  ) {
    var configuration = configuration
    configuration.hasCredentials = configuration.hasCredentials || environment.refreshCredentials != nil
    self.request = request
    self.configuration = configuration
    self.environment = environment
    meter = environment.metrics.map(EventSourceMeter.init)
    jitter = environment.jitter()
    machine = EventSourceStateMachine(request, configuration: configuration)
  }

  deinit {
    states.finish()
    notices.finish()
  }

  // MARK: Runs

  /// Starts a run; one that goes on is ended, its iterator gets nothing more.
  func begin(_ delivery: EventSourceConfiguration.Delivery) async -> EventSourceDeliveries {
    end(run)
    run += 1
    progress = DeliveryProgress()
    settled = 0
    let run = run
    let deliveries = EventSourceDeliveries(self, run: run, progress: progress)
    self.delivery = delivery
    var configuration = configuration
    configuration.delivery = delivery
    if hasLoaded {
      // A later run goes on where the consumer was, not where the first one began.
      configuration.lastEventID = machine.processedLastEventID
      request.headers["Last-Event-ID"] = nil
    } else if let store = environment.store {
      do {
        if let stored = try await store.load() { configuration.lastEventID = stored }
      } catch {
        meter?.storeFailed()
      }
      guard run == self.run else { return deliveries }
    }
    hasLoaded = true
    let retry = machine.retry
    emptyQueue()
    outcome = nil
    machine = EventSourceStateMachine(request, configuration: configuration, retry: retry)
    if !isOnline { perform(machine.networkLost(at: moment)) }
    if !isForeground { perform(machine.enteredBackground(at: moment)) }
    perform(machine.start(at: moment))
    return deliveries
  }

  /// The run's next deliveries; none at its end.
  func next(_ run: Int) async throws -> EventSourceBatch {
    guard run == self.run else { return EventSourceBatch() }
    settle()
    if Task.isCancelled { end(run) }
    if !queue.isEmpty { return takeBatch() }
    if let outcome {
      self.outcome = .success(())
      try outcome.get()
      return EventSourceBatch()
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { waiter = $0 }
    } onCancel: {
      Task { await self.end(run) }
    }
  }

  /// The consumer is gone: what waits is given up, and the connection closes if there still is one.
  func end(_ run: Int) {
    guard run > 0, run == self.run else { return }
    progress.stop()
    settle()
    emptyQueue()
    if outcome == nil { perform(machine.stop()) } else { outcome = .success(()) }
  }

  /// The ID up to which the consumer has processed everything.
  var processedLastEventID: String {
    settle()
    return machine.processedLastEventID
  }

  /// Tells the machine how far the consumer has come: before every other fact, since its room depends on it.
  private func settle() {
    let finished = progress.finished
    guard finished > settled else { return }
    let count = finished - settled
    settled = finished
    perform(machine.eventsConsumed(count, at: moment), because: .overflow)
  }

  /// All that waits, to be handed over; or the first alone, where a store or the metrics want to know of each event as
  /// the consumer comes back from it.
  private func takeBatch() -> EventSourceBatch {
    var batch = EventSourceBatch()
    if environment.store == nil, meter == nil {
      swap(&batch, &queue)
    } else if let first = queue.popFirst() {
      if let arrived = arrivals.popFirst() {
        meter?.handedOver(first, arrived: arrived, at: environment.clock.now)
      }
      append(first, to: &batch)
    }
    return batch
  }

  private func emptyQueue() {
    queue = EventSourceBatch()
    arrivals = ArrayQueue()
  }

  /// Closes whatever goes on.
  func close() { end(run) }

  /// Ends the run and forgets where the stream was, also in the store: another account's events have other IDs.
  func forgetLastEventID() {
    end(run)
    run += 1  // a run that is still loading its ID is over too
    delivery = configuration.delivery
    configuration.lastEventID = ""
    request.headers["Last-Event-ID"] = nil
    hasLoaded = true
    machine = EventSourceStateMachine(request, configuration: configuration)
    store("")
  }

  // MARK: Facts from the app

  func networkChanged(isOnline: Bool) {
    settle()
    self.isOnline = isOnline
    perform(
      isOnline ? machine.networkRestored(at: moment) : machine.networkLost(at: moment),
      because: .networkRestored)
  }

  func appChanged(isForeground: Bool) {
    if isForeground, !self.isForeground { meter?.enteredForeground(at: environment.clock.now) }
    self.isForeground = isForeground
    settle()
    perform(
      isForeground ? machine.enteredForeground(at: moment) : machine.enteredBackground(at: moment),
      because: .foreground)
  }

  func credentialsChanged() {
    settle()
    perform(machine.credentialsChanged(at: moment), because: .credentials)
  }

  /// The states from now on. Who must miss none of them, because it counts, asks for an unbounded buffer.
  func observeStates(
    _ buffer: AsyncStream<EventSourceState>.Continuation.BufferingPolicy =
      .bufferingNewest(EventSourceBroadcast<EventSourceState>.depth)
  ) -> AsyncStream<EventSourceState> {
    let (stream, continuation) = AsyncStream.makeStream(of: EventSourceState.self, bufferingPolicy: buffer)
    let observer = states.add(continuation)
    continuation.onTermination = { [weak self] _ in Task { await self?.removeStates(observer) } }
    continuation.yield(machine.state)
    return stream
  }

  func observeNotices() -> AsyncStream<EventSourceSignal> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EventSourceSignal.self,
      bufferingPolicy: .bufferingNewest(EventSourceBroadcast<EventSourceSignal>.depth))
    let observer = notices.add(continuation)
    continuation.onTermination = { [weak self] _ in Task { await self?.removeNotices(observer) } }
    return stream
  }

  private func removeStates(_ observer: Int) { states.remove(observer) }
  private func removeNotices(_ observer: Int) { notices.remove(observer) }

  // MARK: Actions

  private var moment: EventSourceStateMachine.Moment { .init(now: environment.clock.now, jitter: jitter) }

  private func perform(
    _ actions: [EventSourceStateMachine.Action], because reason: EventSourceMetric.ReconnectReason? = nil
  ) {
    meter?.observe(actions, because: reason, at: environment.clock.now)
    for action in actions {
      switch action {
      case .connect(let request, let generation): connect(request, generation)
      case .cancel:
        connecting?.cancel()
        connecting = nil
      case .schedule(let timer, let time, let generation): schedule(timer, at: time, generation)
      case .unschedule(let timer): timers.removeValue(forKey: timer)?.cancel()
      case .refreshCredentials(let generation): refreshCredentials(generation)
      case .deliver(let signal): deliver(signal, to: &queue)
      case .publishState(let state): states.send(state)
      case .storeLastEventID(let id): store(id)
      case .stop(_, let error): finish(error)
      }
    }
    wakeConsumer()
  }

  /// Hands a consumer that waits what there is for it.
  private func wakeConsumer() {
    guard let waiter else { return }
    if !queue.isEmpty {
      self.waiter = nil
      waiter.resume(returning: takeBatch())
    } else if let outcome {
      self.waiter = nil
      self.outcome = .success(())
      waiter.resume(with: outcome.map { EventSourceBatch() })
    }
  }

  private func connect(_ request: EventStreamRequest, _ generation: Int) {
    connecting = Task {
      var request = request
      if let prepare = environment.prepareRequest {
        do {
          request = try await prepare(request)
        } catch {
          return receive(.ended(.unknown, detail: "preparing the request threw: \(error)"), generation)
        }
        if Task.isCancelled { return }
      }
      for await stamped in environment.transport.connect(request) { receive(stamped.fact, generation) }
      // A transport that ends without its last fact is over all the same.
      receive(.ended(.unknown, detail: "the transport ended without a reason"), generation)
    }
  }

  private func receive(_ fact: EventStreamTransportFact, _ generation: Int) {
    guard generation == machine.liveGeneration, !Task.isCancelled else { return }
    settle()
    meter?.received(fact, at: environment.clock.now)
    switch fact {
    case .redirect(let response, let request):
      perform(machine.redirectReceived(response, to: request, generation: generation, at: moment))
    case .response(let response):
      var moment = moment
      moment.unixTime = environment.unixTime()
      perform(machine.responseReceived(response, generation: generation, at: moment))
    case .bytes(let bytes): receive(bytes, generation)
    case .ended(let end, let detail):
      perform(machine.connectionEnded(end, detail: detail, generation: generation, at: moment))
    }
  }

  private func receive(_ bytes: [UInt8], _ generation: Int) {
    let moment = moment
    // Variables meanwhile: fields of this object would be checked for others' access at each event.
    let wantsEventsAlone = delivery == .events && notices.isEmpty && meter == nil
    var waiting = EventSourceBatch()
    swap(&waiting, &queue)
    let actions = machine.bytesReceived(
      bytes.span, generation: generation, at: moment, deliversComments: !wantsEventsAlone
    ) { signal in
      if wantsEventsAlone {
        if case .event(let event) = signal { waiting.events.append(event) }
      } else {
        meter?.observe(signal, at: moment.now)
        deliver(signal, to: &waiting)
      }
    }
    swap(&waiting, &queue)
    perform(actions)
  }

  private func schedule(_ timer: EventSourceStateMachine.Timer, at time: Duration, _ generation: Int) {
    if timer == .reconnect { jitter = environment.jitter() }
    timers[timer]?.cancel()
    timers[timer] = Task {
      guard (try? await environment.clock.sleep(until: time)) != nil, !Task.isCancelled else { return }
      settle()
      perform(machine.timerFired(timer, generation: generation, at: moment))
    }
  }

  private func refreshCredentials(_ generation: Int) {
    refreshing?.cancel()
    refreshing = Task {
      let isSuccess: Bool
      do {
        guard let refresh = environment.refreshCredentials else { return }  // then the app tells what changed
        try await refresh()
        isSuccess = true
      } catch {
        isSuccess = false
      }
      guard !Task.isCancelled else { return }
      settle()
      perform(
        machine.credentialsRefreshed(isSuccess, generation: generation, at: moment), because: .credentials)
    }
  }

  private func deliver(_ signal: EventSourceSignal, to batch: inout EventSourceBatch) {
    let isEvent = if case .event = signal { true } else { false }
    if !isEvent { notices.send(signal) }
    guard isEvent || delivery == .signals else { return }
    append(signal, to: &batch)
    if meter != nil { arrivals.append(environment.clock.now) }
  }

  private func append(_ signal: EventSourceSignal, to batch: inout EventSourceBatch) {
    if delivery == .events, case .event(let event) = signal {
      batch.events.append(event)
    } else {
      batch.signals.append(signal)
    }
  }

  private func finish(_ error: EventSourceError?) {
    for timer in timers.values { timer.cancel() }
    timers = [:]
    refreshing?.cancel()
    refreshing = nil
    connecting?.cancel()
    connecting = nil
    outcome = error.map { .failure($0) } ?? .success(())
  }

  /// One write at a time; of the IDs that come up meanwhile only the newest matters.
  private func store(_ id: String) {
    guard let store = environment.store else { return }
    idToStore = id
    guard storing == nil else { return }
    storing = Task {
      while let id = idToStore {
        idToStore = nil
        do {
          try await store.store(id)
        } catch {
          meter?.storeFailed()
        }
      }
      storing = nil
    }
  }
}
