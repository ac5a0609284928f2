// Chunks for a consumer that is never behind, such as a replay on virtual time. It decides what +Connection decides, and
// leaves out what is needed only where deliveries wait: gathering them as actions and keeping account of each.

extension EventSourceStateMachine {
  /// A chunk of the body arrived, as ``bytesReceived(_:generation:at:)`` has it, for a consumer that is finished with each
  /// delivery before the next one comes.
  ///
  /// - Parameter consume: is handed what the chunk delivers, in order; it counts as processed.
  /// - Returns: the actions after that. They may deliver, too: where the chunk was the stream's last, or where an
  ///   earlier delivery is still waiting.
  package mutating func bytesReceived(
    _ chunk: [UInt8], generation: Int, at moment: Moment, consume: (consuming EventSourceSignal) -> Void
  ) -> [Action] {
    guard case .open(var connection) = phase, connection.generation == generation, ledger.isEmpty else {
      return bytesReceived(chunk, generation: generation, at: moment)
    }
    connection.lastHeard = moment.now
    phase = .open(connection)
    var isFirst = !connection.hasDelivered || givenUp != nil
    var failure: EventStreamLimitError?
    // Taken out for as long as it hands out what it finds: the rest of the machine is needed meanwhile.
    var parser = EventStreamParser(limits: configuration.limits)
    swap(&parser, &self.parser)
    parser.append(chunk) { output, _ in
      switch output {
      case .event(let event):
        if isFirst {
          isFirst = false
          if let gap = admit(event) { consume(.gap(gap)) }
        }
        consume(.event(event))
      case .comment(let comment): consume(.comment(comment))
      case .retry: break  // the parser keeps it
      case .dropped(let bytes): consume(.dropped(bytes: bytes))
      case .failed(let limit): failure = limit
      }
    }
    swap(&parser, &self.parser)
    var actions: [Action] = []
    if let failure { fail(failure, &actions) } else { store(self.parser.lastEventID, &actions) }
    return actions
  }
}
