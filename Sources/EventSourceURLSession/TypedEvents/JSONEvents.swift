// JSON payloads: ServerSentEvents' typed events with Foundation's JSONDecoder put in.

public import Foundation
public import ServerSentEvents

extension AsyncSequence where Element == ServerSentEvent {
  /// The events of one type, decoded from JSON.
  ///
  /// ```swift
  /// for try await order in source.events(of: Order.self, named: "order", dates: .iso8601, onFailure: report) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - name: the event type to take; `message` for events without an `event` field.
  ///   - dates: the backend's date format.
  ///   - metrics: counts what could not be decoded.
  ///   - onFailure: takes what could not be decoded, without its content; the sequence goes on.
  public func events<Value: Decodable & SendableMetatype>(
    of type: Value.Type, named name: String = "message",
    dates: JSONDecoder.DateDecodingStrategy = .deferredToDate, metrics: (any EventSourceMetrics)? = nil,
    onFailure: @escaping @Sendable (TypedEventFailure) -> Void = { _ in }
  ) -> AsyncTypedEvents<Self, Value> {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = dates
    return events(of: type, named: name, decoder: decoder, metrics: metrics, onFailure: onFailure)
  }

  /// The events of one type, decoded from JSON by the app's own decoder.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - name: the event type to take; `message` for events without an `event` field.
  ///   - decoder: set up as the backend needs it; don't change it afterwards.
  ///   - metrics: counts what could not be decoded.
  ///   - onFailure: takes what could not be decoded, without its content; the sequence goes on.
  public func events<Value: Decodable & SendableMetatype>(
    of type: Value.Type, named name: String = "message", decoder: JSONDecoder,
    metrics: (any EventSourceMetrics)? = nil,
    onFailure: @escaping @Sendable (TypedEventFailure) -> Void = { _ in }
  ) -> AsyncTypedEvents<Self, Value> {
    events(of: type, named: name, metrics: metrics, onFailure: onFailure) { event in
      try decoder.decode(Value.self, from: Data(event.data.utf8))
    }
  }
}

extension ServerSentEvent {
  /// The payload decoded from JSON, or `nil` if it's something else: `[DONE]`, an error object, another type.
  ///
  /// - Parameters:
  ///   - type: what to decode.
  ///   - decoder: the decoder to use.
  public func decode<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) -> Value? {
    try? decoder.decode(Value.self, from: Data(data.utf8))
  }
}
