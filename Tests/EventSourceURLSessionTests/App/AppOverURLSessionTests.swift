// An app's ways through the client that need real sockets, JSON or a disk.
import EventCassetteServer
import EventSourceURLSession
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("An app over URLSession", .serialized, .timeLimit(.minutes(10)))
struct AppOverURLSessionTests {
  struct Token: Decodable, Sendable {
    var text: String
  }

  func url(_ server: LoopbackServer) throws -> URL {
    try #require(URL(string: server.url("/")))
  }

  /// A server that has so many events and goes on after the ID that it's sent; then it waits.
  func makeOrders(_ total: Int) throws -> LoopbackServer {
    try LoopbackServer { request, response in
      let first = (request["Last-Event-ID"].flatMap(Int.init) ?? 0) + 1
      var text = ": hello\n\n"
      if first <= total { for number in first...total { text += "id: \(number)\ndata: \(number)\n\n" } }
      try await response.send(.eventStream(text, ending: .hang))
    }
  }

  @Test("the last event id is kept across launches, and every event missed in between arrives once")
  func launches() async throws {
    let folder = try ScratchFolder()
    var seen: [String] = []
    for (launch, total) in [3, 7, 7, 8].enumerated() {
      let server = try makeOrders(total)
      let store = FileLastEventIDStore(url: folder.url.appending(path: "orders"))
      var environment = EventSourceEnvironment.urlSession()
      environment.store = store
      let source = EventSource(url: try url(server), environment: environment)
      let (events, continuation) = AsyncStream.makeStream(of: String.self)
      let run = Task {
        for try await event in source { continuation.yield(event.data) }
      }
      var iterator = events.makeAsyncIterator()
      while seen.count < total, let data = await iterator.next() { seen.append(data) }
      // The last one counts as processed once the loop asks for another.
      while try await store.load() != "\(total)" { await Task.yield() }
      run.cancel()
      try await run.value
      await server.stop()
      #expect(seen == (1...total).map(String.init), "launch \(launch)")
    }
  }

  @Test("typed events over the network: dates, a bad payload between good ones, unknown names and heartbeats")
  func typed() async throws {
    struct Order: Decodable, Sendable {
      var id: Int
      var at: Date
    }
    let server = try LoopbackServer(responses: [
      .eventStream(
        """
        : heartbeat

        event: order
        data: {"id": 1,
        data:  "at": "2026-11-30T12:00:00Z"}

        event: advert
        data: {}

        event: order
        data: {"id": "hunter2", "at": "2026-11-30T12:00:00Z"}

        event: order
        data: {"id": 2, "at": "2026-11-30T12:00:01Z"}


        """)
    ])
    let (failures, continuation) = AsyncStream.makeStream(of: TypedEventFailure.self)
    var orders: [Order] = []
    let source = EventSource.oneShot(url: try url(server))
    for try await order in source.events(
      of: Order.self, named: "order", dates: .iso8601, onFailure: { continuation.yield($0) })
    { orders.append(order) }
    continuation.finish()
    #expect(orders.map(\.id) == [1, 2])
    #expect(orders.first?.at == Date(timeIntervalSince1970: 1_796_040_000))
    var descriptions: [String] = []
    for await failure in failures { descriptions.append("\(failure)") }
    #expect(descriptions.count == 1)
    #expect(!descriptions.contains { $0.contains("hunter2") })
    await server.stop()
  }

