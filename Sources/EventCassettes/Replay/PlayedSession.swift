// The exchanges of a cassette as a transport gives them, and whose turn it is. Pure: ReplayTransport and the URLProtocol
// carry it out, each in its own way.

package import ServerSentEvents

/// A session that is played to a real client: request n+1 gets exchange n+1.
package struct PlayedSession: Sendable {
  private let exchanges: [PlayedExchange]
  private var queue: ExchangeQueue

  package init(_ cassette: Cassette, name: String, plan: ChunkBoundaryPlan, matching: RequestMatching) {
    exchanges = cassette.playedExchanges(plan: plan)
    queue = ExchangeQueue(cassette.exchanges, matching: matching, cassetteName: name)
  }

  /// How many exchanges were asked for.
  package var played: Int { queue.next }
  /// Whether all were.
  package var isExhausted: Bool { queue.isExhausted }

  /// The facts for a request, at their times since the request; redirect hops are joined to one connection.
  package mutating func facts(
    for request: EventStreamRequest
  ) throws(ReplayMismatch) -> [StampedTransportFact] {
    var index = try queue.take(request)
    var facts = exchanges[index].facts
    while exchanges[index].isRedirect {
      queue.skip()
      index += 1
      let start = facts.last?.at ?? .zero
      facts += exchanges[index].facts.map { StampedTransportFact(at: start + $0.at, $0.fact) }
    }
    return facts
  }
}

/// One exchange with its facts at their times since the connection's beginning.
struct PlayedExchange: Sendable {
  var facts: [StampedTransportFact]
  /// Whether the next exchange is this one's next hop.
  var isRedirect = false
}

extension Cassette {
  /// The exchanges as a transport gives them, cut by a plan.
  func playedExchanges(plan: ChunkBoundaryPlan) -> [PlayedExchange] {
    var cutter = ChunkCutter(plan: plan)
    return exchanges.enumerated().map { index, exchange in
      var elapsed: Duration = .zero
      var played = PlayedExchange(facts: [])
      if let response = exchange.response {
        elapsed += .microseconds(response.delay)
        let next = index + 1 < exchanges.count ? exchanges[index + 1] : nil
        if response.isRedirect, let next, next.recording == exchange.recording {
          played.isRedirect = true
          let request = next.request.request(body: next.requestBody)
          played.facts.append(StampedTransportFact(at: elapsed, .redirect(response.head, to: request)))
        } else {
          played.facts.append(StampedTransportFact(at: elapsed, .response(response.head)))
        }
      }
      for chunk in exchange.chunks {
        elapsed += .microseconds(chunk.delay)
        played.facts += cutter.append(chunk.bytes, at: elapsed).map {
          StampedTransportFact(at: $0.at, .bytes($0.bytes))
        }
      }
      if let last = cutter.endExchange() {
        played.facts.append(StampedTransportFact(at: last.at, .bytes(last.bytes)))
      }
      if played.isRedirect { return PlayedExchange(facts: Array(played.facts.prefix(1)), isRedirect: true) }
      // A transport never gives empty chunks.
      played.facts.removeAll { $0.fact == .bytes([]) }
      let end = exchange.end
      elapsed += .microseconds(end?.delay ?? 0)
      played.facts.append(
        StampedTransportFact(
          at: elapsed, .ended(end?.cause ?? .cancelled, detail: end?.detail ?? "the recording ends here")))
      return played
    }
  }
}
