// The bounded queue between an app's connections and the actor that writes the cassette. Offering never waits for the
// disk: this actor does nothing but append and hand over. What doesn't fit is counted and told on the cassette.

import ServerSentEvents

/// One connection of a recording transport or a tap. Only its identity counts.
package final class RecordedConnection: Sendable {
  package init() {}
}

/// What waits to be recorded.
actor RecordingQueue {
  enum Item: Sendable {
    case begin(RecordedConnection, EventStreamRequest, at: Duration)
    case fact(RecordedConnection, StampedTransportFact)
    case note(Cassette.Note.Event, JSONObject, at: Duration)

    /// About the memory that it takes.
    var weight: Int {
      switch self {
      case .begin(_, let request, _): 512 + request.body.count
      case .fact(_, let fact):
        if case .bytes(let bytes) = fact.fact { 64 + bytes.count } else { 512 }
      case .note: 512
      }
    }

    /// Chunks give way first: without its begin and end an exchange could not be told at all.
    var isChunk: Bool {
      if case .fact(_, let fact) = self, case .bytes = fact.fact { true } else { false }
    }

    var at: Duration {
      switch self {
      case .begin(_, _, let at), .note(_, _, let at): at
      case .fact(_, let fact): fact.at
      }
    }
  }

  private let limit: Int
  private var items: [Item] = []
  private var weight = 0
  private var lost = (chunks: Int64(0), bytes: Int64(0), others: Int64(0), at: Duration.zero)
  private var waiter: CheckedContinuation<Void, Never>?
  private var isClosed = false
  private var hasBegun = false

  /// A queue for about `limit` bytes; begins, ends and notes may take as much again, and 64 KiB in any case.
  init(limit: Int) { self.limit = min(max(limit, 0), 1 << 40) }

  /// Takes an item in, or counts it as lost. True for the first one: somebody must begin to take.
  func offer(_ item: Item) -> Bool {
    if isClosed { return false }
    defer { hasBegun = true }
    let (sum, overflow) = weight.addingReportingOverflow(item.weight)
    if overflow || sum > (item.isChunk ? limit : limit * 2 + 65_536) {
      if case .fact(_, let fact) = item, case .bytes(let bytes) = fact.fact {
        lost.chunks += 1
        lost.bytes += Int64(bytes.count)
      } else {
        lost.others += 1
      }
      lost.at = item.at
      return !hasBegun
    }
    tellLoss()
    items.append(item)
    weight = sum
    wake()
    return !hasBegun
  }

  /// Everything that waits, as soon as there is something; `nil` once the queue is closed and empty.
  func take() async -> [Item]? {
    while items.isEmpty {
      if isClosed { return nil }
      await withCheckedContinuation { waiter = $0 }
    }
    defer {
      items = []
      weight = 0
    }
    return items
  }

  /// Takes nothing more in; what waits can still be taken.
  func close() {
    tellLoss()
    isClosed = true
    wake()
  }

  private func tellLoss() {
    guard lost.chunks > 0 || lost.others > 0 else { return }
    let counts: JSONObject = [
      "chunks": .integer(lost.chunks), "bytes": .integer(lost.bytes), "others": .integer(lost.others),
    ]
    items.append(.note(.overflow, counts, at: lost.at))
    lost = (0, 0, 0, .zero)
  }

  private func wake() {
    waiter?.resume()
    waiter = nil
  }
}
