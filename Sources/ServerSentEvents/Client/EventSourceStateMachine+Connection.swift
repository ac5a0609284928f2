// Facts about connections: what the transport reports. Each names the generation of its connection; one that is not
// the live connection's changes nothing. What the body's bytes become is in +Bytes.

extension EventSourceStateMachine {
  /// More redirects than any honest server needs; the Fetch Standard's limit.
  static let mostRedirects = 20

  /// The transport was redirected and follows.
  public mutating func redirectReceived(
    _ response: EventStreamResponse, to request: EventStreamRequest, generation: Int, at moment: Moment
  ) -> [Action] {
    guard case .connecting(var connection) = phase, connection.generation == generation else { return [] }
    connection.redirects += 1
    connection.lastHeard = moment.now
    phase = .connecting(connection)
    guard connection.redirects > Self.mostRedirects else { return [] }
    var actions: [Action] = [.cancel(generation: generation)]
    let refused = RefusedRedirect.tooMany(limit: Self.mostRedirects, last: request.url)
    let error = EventSourceError(.protocol, status: response.status, detail: refused.description)
    connectionLost(connection, .protocol, error, retryAfter: nil, at: moment, &actions)
    return actions
  }

  /// The response head arrived.
  public mutating func responseReceived(
    _ response: EventStreamResponse, generation: Int, at moment: Moment
  ) -> [Action] {
    guard case .connecting(var connection) = phase, connection.generation == generation else { return [] }
    connection.status = response.status
    connection.lastHeard = moment.now
    var actions: [Action] = []
    let status = response.status
    switch configuration.policy.verdict(
      on: response, mode: configuration.mode, hasCredentials: configuration.hasCredentials)
    {
    case .accept:
      connection.openedAt = moment.now
      hasRefreshed = false
      phase = .open(connection)
      publish(.open, &actions)
      deliver(.open(response), &actions)
    case .stop:
      actions.append(.cancel(generation: generation))
      close(.noContent, announcing: EventSourceError(.noContent, status: status), failing: nil, &actions)
    case .refuse:
      let error =
        status == 200
        ? EventSourceError(
          .badContentType, status: status,
          detail: response.contentType ?? response.headers["Content-Type"] ?? "")
        : EventSourceError(.badStatus, status: status)
      // The body often says why: its beginning is awaited, but not for long.
      phase = .rejected(connection, error)
      actions.append(.unschedule(.idle))
      actions.append(.schedule(.rejection, at: moment.now + .seconds(1), generation: generation))
    case .refresh:
      deny(hasRefreshed ? .signedOut : .refreshing(generation: generation), connection, at: moment, &actions)
      if !hasRefreshed { actions.append(.refreshCredentials(generation: generation)) }
    case .block:
      deny(.blocked, connection, at: moment, &actions)
    case .retry:
      actions.append(.cancel(generation: generation))
      let error = EventSourceError(.badStatus, status: status)
      connectionLost(
        connection, .complete, error, retryAfter: retryAfter(of: response, at: moment), at: moment, &actions)
    }
    return actions
  }

  /// The connection ended.
  public mutating func connectionEnded(
    _ end: ConnectionEnd, detail: String = "", generation: Int, at moment: Moment
  ) -> [Action] {
    var actions: [Action] = []
    switch phase {
    case .connecting(let connection) where connection.generation == generation,
      .open(let connection) where connection.generation == generation:
      let error = EventSourceError(end, status: connection.status, detail: detail)
      connectionLost(connection, end, error, retryAfter: nil, at: moment, &actions)
    case .rejected(let connection, var error) where connection.generation == generation:
      // A redirect that isn't followed is an answer like any other; why it isn't, the transport says with the end. It
      // also explains there an answer that it made itself.
      let isRedirect = error.status.map { (300..<400).contains($0) } ?? false
      if let status = error.status, !detail.isEmpty, isRedirect ? end == .protocol : end == .complete {
        error = EventSourceError(error.code, status: status, detail: detail, body: error.body)
      }
      reject(connection, error, isOver: true, &actions)
    case .idle, .connecting, .open, .rejected, .waiting, .held, .closed: break
    }
    return actions
  }

  /// The stream broke the parser's limits.
  mutating func fail(_ limit: EventStreamLimitError, _ actions: inout [Action]) {
    if let connection { actions.append(.cancel(generation: connection.generation)) }
    let error = EventSourceError(.limitExceeded, status: 200, detail: limit.description)
    close(.fatalResponse, announcing: error, failing: error, &actions)
  }

  /// The fatal answer's body is in, or as much of it as is wanted.
  mutating func reject(
    _ connection: Connection, _ error: EventSourceError, isOver: Bool = false, _ actions: inout [Action]
  ) {
    if !isOver { actions.append(.cancel(generation: connection.generation)) }
    let reason: EventSourceCloseReason = configuration.mode == .oneShot ? .oneShot : .fatalResponse
    close(reason, announcing: error, failing: error, &actions)
  }

  private mutating func deny(
    _ access: Access, _ connection: Connection, at moment: Moment, _ actions: inout [Action]
  ) {
    actions.append(.cancel(generation: connection.generation))
    self.access = access
    leaveConnection(connection, at: moment, &actions)
    deliver(.error(EventSourceError(.badStatus, status: connection.status)), &actions)
    hold(&actions)
  }

  /// The server's wish for a pause: a date is measured by the response's own clock where it shows it.
  private func retryAfter(of response: EventStreamResponse, at moment: Moment) -> Duration? {
    guard let value = response.headers["Retry-After"] else { return nil }
    let dated = response.headers["Date"].flatMap { RetryAfter($0, now: moment.unixTime ?? 0) }
    var now = moment.unixTime
    if case .date(let serverTime) = dated { now = serverTime }
    guard let wish = RetryAfter(value, now: now ?? 0) else { return nil }
    if case .date = wish, now == nil { return nil }
    return .seconds(wish.delay(now: now ?? 0))
  }
}
