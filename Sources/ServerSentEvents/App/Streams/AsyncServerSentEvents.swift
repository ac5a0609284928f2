// Events out of any async sequence of bytes or chunks: the operators, and the sequence that keeps only the events.

/// The events of an event stream that comes as an async sequence of bytes or chunks.
///
/// Made by `events()` and `sse()`. Lazy, ends when the base ends or the task is cancelled, throws what the base throws.
public struct AsyncServerSentEvents<Outputs: AsyncSequence>: AsyncSequence
where Outputs.Element == EventStreamParser.Output {
  /// A dispatched event.
  public typealias Element = ServerSentEvent

  @usableFromInline let outputs: Outputs

  @inlinable init(_ outputs: Outputs) {
    self.outputs = outputs
  }

  /// Starts parsing anew.
  @inlinable public func makeAsyncIterator() -> Iterator {
    Iterator(outputs: outputs.makeAsyncIterator())
  }

  /// Reads as far as each event needs.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline var outputs: Outputs.AsyncIterator

    @inlinable init(outputs: Outputs.AsyncIterator) {
      self.outputs = outputs
    }

    /// The next event.
    @inlinable @concurrent public mutating func next() async rethrows -> ServerSentEvent? {
      while let output = try await outputs.next() {
        if case .event(let event) = output { return event }
      }
      return nil
    }
  }
}

extension AsyncServerSentEvents: Sendable where Outputs: Sendable {}
extension AsyncServerSentEvents.Iterator: Sendable where Outputs.AsyncIterator: Sendable {}

extension AsyncSequence where Element == UInt8 {
  /// Everything that the parser makes of these bytes: events, comments, reconnection times, what was dropped.
  ///
  /// - Parameters:
  ///   - limits: bounds for a line and an event. By default what is over them is dropped, reported, and parsing goes on.
  ///   - lastEventID: the last event ID in effect at the beginning.
  @inlinable public func eventStreamOutputs(
    limits: EventStreamParser.Limits = .init(policy: .skipEvent), lastEventID: String = ""
  ) -> EventStreamByteOutputs<Self> {
    EventStreamByteOutputs(self, EventStreamParser(limits: limits, lastEventID: lastEventID))
  }

  /// The events in these bytes, each as soon as it is complete.
  ///
  /// Malformed input never ends the sequence; an event over the limits is left out (or ends the sequence, if the
  /// limits' policy is to fail). Use `eventStreamOutputs` to see that.
  @inlinable public func events(
    limits: EventStreamParser.Limits = .init(policy: .skipEvent), lastEventID: String = ""
  ) -> AsyncServerSentEvents<EventStreamByteOutputs<Self>> {
    AsyncServerSentEvents(eventStreamOutputs(limits: limits, lastEventID: lastEventID))
  }

  /// The events in these bytes: the same as `events()` with its defaults.
  @inlinable public func sse() -> AsyncServerSentEvents<EventStreamByteOutputs<Self>> { events() }
}

extension AsyncSequence where Element: Collection, Element.Element == UInt8 {
  /// Everything that the parser makes of these chunks: events, comments, reconnection times, what was dropped.
  ///
  /// - Parameters:
  ///   - limits: bounds for a line and an event. By default what is over them is dropped, reported, and parsing goes on.
  ///   - lastEventID: the last event ID in effect at the beginning.
  @inlinable public func eventStreamOutputs(
    limits: EventStreamParser.Limits = .init(policy: .skipEvent), lastEventID: String = ""
  ) -> EventStreamChunkOutputs<Self> {
    EventStreamChunkOutputs(self, EventStreamParser(limits: limits, lastEventID: lastEventID))
  }

  /// The events in these chunks, however they were cut, each as soon as it is complete.
  ///
  /// Malformed input never ends the sequence; an event over the limits is left out (or ends the sequence, if the
  /// limits' policy is to fail). Use `eventStreamOutputs` to see that.
  @inlinable public func events(
    limits: EventStreamParser.Limits = .init(policy: .skipEvent), lastEventID: String = ""
  ) -> AsyncServerSentEvents<EventStreamChunkOutputs<Self>> {
    AsyncServerSentEvents(eventStreamOutputs(limits: limits, lastEventID: lastEventID))
  }

  /// The events in these chunks: the same as `events()` with its defaults.
  @inlinable public func sse() -> AsyncServerSentEvents<EventStreamChunkOutputs<Self>> { events() }
}
