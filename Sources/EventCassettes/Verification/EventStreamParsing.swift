// What a check can test: anything that is fed chunks and gives events. Ours conforms, a user's parser adopts it or
// comes as a closure.

public import ServerSentEvents

/// An incremental parser of event streams, as a check feeds it.
///
/// ```swift
/// extension MyParser: EventStreamParsing {
///   mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
///     feed(Data(chunk)).map { ServerSentEvent(name: $0.event, data: $0.data, id: $0.id) }
///   }
/// }
/// ```
///
/// A parser that is a value and `Equatable`, with `==` comparing all that its future depends on, is checked much
/// further for the same cost: see ``ChunkingProof``.
public protocol EventStreamParsing<Output> {
  /// What it gives: `ServerSentEvent`, or more.
  associatedtype Output: Equatable & Sendable

  /// Takes the next chunk of the stream (it may be empty, which means nothing) and gives what that completed.
  mutating func append(_ chunk: [UInt8]) -> [Output]
  /// Takes the end of the stream and gives what that completed: nothing, for a parser that follows the standard.
  mutating func end() -> [Output]
}

extension EventStreamParsing {
  /// Nothing: an unfinished last block is discarded, as the standard says.
  public mutating func end() -> [Output] { [] }
}

extension EventStreamParser: EventStreamParsing {
  /// Ends the stream; the unfinished block is discarded.
  public mutating func end() -> [Output] {
    finish()
    return []
  }
}

/// A parser that is a closure: chunk in, events out.
public struct ClosureParser: EventStreamParsing {
  private let feed: (_ chunk: [UInt8]) -> [ServerSentEvent]

  /// Creates a parser around a closure that holds the state of one stream.
  public init(_ feed: @escaping (_ chunk: [UInt8]) -> [ServerSentEvent]) { self.feed = feed }

  /// Calls the closure.
  public mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] { feed(chunk) }
}
