// An app's own URLSession on a cassette: events, errors, strictness, and that players don't get in each other's way.

import EventCassetteURLSession
import EventCassettes
import EventSourceURLSession
import Foundation
import ServerSentEvents
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

private func makeCassette(_ exchanges: [(body: [String], id: String?, end: ConnectionEnd)]) throws -> Cassette
{
  var writer = try CassetteWriter(inMemoryAtLevel: 6)
  try writer.write(.header(Cassette.Header(recorder: "tests", recordedAt: "2026-01-02T03:04:05Z")))
  for exchange in exchanges {
    var request = Cassette.Request(url: "http://127.0.0.1:1/events?page=1")
    if let id = exchange.id { request.headers.append(HeaderField("Last-Event-ID", id)) }
    try writer.write(.request(request))
    try writer.write(
      .response(Cassette.Response(headers: [HeaderField("Content-Type", "text/event-stream")])))
    for text in exchange.body {
      try writer.write(.chunk(Cassette.Chunk(delay: 1_000, bytes: Array(text.utf8))))
    }
    try writer.write(.end(Cassette.End(cause: exchange.end, detail: "as recorded")))
  }
  try writer.write(.trailer(writer.totals))
  try writer.close()
  return try Cassette(bytes: writer.bytes)
}

private let url = "http://127.0.0.1:9/events?page=1"

@Suite("A cassette behind URLSession", .timeLimit(.minutes(10)))
struct CassettePlayerTests {
  @Test(
    "an event source over URLSession reads a session over its reconnect",
    arguments: [ReplaySpeed.instant, .times(10)])
  func eventSource(speed: ReplaySpeed) async throws {
    let cassette = try makeCassette([
      (["retry: 1\nid: 1\ndata: a", "\n\ndata: 😀\n\nda"], nil, .reset), (["data: b\n\n"], "1", .complete),
      (["data: c\n\n"], "1", .cancelled),
    ])
    let player = CassettePlayer(cassette, plan: .hostile, speed: speed)
    let transport = URLSessionEventStreamTransport(configuration: player.configuration())
    let policy = ReconnectionPolicy(.standard, initialDelay: .zero, floor: .zero)
    let source = EventSource(
      EventStreamRequest(url: url), configuration: EventSourceConfiguration(policy: policy),
      environment: EventSourceEnvironment(transport: transport))
    var events: [String] = []
    for try await event in source {
      events.append(event.data)
      if events.count == 4 { break }
    }
    #expect(events == ["a", "😀", "b", "c"])
    #expect(player.mismatches.isEmpty)
    #expect(player.playedExchanges == 3)
  }

  @Test("code that knows nothing of event streams gets the body and the headers")
  func data() async throws {
    let player = CassettePlayer(
      try makeCassette([(["data: a\n\n", "data: b\n\n"], nil, .complete)]), plan: .whole)
    let session = URLSession(configuration: player.configuration())
    let (data, response) = try await session.data(from: try #require(URL(string: url)))
    #expect(String(decoding: data, as: UTF8.self) == "data: a\n\ndata: b\n\n")
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "content-type") == "text/event-stream")
  }

  @Test("a request that was not recorded fails with the closest exchange and the command that records it")
  func strict() async throws {
    let player = CassettePlayer(
      try makeCassette([(["data: a\n\n"], nil, .complete)]), name: "orders.cassette")
    let session = URLSession(configuration: player.configuration())
    let other = try #require(URL(string: "http://127.0.0.1:9/other"))
    let error = await #expect(throws: (any Error).self) { _ = try await session.data(from: other) }
    let text = error.map { ($0 as NSError).localizedDescription } ?? ""
    #expect(
      text.contains("request 1 is GET /other, but orders.cassette expects URL /events?page=1"), "\(text)")
    #expect(text.contains("wiretape record --reconnect 'http://127.0.0.1:9/other' -o orders.cassette"))
    _ = try await session.data(from: try #require(URL(string: url)))
    await #expect(throws: (any Error).self) {
      _ = try await session.data(from: try #require(URL(string: url)))
    }
    #expect(player.mismatches.map(\.request) == [1, 3])
    #expect(player.mismatches.last?.description.contains("all are played") == true)
  }

  @Test(
    "recorded failures come as URLSession's own errors",
    arguments: [
      (ConnectionEnd.reset, URLError.Code.networkConnectionLost), (.truncated, .networkConnectionLost),
      (.timedOut, .timedOut),
      (.unreachable, .cannotConnectToHost), (.tls, .secureConnectionFailed), (.protocol, .badServerResponse),
    ])
  func failures(end: ConnectionEnd, code: URLError.Code) async throws {
    let player = CassettePlayer(try makeCassette([([], nil, end)]))
    let session = URLSession(configuration: player.configuration())
    let error = await #expect(throws: (any Error).self) {
      _ = try await session.data(from: try #require(URL(string: url)))
    }
    #expect(error.map { ($0 as NSError).code } == code.rawValue)
  }

  @Test("two players at once each play their own")
  func parallel() async throws {
    let players = try ["a", "b", "c"].map {
      CassettePlayer(try makeCassette([(["data: \($0)\n\n"], nil, .complete)]))
    }
    try await withThrowingTaskGroup(of: (Int, Data).self) { group in
      for (index, player) in players.enumerated() {
        let session = URLSession(configuration: player.configuration())
        group.addTask { (index, try await session.data(from: try #require(URL(string: url))).0) }
      }
      for try await (index, data) in group {
        #expect(String(decoding: data, as: UTF8.self) == "data: \(["a", "b", "c"][index])\n\n")
      }
    }
  }
}
