// What the driver's metrics are made of: it looks on as facts come in and actions go out, and keeps the few times that
// a measurement needs. Only numbers and causes leave it.

/// Turns what an event source does into measurements.
struct EventSourceMeter: Sendable {
  private let metrics: any EventSourceMetrics
  private var attempts = 0
  private var startedAt = Duration.zero
  private var status: Int?
  private var lastError: EventSourceError?
  private var foregroundSince: Duration?

  init(_ metrics: any EventSourceMetrics) {
    self.metrics = metrics
  }

  mutating func enteredForeground(at now: Duration) { foregroundSince = now }

  mutating func received(_ fact: EventStreamTransportFact, at now: Duration) {
    switch fact {
    case .redirect, .bytes: break
    case .response(let response):
      status = response.status
      metrics.record(.response(status: response.status, after: now - startedAt))
    case .ended(let end, _): metrics.record(.connectionEnded(end, status: status, after: now - startedAt))
    }
  }

  /// `reason` is what the app told, where that led to the actions.
  mutating func observe(
    _ actions: [EventSourceStateMachine.Action], because reason: EventSourceMetric.ReconnectReason?,
    at now: Duration
  ) {
    for (index, action) in actions.enumerated() {
      switch action {
      case .connect:
        if attempts > 0, let reason { metrics.record(.reconnect(reason, delay: .zero)) }
        attempts += 1
        startedAt = now
        status = nil
        metrics.record(.connectionAttempt(number: attempts))
      case .cancel:
        let isIdle = actions[index...].contains(.deliver(.error(EventSourceError(.timedOut))))
        let end: ConnectionEnd = isIdle ? .timedOut : .cancelled
        metrics.record(.connectionEnded(end, status: status, after: now - startedAt))
      case .deliver(let signal): observe(signal, at: now)
      case .publishState(.reconnecting(let time)):
        if let reason { metrics.record(.reconnect(reason, delay: time - now)) }
      case .schedule, .unschedule, .refreshCredentials, .publishState, .storeLastEventID, .stop: break
      }
    }
  }

  func handedOver(_ signal: EventSourceSignal, arrived: Duration, at now: Duration) {
    if case .event = signal { metrics.record(.eventHandled(latency: now - arrived)) }
  }

  func storeFailed() { metrics.record(.storeFailure) }

  /// Takes what is delivered apart from actions.
  mutating func observe(_ signal: EventSourceSignal, at now: Duration) {
    switch signal {
    case .event:
      guard let since = foregroundSince else { break }
      foregroundSince = nil
      metrics.record(.firstEventAfterForeground(after: now - since))
    case .error(let error):
      lastError = error
      if error.code == .limitExceeded { metrics.record(.parseFailure(droppedBytes: 0)) }
    case .reconnecting(let delay): metrics.record(.reconnect(reason(of: lastError), delay: delay))
    case .dropped(let bytes): metrics.record(.parseFailure(droppedBytes: bytes))
    case .open, .comment, .gap, .closed: break
    }
  }

  private func reason(of error: EventSourceError?) -> EventSourceMetric.ReconnectReason {
    switch error?.code {
    case .streamEnded?: .cleanEnd
    case .timedOut?: .idle
    case .badStatus?: .serverBusy
    default: .connectionLost  // codes are open: whatever else ends a connection has lost it
    }
  }
}
