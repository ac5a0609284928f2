// Events as values of the app's own types. The decoder is a closure, so nothing here knows of JSON or Foundation; the
// JSON conveniences are in EventSourceURLSession.

/// The values that a decoder makes of a sequence's events.
///
/// An event that the decoder isn't for is left out; one that it can't decode is reported and left out. Neither ends
/// the sequence: a server that sends one bad payload, or learns a new kind of event, must not stop an app.
public struct AsyncTypedEvents<Base: AsyncSequence, Value>: AsyncSequence
where Base.Element == ServerSentEvent {
  /// A decoded event.
  public typealias Element = Value

  let base: Base
  let decode: @Sendable (ServerSentEvent) throws -> Value?
  let metrics: (any EventSourceMetrics)?
  let onFailure: @Sendable (TypedEventFailure) -> Void

  /// Starts a new pass over the base.
  public func makeAsyncIterator() -> Iterator {
    Iterator(base: base.makeAsyncIterator(), decode: decode, metrics: metrics, onFailure: onFailure)
  }

  /// Reads the base as far as each value needs.
  public struct Iterator: AsyncIteratorProtocol {
    var base: Base.AsyncIterator
    let decode: @Sendable (ServerSentEvent) throws -> Value?
    let metrics: (any EventSourceMetrics)?
    let onFailure: @Sendable (TypedEventFailure) -> Void

    /// The next value.
    @concurrent public mutating func next() async rethrows -> Value? {
      while let event = try await base.next() {
        do {
          if let value = try decode(event) { return value }
        } catch {
          metrics?.record(.decodingFailure)
          onFailure(TypedEventFailure(event, error))
        }
      }
      return nil
    }
  }
}

extension AsyncTypedEvents: Sendable where Base: Sendable {}
extension AsyncTypedEvents.Iterator: Sendable where Base.AsyncIterator: Sendable {}

extension AsyncSequence where Element == ServerSentEvent {
  /// The events of one type, decoded.
  ///
  /// Events of other types, known or not, are ignored, and so are heartbeats, which are comments and no events at all.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - name: the event type to take: the stream's `event` field, or `message` for events without one.
  ///   - metrics: counts what could not be decoded.
  ///   - onFailure: takes what could not be decoded, without its content; the sequence goes on.
  ///   - decode: makes a value of an event, or throws.
  public func events<Value>(
    of type: Value.Type = Value.self, named name: String = "message",
    metrics: (any EventSourceMetrics)? = nil,
    onFailure: @escaping @Sendable (TypedEventFailure) -> Void = { _ in },
    decode: @escaping @Sendable (ServerSentEvent) throws -> Value
  ) -> AsyncTypedEvents<Self, Value> {
    decodedEvents(metrics: metrics, onFailure: onFailure) { event in
      event.type.utf8.elementsEqual(name.utf8) ? try decode(event) : nil
    }
  }

  /// The events of several types, decoded into one, an enum for instance.
  ///
  /// - Parameters:
  ///   - metrics: counts what could not be decoded.
  ///   - onFailure: takes what could not be decoded, without its content; the sequence goes on.
  ///   - decode: makes a value of an event, or gives `nil` for one that is none of its business, or throws.
  public func decodedEvents<Value>(
    metrics: (any EventSourceMetrics)? = nil,
    onFailure: @escaping @Sendable (TypedEventFailure) -> Void = { _ in },
    decode: @escaping @Sendable (ServerSentEvent) throws -> Value?
  ) -> AsyncTypedEvents<Self, Value> {
    AsyncTypedEvents(base: self, decode: decode, metrics: metrics, onFailure: onFailure)
  }
}

extension ServerSentEvent {
  /// Whether this is the `[DONE]` with which LLM endpoints of the OpenAI family end a stream that is complete.
  public var isDone: Bool { data.utf8.elementsEqual("[DONE]".utf8) }
}
