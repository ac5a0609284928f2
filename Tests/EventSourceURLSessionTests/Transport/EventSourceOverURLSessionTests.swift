// Event sources over URLSession and real sockets, as an app writes them.

import EventCassetteServer
import EventSourceURLSession
import Foundation
import ServerSentEvents
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An event source over URLSession", .serialized, .timeLimit(.minutes(10)))
struct EventSourceOverURLSessionTests {
  func url(_ server: LoopbackServer, _ path: String = "/") throws -> URL {
    try #require(URL(string: server.url(path)))
  }

  @Test("for try await event in EventSource(url:) reconnects, resumes, and ends after 204")
  func eventSource() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("retry: 20\nid: 1\ndata: a\n\n"),
      .eventStream("data: b\n\n", ending: .reset(after: .milliseconds(100))),
    ])
    var data: [String] = []
    for try await event in EventSource(url: try url(server)) { data.append(event.data) }
    #expect(data == ["a", "b"])
    #expect(await server.exchanges.map { $0.request["Last-Event-ID"] } == [nil, "1", "1"])
    await server.stop()
  }

  @Test("cancelling the task closes the socket: the server sees it")
  func cancelCloses() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n", ending: .hang)])
    let source = EventSource(url: try url(server))
    let (events, arrived) = AsyncStream.makeStream(of: String.self)
    let run = Task {
      for try await event in source { arrived.yield(event.data) }
    }
    for await data in events {
      #expect(data == "a")
      break
    }
    run.cancel()
    try await run.value
    // The server would wait for ever.
    try await server.exchanges { $0.first?.clientClosedAt != nil }
    await server.stop()
  }

  @Test("breaking out of a one-shot loop closes the socket: the server sees it")
  func breakCloses() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n", ending: .hang)])
    for try await _ in EventSource.oneShot(url: try url(server), body: Data("{}".utf8)) { break }
    let exchanges = try await server.exchanges { $0.first?.clientClosedAt != nil }
    #expect(exchanges.first?.request.method == "POST")
    #expect(exchanges.first?.request["Content-Type"] == "application/json")
    await server.stop()
  }

  @Test("one shot by a whole URLRequest and by URL on an app's own session")
  func oneShot() async throws {
    let server = try LoopbackServer { request, response in
      try await response.send(
        .eventStream("data: \(request.method) \(String(decoding: request.body, as: UTF8.self))\n\n"))
    }
    var request = URLRequest(url: try url(server))
    request.httpMethod = "PUT"
    request.httpBody = Data("hi".utf8)
    request.setValue("Bearer t", forHTTPHeaderField: "Authorization")
    var data: [String] = []
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 3600  // a minute can pass on a busy machine
    let session = URLSession(configuration: configuration)
    for try await event in session.serverSentEvents(for: request) { data.append(event.data) }
    for try await event in session.serverSentEvents(from: try url(server)) { data.append(event.data) }
    for try await event in EventSource.oneShot(url: try url(server)) { data.append(event.data) }
    #expect(data == ["PUT hi", "GET ", "GET "])
    #expect(await server.exchanges.first?.request["Authorization"] == "Bearer t")
    await server.stop()
  }

  @Test("an error status is thrown with 4 KiB of its body at most")
  func errorBody() async throws {
    let server = try LoopbackServer(responses: [
      ScriptedResponse(
        status: 429, headers: [HeaderField("Content-Type", "application/json")],
        chunks: [.init(#"{"error":"slow down"}"#)], framing: .length()),
      ScriptedResponse(status: 500, chunks: [.init("x", times: 100_000)], ending: .hang),
    ])
    for (status, body) in [(429, #"{"error":"slow down"}"#), (500, String(repeating: "x", count: 4096))] {
      do {
        for try await _ in EventSource.oneShot(url: try url(server)) {}
        Issue.record("nothing was thrown for \(status)")
      } catch let error as EventSourceError {
        #expect(error.code == .badStatus && error.status == status)
        #expect(String(decoding: error.body, as: UTF8.self) == body)
      }
    }
    await server.stop()
  }

  @Test("a one-shot answer that breaks off, or falls silent, is an error")
  func brokenAnswer() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: a\n\n", framing: .chunked, ending: .cut),
      .eventStream("data: a\n\n", ending: .hang),
    ])
    for (code, idle) in [(EventSourceError.Code.truncated, nil), (.timedOut, Duration.milliseconds(500))] {
      var data: [String] = []
      do {
        for try await event in EventSource.oneShot(url: try url(server), idleTimeout: idle) {
          data.append(event.data)
        }
        Issue.record("nothing was thrown instead of \(code)")
      } catch let error as EventSourceError {
        #expect(error.code == code)
      }
      // A machine that needs half a second for the answer has fallen silent too.
      if idle == nil { #expect(data == ["a"]) }
    }
    await server.stop()
  }

  @Test("a redirect without a usable Location is an error, not an end")
  func redirectWithoutLocation() async throws {
    let server = try LoopbackServer(responses: [ScriptedResponse(status: 302)])
    do {
      for try await _ in EventSource(url: try url(server)) {}
      Issue.record("nothing was thrown")
    } catch let error as EventSourceError {
      #expect(error.code == .badStatus && error.status == 302)
      #expect(error.detail == "a redirect without a Location")
    }
    await server.stop()
  }

  @Test("a slow consumer of a fast server gets every event once, in bounded memory")
  func slowConsumer() async throws {
    // The server goes on after the ID that it's sent, as a good one does; it never stops by itself.
    let total = 3000
    let server = try LoopbackServer { request, response in
      let first = (request["Last-Event-ID"].flatMap(Int.init) ?? 0) + 1
      guard first <= total else { return try await response.send(ScriptedResponse(status: 204)) }
      try await response.sendHead(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])
      for number in first...total {
        try await response.send("id: \(number)\ndata: \(String(repeating: "x", count: 200))\nretry: 1\n\n")
      }
      try await response.finish()
    }
    let configuration = EventSourceConfiguration(buffer: .init(events: 64, bytes: 64 << 10))
    let source = EventSource(url: try url(server), configuration: configuration)
    var expected = 1
    for try await event in source {
      #expect(event.id == "\(expected)")
      expected += 1
      if expected % 50 == 0 { for _ in 1...100 { await Task.yield() } }
    }
    #expect(expected == total + 1)
    #expect(await server.exchanges.count > 3, "the buffer never ran over")
    await server.stop()
  }
}
