import EventSourceURLSession
// Typed events from JSON: date formats, and what a failure may say about a payload.
import Foundation
import ServerSentEvents
import Testing

@Suite("JSON events") struct JSONEventTests {
  struct Order: Codable, Equatable, Sendable {
    enum Status: String, Codable, Sendable { case placed, shipped }
    var id: Int
    var status: Status
    var at: Date
    var notes: [String: Int]?
  }

  func makeEvents(_ payloads: [String], name: String = "order") -> AsyncStream<ServerSentEvent> {
    AsyncStream { continuation in
      for payload in payloads { continuation.yield(ServerSentEvent(name: name, data: payload)) }
      continuation.finish()
    }
  }

  @Test("dates come in the backend's format")
  func dates() async throws {
    let date = Date(timeIntervalSince1970: 1_796_040_000)
    let expected = Order(id: 1, status: .shipped, at: date)
    var orders: [Order] = []
    let iso = makeEvents([#"{"id":1,"status":"shipped","at":"2026-11-30T12:00:00Z"}"#])
    for await order in iso.events(of: Order.self, named: "order", dates: .iso8601) { orders.append(order) }
    let millis = makeEvents([#"{"id":1,"status":"shipped","at":1796040000000}"#])
    for await order in millis.events(of: Order.self, named: "order", dates: .millisecondsSince1970) {
      orders.append(order)
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let seconds = makeEvents([#"{"id":1,"status":"shipped","at":1796040000}"#])
    for await order in seconds.events(of: Order.self, named: "order", decoder: decoder) {
      orders.append(order)
    }
    #expect(orders == [expected, expected, expected])
  }

  @Test("an invalid payload is reported without its content and does not end the stream")
  func invalid() async throws {
    let bad: [(payload: String, code: TypedEventFailure.Code)] = [
      ("not json: hunter2", .corrupt), ("", .corrupt), (#"{"id":1,"status":"shipped"}"#, .missingKey),
      (#"{"id":"hunter2","status":"shipped","at":"2026-11-30T12:00:00Z"}"#, .wrongType),
      (#"{"id":null,"status":"shipped","at":"2026-11-30T12:00:00Z"}"#, .missingValue),
      (#"{"id":1,"status":"hunter2","at":"2026-11-30T12:00:00Z"}"#, .corrupt),
      (#"{"id":1,"status":"shipped","at":"hunter2"}"#, .corrupt),
      (#"{"id":1,"status":"shipped","at":"2026-11-30T12:00:00Z","notes":{"hunter2":"x"}}"#, .wrongType),
      ("[DONE]", .corrupt), (#"{"error":{"message":"hunter2"}}"#, .missingKey),
    ]
    let good = #"{"id":2,"status":"placed","at":"2026-11-30T12:00:00Z"}"#
    let (failures, continuation) = AsyncStream.makeStream(of: TypedEventFailure.self)
    let events = makeEvents(bad.map(\.payload) + [good])
    var orders: [Order] = []
    for await order in events.events(
      of: Order.self, named: "order", dates: .iso8601, onFailure: { continuation.yield($0) })
    { orders.append(order) }
    continuation.finish()
    #expect(orders.map(\.id) == [2])
    var reported: [TypedEventFailure] = []
    for await failure in failures { reported.append(failure) }
    #expect(reported.map(\.code) == bad.map(\.code))
    for failure in reported { #expect(!"\(failure) \(failure.detail)".contains("hunter2")) }
    #expect(reported[2].detail == "no member 'at' at depth 0")
    #expect(reported[3].description.contains("expected Int at depth 1"))
  }

  @Test("decode gives nil on a mismatch")
  func decode() {
    struct Token: Codable, Sendable { var text: String }
    #expect(ServerSentEvent(data: #"{"text":"hi"}"#).decode(Token.self)?.text == "hi")
    #expect(ServerSentEvent(data: "[DONE]").decode(Token.self) == nil)
    #expect(ServerSentEvent(data: #"{"text":5}"#).decode(Token.self) == nil)
    #expect(ServerSentEvent(data: "").decode(Token.self) == nil)
    #expect(ServerSentEvent(data: "5").decode(Int.self) == 5)
  }
}