  @Test("an LLM's answer: POST a body with headers, decode its tokens, stop at [DONE]")
  func languageModel() async throws {
    let server = try LoopbackServer { request, response in
      let isRight =
        request.method == "POST" && request["Authorization"] == "Bearer key"
        && String(decoding: request.body, as: UTF8.self) == #"{"stream":true}"#
      let text =
        #"data: {"text":"Hel"}"# + "\n\n: keep-alive\n\n" + #"data: {"text":"lo"}"# + "\n\ndata: [DONE]\n\n"
      try await response.send(isRight ? .eventStream(text, ending: .hang) : ScriptedResponse(status: 400))
    }
    let answer = EventSource.oneShot(
      url: try url(server), headers: [HeaderField("Authorization", "Bearer key")],
      body: Data(#"{"stream":true}"#.utf8))
    var text = ""
    for try await event in answer {
      if event.isDone { break }
      text += try #require(event.decode(Token.self)).text
    }
    #expect(text == "Hello")
    let exchanges = try await server.exchanges { $0.first?.clientClosedAt != nil }
    #expect(exchanges.count == 1, "leaving the loop closed the connection, and nothing was sent twice")
    await server.stop()
  }

  @Test("the app's own configuration is used: its additional headers are sent")
  func ownConfiguration() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n")])
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-Signature": "signed"]
    let transport = URLSessionEventStreamTransport(configuration: configuration)
    let source = EventSource(
      url: try url(server), configuration: EventSourceConfiguration(mode: .oneShot),
      environment: .urlSession(transport))
    for try await event in source { #expect(event.data == "a") }
    #expect(await server.exchanges.first?.request["X-Signature"] == "signed")
    await server.stop()
  }

  @Test("the app's own answer to an authentication challenge is used")
  func ownChallenge() async throws {
    let server = try LoopbackServer { request, response in
      if request["Authorization"] == "Basic \(Data("user:pass".utf8).base64EncodedString())" {
        try await response.send(.eventStream("data: in\n\n"))
      } else {
        try await response.send(
          ScriptedResponse(
            status: 401, headers: [HeaderField("WWW-Authenticate", #"Basic realm="orders""#)],
            framing: .length()))
      }
    }
    let transport = URLSessionEventStreamTransport(configuration: .ephemeral) { challenge in
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic,
        challenge.previousFailureCount == 0
      else { return (.performDefaultHandling, nil) }
      return (.useCredential, URLCredential(user: "user", password: "pass", persistence: .none))
    }
    let source = EventSource(
      url: try url(server), configuration: EventSourceConfiguration(mode: .oneShot),
      environment: .urlSession(transport))
    var data: [String] = []
    for try await event in source { data.append(event.data) }
    #expect(data == ["in"])
    await server.stop()
  }

  @Test("a challenge that the app declines shows the server's answer with its body")
  func declinedChallenge() async throws {
    let server = try LoopbackServer(responses: [
      ScriptedResponse(
        status: 401, headers: [HeaderField("WWW-Authenticate", #"Basic realm="orders""#)],
        chunks: [.init("who are you?")], framing: .length())
    ])
    let transport = URLSessionEventStreamTransport(configuration: .ephemeral) { _ in
      (.performDefaultHandling, nil)
    }
    let source = EventSource(
      url: try url(server), configuration: EventSourceConfiguration(mode: .oneShot),
      environment: .urlSession(transport))
    do {
      for try await _ in source {}
      Issue.record("nothing was thrown")
    } catch let error as EventSourceError {
      #expect(error.status == 401)
      #expect(String(decoding: error.body, as: UTF8.self) == "who are you?")
    }
    await server.stop()
  }

  @Test("a coordinator over real sockets: the server sees the background, and the foreground resumes")
  func coordinator() async throws {
    let server = try makeOrders(2)
    let coordinator = EventStreamCoordinator(url: try url(server))
    var events = coordinator.events().makeAsyncIterator()
    coordinator.sceneActivated("scene")
    for number in 1...2 { #expect(await events.next()?.data == "\(number)") }
    coordinator.sceneDeactivated("scene")
    _ = try await server.exchanges { $0.first?.clientClosedAt != nil }
    coordinator.sceneActivated("scene")
    let exchanges = try await server.exchanges { $0.count == 2 }
    #expect(exchanges.last?.request["Last-Event-ID"] == "2")
    await server.stop()
  }
}
