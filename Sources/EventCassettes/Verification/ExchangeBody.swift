// What a chunking check works on: the body of each exchange in memory, with the places where it was cut when it was
// recorded. Checks compare the same bytes over and over, so unlike recording and replaying they don't stream.

/// The response body of one exchange.
public struct ExchangeBody: Hashable, Sendable {
  /// The exchange's number in the cassette, from 1.
  public var exchange: Int
  /// The body's bytes.
  public var bytes: [UInt8]
  /// The lengths of the recorded chunks; their sum is the count of `bytes`.
  public var chunkLengths: [Int]
  /// The last event ID that was in effect when the body began.
  public var lastEventID: String
  /// Whether a client would read it as an event stream (status 200 and the type `text/event-stream`).
  public var isEventStream: Bool

  /// Creates a body.
  public init(
    exchange: Int = 1, bytes: [UInt8], chunkLengths: [Int]? = nil, lastEventID: String = "",
    isEventStream: Bool = true
  ) {
    self.exchange = exchange
    self.bytes = bytes
    self.chunkLengths = chunkLengths ?? [bytes.count]
    self.lastEventID = lastEventID
    self.isEventStream = isEventStream
  }
}

extension [UInt8] {
  /// The pieces between cuts, in order. A cut that stands there twice gives an empty piece.
  func pieces(cutAt cuts: [Int]) -> some Sequence<[UInt8]> {
    var start = 0
    var index = 0
    return AnyIterator {
      if index < cuts.count {
        let end = Swift.min(Swift.max(cuts[index], start), count)
        defer { start = end }
        index += 1
        return Array(self[start..<end])
      }
      guard start < count else { return nil }
      defer { start = count }
      return Array(self[start...])
    }
  }
}
