// What a client gets next after a fault cut an answer short: a server that keeps its events goes on after the one that the
// client names. Pure.

import EventCassettes
import ServerSentEvents

/// An answer that ended before its exchange did.
struct CutAnswer: Hashable, Sendable {
  /// What the client is to get now.
  enum Sequel: Hashable, Sendable {
    /// The exchange's body from this byte on; so many events come again to a client that has everything that was sent and
    /// can name none of it.
    case rest(from: Int, repeating: Int = 0)
    /// The next exchange: no event of this one is left.
    case nothing
    /// The next exchange, and so many events are lost: those that the client got have no IDs, so it can't name one.
    case lost(Int)
  }

  /// The index of its exchange.
  var index: Int
  /// How much of the exchange's body was sent, by this answer and by those before it.
  var sent = 0
  /// The last event ID that the client had before the exchange.
  var before: [UInt8]
  /// Whether the answer brought an event.
  var isProgress = false

  func sequel(in exchange: PreparedExchange, for request: ReplayRequest) -> Sequel {
    let stream = ResumableStream(
      reading: exchange.body, lastEventID: String(decoding: before, as: UTF8.self))
    let received = stream.events.prefix(stream.eventCount(in: sent))
    let known = request.lastEventID == before ? nil : stream.start(after: request.lastEventID)
    if known == nil, !received.isEmpty, received.allSatisfy({ ($0.id ?? "").isEmpty }) {
      if request.asksAnew { return .rest(from: 0, repeating: received.count) }
      let left = stream.events.count - received.count
      return left > 0 ? .lost(left) : .nothing
    }
    let start = known ?? 0
    if (stream.ends.last ?? 0) <= start { return .nothing }
    // Who names an event gets what is behind it, as from any server, events without an ID of their own among it.
    guard known == nil, let last = received.last, last.lastEventID.utf8.elementsEqual(request.lastEventID)
    else { return .rest(from: start) }
    return .rest(from: start, repeating: received.count - stream.eventCount(in: start))
  }
}

extension PreparedExchange {
  /// The exchange without the first bytes of its body. What the client should have by now comes with the head; what
  /// follows keeps its distance.
  func rest(from offset: Int) -> PreparedExchange {
    guard offset > 0 else { return self }
    var rest = self
    rest.pieces = []
    var end = 0
    for piece in pieces {
      end += piece.bytes.count
      guard end > offset else { continue }
      rest.pieces.append(DeliveredChunk(at: piece.at, bytes: Array(piece.bytes.suffix(end - offset))))
    }
    let gone = max((rest.pieces.first?.at ?? headAt) - headAt, .zero)
    for index in rest.pieces.indices { rest.pieces[index].at -= gone }
    rest.endAt -= gone
    return rest
  }
}
