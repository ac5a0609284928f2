// Where a fault falls in an answer, and whether there is such a place at all.

import EventCassettes
import ServerSentEvents

extension FaultSpec {
  /// Its offset in the answer with an exchange, or with the rest of one from byte `start` on; `nil` where it doesn't fall
  /// into that. `N/OFFSET` is a place in the exchange, whichever answer brings it; other places count in each answer.
  func offset(in exchange: PreparedExchange, from start: Int = 0) -> Int? {
    var length = exchange.bodyLength
    var place: Int
    if case .exchange(let number) = answer {
      guard number == exchange.number else { return nil }
      place = resolved(within: length)
      if isInBody { place -= start }
      length -= start
    } else {
      length -= start
      place = resolved(within: length)
    }
    return isInBody && !(0...length).contains(place) ? nil : place
  }

  /// Whether its offset counts bytes of a body.
  var isInBody: Bool { type(of: kind.fault).extent == .body }

  /// Why it can happen in no answer with these exchanges, in the words that follow a colon; `nil` where it can.
  func obstacle(in exchanges: [PreparedExchange]) -> String? {
    var candidates = exchanges
    if case .exchange(let number) = answer {
      guard number <= exchanges.count else {
        return exchanges.count == 1
          ? "the cassette holds one exchange" : "the cassette holds \(exchanges.count) exchanges"
      }
      candidates = [exchanges[number - 1]]
    }
    if candidates.contains(where: canHappen) { return nil }
    if candidates.allSatisfy({ $0.head == nil }), candidates.contains(where: { offset(in: $0) != nil }) {
      return candidates.count == 1 && answer != .first
        ? "exchange \(candidates[0].number) has no answer" : "the cassette holds no answer"
    }
    let longest = candidates.map(\.bodyLength).max() ?? 0
    guard isInBody else { return "no response head in the cassette is so long" }
    guard case .at(let offset) = offset, offset > longest else {
      return "there is no whole event at that place"
    }
    if case .exchange(let number) = answer { return "the body of exchange \(number) has \(longest) bytes" }
    return "the longest body in the cassette has \(longest) bytes"
  }

  private func canHappen(in exchange: PreparedExchange) -> Bool {
    guard let offset = offset(in: exchange) else { return false }
    return kind.fault.effects(on: exchange, at: offset).contains { effect in
      switch effect {
      case .answer: true
      case .setHeader, .body: exchange.head != nil
      case .splitHead(let offset, _):
        exchange.head.map {
          offset < ResponseHead(status: $0.status, headers: $0.headers, framing: .chunked).bytes.count
        } ?? false
      }
    }
  }

  private func resolved(within length: Int) -> Int {
    switch offset {
    case .at(let given): return given
    case .random(let seed):
      var generator = SplitMix64(seed: seed)
      // The high half of the product: the same everywhere and forever, which the standard library doesn't promise.
      return Int(generator.next().multipliedFullWidth(by: UInt64(length) + 1).high)
    }
  }
}
