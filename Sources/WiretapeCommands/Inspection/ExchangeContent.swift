// What one exchange's body holds, in numbers and in warnings. Chunks are gathered and read together, since nothing of it
// depends on how they were cut: two readers over twenty bytes cost more than the rest of looking into a cassette.

import EventCassettes
import ServerSentEvents

/// Counts what is in a body while it is read, in constant memory.
struct ExchangeContent {
  private(set) var events = 0
  private(set) var comments = 0
  private var parser = EventStreamParser()
  private var warnings: ExchangeWarnings
  private var gathered: [UInt8] = []

  /// So many bytes are read together.
  private static let enough = 16 << 10

  /// Begins an exchange, by its number from 1.
  init(exchange: Int) {
    warnings = ExchangeWarnings(exchange: exchange)
    gathered.reserveCapacity(2 * Self.enough)
  }

  /// Takes the response's head.
  mutating func take(_ response: Cassette.Response) { warnings.take(response) }

  /// Takes the next bytes of the body.
  mutating func append(_ bytes: Span<UInt8>) {
    gathered.append(copying: bytes)
    if gathered.count >= Self.enough { read() }
  }

  /// Ends the exchange, and returns all that was found, in the order of the offsets.
  mutating func finish() -> [CassetteSummary.Warning] {
    read()
    return warnings.finish()
  }

  private mutating func read() {
    var bytes: [UInt8] = []
    swap(&bytes, &gathered)
    var (events, comments) = (0, 0)
    parser.visit(bytes.span) { visit, _, _, _ in
      switch visit {
      case .event: events += 1
      case .comment: comments += 1
      case .retry, .dropped, .failed: break
      }
    }
    self.events += events
    self.comments += comments
    warnings.append(bytes.span)
    bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Self.enough)
    gathered = bytes
  }
}
