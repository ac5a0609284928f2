// The parser behind an async sequence: bytes or chunks in, outputs out, as they come. Lazy: nothing is read before the
// consumer asks. `@inlinable` so that the loop is compiled into the consumer's module, next to the sequence's own
// `next()`: a sequence of bytes whose fast path is inlinable (URLSession's) then costs no call and no suspension a byte.

/// What a parser makes of a sequence of chunks (`[UInt8]`, `Data`, any collection of bytes): one parser call a chunk.
///
/// Made by `eventStreamOutputs(limits:lastEventID:)`. Ends when the base ends, after a `failed` output, and when its
/// task is cancelled; throws what the base throws. An unfinished block at the end is discarded, as the standard says.
public struct EventStreamChunkOutputs<Base: AsyncSequence>: AsyncSequence
where Base.Element: Collection, Base.Element.Element == UInt8 {
  /// An event, a comment, a reconnection time, or something that was dropped.
  public typealias Element = EventStreamParser.Output

  @usableFromInline let base: Base
  @usableFromInline let parser: EventStreamParser

  @inlinable init(_ base: Base, _ parser: EventStreamParser) {
    self.base = base
    self.parser = parser
  }

  /// Starts parsing anew.
  @inlinable public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), queue: EventStreamOutputQueue(parser))
  }

  /// Reads the base as far as each output needs.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline var queue: EventStreamOutputQueue

    @inlinable init(base: Base.AsyncIterator, queue: EventStreamOutputQueue) {
      self.base = base
      self.queue = queue
    }

    /// The next output.
    @inlinable @concurrent public mutating func next() async rethrows -> EventStreamParser.Output? {
      while true {
        if Task.isCancelled { return try await stop() }
        if let output = queue.next() { return output }
        if queue.isOver { return nil }
        if let chunk = try await base.next() { queue.append(chunk) } else { queue.finish() }
      }
    }

    /// Asks a last time, so that a base that somebody still holds hears of the cancellation and closes what is beneath.
    @inlinable @concurrent mutating func stop() async rethrows -> EventStreamParser.Output? {
      guard !queue.isOver else { return nil }
      queue.finish()
      _ = try await base.next()
      return nil
    }
  }
}

/// What a parser makes of a sequence of single bytes: one parser call a line, or a piece of a long one.
///
/// The parser can say nothing new before a line ends, so bytes are collected up to that; an event comes out with the
/// first byte of the line end that completes it. For the rest see ``EventStreamChunkOutputs``.
public struct EventStreamByteOutputs<Base: AsyncSequence>: AsyncSequence where Base.Element == UInt8 {
  /// An event, a comment, a reconnection time, or something that was dropped.
  public typealias Element = EventStreamParser.Output

  @usableFromInline let base: Base
  @usableFromInline let parser: EventStreamParser

  @inlinable init(_ base: Base, _ parser: EventStreamParser) {
    self.base = base
    self.parser = parser
  }

  /// Starts parsing anew.
  @inlinable public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), queue: EventStreamOutputQueue(parser))
  }

  /// Reads the base as far as each output needs.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var base: Base.AsyncIterator
    @usableFromInline var queue: EventStreamOutputQueue
    @usableFromInline var line: [UInt8] = []

    @inlinable init(base: Base.AsyncIterator, queue: EventStreamOutputQueue) {
      self.base = base
      self.queue = queue
    }

    /// The next output.
    @inlinable @concurrent public mutating func next() async rethrows -> EventStreamParser.Output? {
      while true {
        if Task.isCancelled { return try await stop() }
        if let output = queue.next() { return output }
        if queue.isOver { return nil }
        var isAtEnd = true
        while let byte = try await base.next() {
          line.append(byte)
          if byte == 0x0A || byte == 0x0D || line.count == 4096 {
            isAtEnd = false
            break
          }
        }
        queue.append(line)
        line.removeAll(keepingCapacity: true)
        if isAtEnd { queue.finish() }
      }
    }

    /// Asks a last time, so that a base that somebody still holds hears of the cancellation and closes what is beneath.
    @inlinable @concurrent mutating func stop() async rethrows -> EventStreamParser.Output? {
      guard !queue.isOver else { return nil }
      queue.finish()
      _ = try await base.next()
      return nil
    }
  }
}

/// The outputs that a chunk brought, waiting to be taken one by one.
@usableFromInline struct EventStreamOutputQueue: Sendable {
  @usableFromInline var parser: EventStreamParser
  @usableFromInline var waiting: [EventStreamParser.Output] = []
  @usableFromInline var taken = 0
  @usableFromInline var isOver = false

  @usableFromInline init(_ parser: EventStreamParser) {
    self.parser = parser
  }

  @usableFromInline mutating func next() -> EventStreamParser.Output? {
    guard taken < waiting.count else { return nil }
    defer { taken += 1 }
    return waiting[taken]
  }

  @inlinable mutating func append(_ chunk: some Collection<UInt8>) {
    waiting = parser.append(chunk)
    taken = 0
    if parser.failure != nil { isOver = true }
  }

  @usableFromInline mutating func finish() {
    parser.finish()
    isOver = true
  }
}

extension EventStreamChunkOutputs: Sendable where Base: Sendable {}
extension EventStreamByteOutputs: Sendable where Base: Sendable {}

// Iterators belong to one consumer; what they hold decides whether they may be handed to another task.
extension EventStreamChunkOutputs.Iterator: Sendable where Base.AsyncIterator: Sendable {}
extension EventStreamByteOutputs.Iterator: Sendable where Base.AsyncIterator: Sendable {}
