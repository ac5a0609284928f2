// What is worth a word about one exchange's answer, for every verb that says it: one list, whoever asks.

import EventCassettes
import ServerSentEvents

/// Gathers the warnings about one exchange while it is read.
struct ExchangeWarnings {
  private let exchange: Int
  private var inspector = StreamInspector()
  private var isEventStream = true
  private var found: [CassetteSummary.Warning] = []

  /// Begins an exchange, by its number from 1.
  init(exchange: Int) { self.exchange = exchange }

  /// Takes the response's head.
  mutating func take(_ response: Cassette.Response) {
    let head = EventStreamResponse(status: response.status, headers: response.headers)
    inspector = StreamInspector(response: head)
    // Nothing is hidden in a body that no client reads; that none does is worth a word.
    isEventStream = head.isEventStream
    if !isEventStream, response.status == 200 || response.status >= 400 {
      let type = head.contentType ?? head.headers["Content-Type"] ?? "missing"
      found.append(
        .init(
          exchange: exchange, offset: 0, what: "content type \(type): no client takes events from this answer"
        ))
    }
  }

  /// Takes the next bytes of the body.
  mutating func append(_ bytes: Span<UInt8>) {
    if isEventStream { inspector.append(bytes) }
  }

  /// Ends the exchange, and returns all that was found, in the order of the offsets.
  mutating func finish() -> [CassetteSummary.Warning] {
    guard isEventStream else { return found }
    return inspector.finish().map { .init(exchange: exchange, offset: $0.offset, what: $0.what) }
  }
}

extension Cassette {
  /// The warnings about all exchanges.
  var warnings: [CassetteSummary.Warning] {
    exchanges.enumerated().flatMap { index, exchange in
      var warnings = ExchangeWarnings(exchange: index + 1)
      if let response = exchange.response { warnings.take(response) }
      for chunk in exchange.chunks { warnings.append(chunk.bytes.span) }
      return warnings.finish()
    }
  }
}
