// Bytes of the body into deliveries: transport → parser → deliveries happens here and nowhere else. Each is handed out
// while the chunk is parsed, straight to where it is to wait (a driver's queue, a replay's outputs, actions): with
// small events, every place that gathers them only to copy them on would be felt.

extension EventSourceStateMachine {
  /// A chunk of the body arrived. An empty one is no sign of life.
  public mutating func bytesReceived(
    _ chunk: some Collection<UInt8>, generation: Int, at moment: Moment
  ) -> [Action] {
    chunk.withBytes { bytes in
      var deliveries: [Action] = []
      let actions = bytesReceived(bytes, generation: generation, at: moment) {
        deliveries.append(.deliver($0))
      }
      return deliveries.isEmpty ? actions : deliveries + actions
    }
  }

  /// A chunk of the body arrived, as ``bytesReceived(_:generation:at:)`` has it.
  ///
  /// - Parameters:
  ///   - deliversComments: where nobody wants them, none is made.
  ///   - deliver: is handed what the chunk delivers, in order: the consumer's next deliveries, before those among the
  ///     actions.
  mutating func bytesReceived(
    _ chunk: Span<UInt8>, generation: Int, at moment: Moment, deliversComments: Bool = true,
    deliver: (consuming EventSourceSignal) -> Void
  ) -> [Action] {
    guard !chunk.isEmpty else { return [] }
    switch phase {
    case .open(var connection) where connection.generation == generation:
      connection.lastHeard = moment.now
      return parse(
        chunk, of: connection, keepsAccount: true, deliversComments: deliversComments, at: moment, deliver)
    case .rejected(let connection, var error) where connection.generation == generation:
      let wanted = EventSourceError.longestBody - error.body.count
      error.body.append(copying: chunk.extracting(0..<min(wanted, chunk.count)))
      phase = .rejected(connection, error)
      guard error.body.count == EventSourceError.longestBody else { return [] }
      var actions: [Action] = []
      reject(connection, error, &actions)
      return actions
    case .idle, .connecting, .open, .rejected, .waiting, .held, .closed: return []
    }
  }

  /// A chunk of the body arrived, as ``bytesReceived(_:generation:at:)`` has it, for a consumer that is finished with each
  /// delivery before the next one comes, such as a replay on virtual time.
  ///
  /// - Parameter consume: is handed what the chunk delivers, in order; it counts as processed.
  /// - Returns: the actions after that. They may deliver, too: where the chunk was the stream's last, or where an
  ///   earlier delivery is still waiting.
  package mutating func bytesReceived(
    _ chunk: [UInt8], generation: Int, at moment: Moment, consume: (consuming EventSourceSignal) -> Void
  ) -> [Action] {
    guard case .open(var connection) = phase, connection.generation == generation, ledger.isEmpty,
      !chunk.isEmpty
    else { return bytesReceived(chunk, generation: generation, at: moment) }
    connection.lastHeard = moment.now
    return parse(
      chunk.span, of: connection, keepsAccount: false, deliversComments: true, at: moment, consume)
  }

  /// Why the rest of a chunk counts for nothing.
  private enum Break {
    /// There was no room for this event, or for what is no event.
    case overflow(ServerSentEvent?)
    case failure(EventStreamLimitError)
  }

  /// What doesn't keep account of the deliveries has them processed at once, and always has room.
  private mutating func parse(
    _ chunk: Span<UInt8>, of connection: Connection, keepsAccount: Bool, deliversComments: Bool,
    at moment: Moment, _ deliver: (consuming EventSourceSignal) -> Void
  ) -> [Action] {
    var connection = connection
    // The parser is a part of the machine: what its closure needs of the rest is taken out meanwhile.
    var ledger = DeliveryLedger()
    swap(&ledger, &self.ledger)
    let givenUp = givenUp
    let buffer = configuration.buffer
    let countsSignals = keepsAccount && configuration.delivery == .signals
    var isResuming = givenUp != nil
    // Where a connection that is given up is to be resumed. What is known at an output alone: how far a chunk reaches
    // must make no difference.
    var lastEventID = connection.lastEventID
    var hasEvent = false
    var interruption: Break?
    parser.parse(chunk, eventsAlone: !deliversComments && !countsSignals) {
      (output: consuming EventStreamParser.Output, idInEffect) in
      guard interruption == nil else { return }
      switch consume output {
      case .event(let event):
        if keepsAccount {
          let cost = event.cost
          guard ledger.hasRoom(for: cost, in: buffer) else {
            // One without an ID of its own shows which was set before it.
            if event.id == nil { lastEventID = event.lastEventID }
            interruption = .overflow(event)
            return
          }
          if isResuming, let gap = givenUp?.gap(before: event) {
            if countsSignals { ledger.append(.signal) }
            deliver(.gap(gap))
          }
          ledger.append(DeliveryLedger.Entry(bytes: cost, lastEventID: event.lastEventID))
        } else if isResuming, let gap = givenUp?.gap(before: event) {
          deliver(.gap(gap))
        }
        isResuming = false
        hasEvent = true
        lastEventID = event.lastEventID
        deliver(.event(event))
      case .comment(let comment):
        if countsSignals {
          let entry = DeliveryLedger.Entry.signal(texts: comment.utf8.count)
          guard ledger.hasRoom(for: entry.bytes, in: buffer) else {
            lastEventID = String(decoding: idInEffect)
            interruption = .overflow(nil)
            return
          }
          ledger.append(entry)
        }
        deliver(.comment(comment))
      case .retry: break  // the parser keeps it
      case .dropped(let bytes):
        if countsSignals { ledger.append(.signal) }
        deliver(.dropped(bytes: bytes))
      case .failed(let limit): interruption = .failure(limit)
      }
    }
    swap(&ledger, &self.ledger)
    if !isResuming { self.givenUp = nil }
    connection.hasDelivered = connection.hasDelivered || hasEvent
    connection.lastEventID = lastEventID
    phase = .open(connection)
    var actions: [Action] = []
    switch interruption {
    case .overflow(let event): overflow(resumingAfter: lastEventID, without: event, at: moment, &actions)
    case .failure(let limit): fail(limit, &actions)
    // An ID without an event counts as soon as nothing before it waits.
    case nil: if self.ledger.isEmpty { storeParsedID(&actions) }
    }
    return actions
  }
}

extension EventSourceStateMachine.GivenUp {
  /// A resumed stream that doesn't begin where it should has a gap in front of its first event: something was left out, or
  /// is repeated.
  func gap(before first: ServerSentEvent) -> EventSourceGap? {
    let isResumed =
      if let id = event.id { first.id?.hasSameBytes(as: id) ?? false } else { first == event }
    return isResumed ? nil : .notResumed(after: resumedAfter)
  }
}

extension ServerSentEvent {
  /// What it takes of the buffer.
  @inline(__always)
  fileprivate var cost: Int {
    data.utf8.count + (nonemptyName?.utf8.count ?? 0) + lastEventID.utf8.count
      + EventSourceConfiguration.Buffer.overhead
  }
}
