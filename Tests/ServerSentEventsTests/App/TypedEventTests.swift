// Typed events with a decoder of the test's own: which events it sees, what is said about those it can't decode.
import ServerSentEvents
import Testing

@Suite("Typed events") struct TypedEventTests {
  struct BadNumber: Error {
    var text: String
  }

  func makeStream(_ text: String) -> AsyncStream<[UInt8]> {
    AsyncStream { continuation in
      continuation.yield(Array(text.utf8))
      continuation.finish()
    }
  }

  @Test("unknown names and heartbeats are ignored; a bad payload is reported and a good one follows")
  func named() async {
    let stream = makeStream(
      ": heartbeat\n\nevent: n\ndata: 1\n\nevent: other\ndata: x\n\ndata: 5\n\nevent: n\ndata: secret\n\nevent: n\ndata: 2\n\n"
    )
    let (failures, continuation) = AsyncStream.makeStream(of: TypedEventFailure.self)
    var numbers: [Int] = []
    let metrics = RecordedMetrics()
    let typed = stream.events().events(
      of: Int.self, named: "n", metrics: metrics, onFailure: { continuation.yield($0) }
    ) {
      event in
      guard let number = Int(event.data) else { throw BadNumber(text: event.data) }
      return number
    }
    for await number in typed { numbers.append(number) }
    #expect(numbers == [1, 2])
    #expect(metrics.all == [.decodingFailure])
    continuation.finish()
    var reported: [TypedEventFailure] = []
    for await failure in failures { reported.append(failure) }
    #expect(reported.map(\.code) == [.other])
    #expect(reported.map(\.eventType) == ["n"])
    #expect(reported.map(\.payloadBytes) == [6])
    #expect(!reported.contains { $0.description.contains("secret") })
  }

  @Test("events without a name are of type message")
  func unnamed() async {
    var data: [String] = []
    for await text in makeStream("data: a\n\nevent: x\ndata: b\n\nevent: message\ndata: c\n\n").events()
      .events(decode: { $0.data })
    { data.append(text) }
    #expect(data == ["a", "c"])
  }

  enum Update: Equatable, Sendable { case order(String), message(String) }

  @Test("several types become one enum; nil means none of its business")
  func several() async {
    var updates: [Update] = []
    let typed = makeStream("event: order\ndata: 1\n\nevent: ad\ndata: 2\n\ndata: 3\n\n").events()
      .decodedEvents { event -> Update? in
        switch event.type {
        case "order": .order(event.data)
        case "message": .message(event.data)
        default: nil
        }
      }
    for await update in typed { updates.append(update) }
    #expect(updates == [.order("1"), .message("3")])
  }

  @Test(
    "only [DONE] itself is the end mark",
    arguments: [("[DONE]", true), ("[done]", false), (" [DONE]", false), ("[DONE]\n", false), ("", false)])
  func done(data: String, isDone: Bool) {
    #expect(ServerSentEvent(data: data).isDone == isDone)
  }
}
