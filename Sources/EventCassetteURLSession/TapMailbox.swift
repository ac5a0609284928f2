// The bounded queue between URLSession's callbacks, which can't wait, and the task that hands them to the recording.

import EventCassettes
import Foundation
import ServerSentEvents

/// What was forwarded and not yet taken. Putting never waits; what doesn't fit is counted and told on the cassette.
final class TapMailbox: @unchecked Sendable {
  // @unchecked: the variables are touched with the lock held, nowhere else.
  enum Item: Sendable {
    case begin(RecordedConnection, EventStreamRequest, at: Duration)
    case fact(RecordedConnection, StampedTransportFact)
    /// Bytes as URLSession gives them: they are copied by whoever takes them, not in the callback.
    case data(RecordedConnection, Data, at: Duration)
    case note(Cassette.Note.Event, JSONObject, at: Duration)

    /// About the memory that it takes.
    var weight: Int {
      switch self {
      case .begin(_, let request, _): 512 + request.body.count
      case .fact, .note: 512
      case .data(_, let data, _): 64 + data.count
      }
    }

    var at: Duration {
      switch self {
      case .begin(_, _, let at), .data(_, _, let at), .note(_, _, let at): at
      case .fact(_, let fact): fact.at
      }
    }
  }

  /// What was put in, in order; ends with ``close()``.
  let items: AsyncStream<Item>

  private let continuation: AsyncStream<Item>.Continuation
  private let limit: Int
  private let lock = NSLock()
  private var weight = 0
  private var lost = (chunks: Int64(0), bytes: Int64(0), others: Int64(0), at: Duration.zero)
  private var isClosed = false

  /// A mailbox for about `limit` bytes; begins, ends and notes may take as much again, and 64 KiB in any case.
  init(limit: Int) {
    self.limit = min(max(limit, 0), 1 << 40)
    (items, continuation) = AsyncStream.makeStream(of: Item.self)
  }

  func put(_ item: Item) {
    lock.withLock {
      if isClosed { return }
      let isChunk = if case .data = item { true } else { false }
      if weight + item.weight > (isChunk ? limit : limit * 2 + 65_536) {
        if case .data(_, let data, _) = item {
          lost.chunks += 1
          lost.bytes += Int64(data.count)
        } else {
          lost.others += 1
        }
        lost.at = item.at
        return
      }
      tellLoss()
      weight += item.weight
      continuation.yield(item)
    }
  }

  /// Notes that an item was taken out.
  func took(_ item: Item) { lock.withLock { weight -= item.weight } }

  /// Takes nothing more in; what waits can still be taken.
  func close() {
    lock.withLock {
      if isClosed { return }
      tellLoss()
      isClosed = true
      continuation.finish()
    }
  }

  /// With the lock held.
  private func tellLoss() {
    guard lost.chunks > 0 || lost.others > 0 else { return }
    let counts: JSONObject = [
      "chunks": .integer(lost.chunks), "bytes": .integer(lost.bytes), "others": .integer(lost.others),
    ]
    let note = Item.note(.overflow, counts, at: lost.at)
    weight += note.weight
    continuation.yield(note)
    lost = (0, 0, 0, .zero)
  }
}
