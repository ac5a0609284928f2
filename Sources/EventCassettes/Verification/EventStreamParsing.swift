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
/// further for the same cost: see ``ChunkingCertainty``.
public protocol EventStreamParsing<Output> {
  /// What it gives: `ServerSentEvent`, or more.
  associatedtype Output: Equatable & Sendable

  /// Takes the next chunk of the stream (it may be empty, which means nothing) and gives what that completed.
  mutating func append(_ chunk: [UInt8]) -> [Output]
  /// Takes the end of the stream and gives what that completed: nothing, for a parser that follows the standard.
  mutating func end() -> [Output]
  /// Takes the next chunk, and says whether it completed just these outputs. A proof calls this millions of times; a
  /// parser that can compare without making the outputs saves most of its cost. What it does to the state must be
  /// what `append(_:)` does.
  mutating func append(_ chunk: Span<UInt8>, gives outputs: ArraySlice<Output>) -> Bool
}

extension EventStreamParsing {
  /// Makes the outputs and compares them.
  public mutating func append(_ chunk: Span<UInt8>, gives outputs: ArraySlice<Output>) -> Bool {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(chunk.count)
    for index in chunk.indices { bytes.append(chunk[index]) }
    return append(bytes).elementsEqual(outputs)
  }

  /// Nothing: an unfinished last block is discarded, as the standard says.
  public mutating func end() -> [Output] { [] }
}

extension EventStreamParser: EventStreamParsing {
  /// Ends the stream; the unfinished block is discarded.
  public mutating func end() -> [Output] {
    finish()
    return []
  }

  /// Compares the visitor's bytes with the outputs, so that no text is made.
  public mutating func append(_ chunk: Span<UInt8>, gives outputs: ArraySlice<Output>) -> Bool {
    var index = outputs.startIndex
    var isSame = true
    visit(chunk) { visit, payload, name, lastEventID in
      guard isSame, index < outputs.endIndex else {
        isSame = false
        return
      }
      switch (visit, outputs[index]) {
      case (.event(let hasID, let retry, _), .event(let event)):
        isSame =
          retry == event.retry && hasID == (event.id != nil) && payload.decodes(to: event.data)
          && name.decodes(to: event.name ?? "") && lastEventID.decodes(to: event.lastEventID)
          && (event.id.map { lastEventID.decodes(to: $0) } ?? true)
      case (.comment, .comment(let text)): isSame = payload.decodes(to: text)
      case (.retry(let got, _), .retry(let want)): isSame = got == want
      case (.dropped(let got, _), .dropped(let want)): isSame = got == want
      case (.failed(let got), .failed(let want)): isSame = got == want
      case (.event, _), (.comment, _), (.retry, _), (.dropped, _), (.failed, _): isSame = false
      }
      index += 1
    }
    return isSame && index == outputs.endIndex
  }
}

extension Span<UInt8> {
  /// Whether the text is what these bytes decode to.
  fileprivate func decodes(to text: String) -> Bool {
    if text.hasSameBytes(as: self) { return true }
    // Ill-formed bytes decode to something else than themselves.
    return String(decoding: self).utf8.elementsEqual(text.utf8)
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
