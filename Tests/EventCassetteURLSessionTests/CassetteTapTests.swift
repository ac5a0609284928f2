// The delegate-side tap: an app's own URLSession against a real loopback server, and what is on the cassette afterwards.

import EventCassetteServer
import EventCassettes
import Foundation
import ServerSentEvents
import Testing

@testable import EventCassetteURLSession

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An app's delegate: it forwards each callback, then does its own work.
private final class AppDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: URLSession calls it on one serial queue, and the test looks only at the stream.
  let tap: CassetteTap
  let (seen, continuation) = AsyncStream.makeStream(of: String.self)

  init(_ tap: CassetteTap) { self.tap = tap }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    tap.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request)
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    tap.urlSession(session, dataTask: dataTask, didReceive: response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    tap.urlSession(session, dataTask: dataTask, didReceive: data)
    continuation.yield(String(decoding: data, as: UTF8.self))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    tap.urlSession(session, task: task, didCompleteWithError: error)
    continuation.yield("end")
  }
}

private let header = Cassette.Header(recorder: "tests", recordedAt: "2026-01-02T03:04:05Z")

@Suite("A tap in an app's own delegate", .timeLimit(.minutes(10)))
struct CassetteTapTests {
  private func makeApp(limit: Int = 4 << 20) throws -> (CassetteRecording, AppDelegate, URLSession) {
    let recording = try CassetteRecording(inMemory: header)
    let app = AppDelegate(CassetteTap(into: recording, limit: limit))
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = 3600  // a minute can pass on a busy machine
    return (recording, app, URLSession(configuration: configuration, delegate: app, delegateQueue: queue))
  }

  @Test("connections, chunks, a redirect, a drop and lifecycle notes are on the cassette in their order")
  func session() async throws {
    let server = try LoopbackServer { request, response in
      switch request.target {
      case "/moved":
        try await response.send(
          ScriptedResponse(status: 302, headers: [HeaderField("Location", "/events")], framing: .length()))
      case "/events":
        try await response.send(.eventStream("id: 1\ndata: a", "\n\nda", framing: .chunked, ending: .cut))
      default: try await response.send(ScriptedResponse(status: 204))
      }
    }
    let (recording, app, session) = try makeApp()
    var texts = app.seen.makeAsyncIterator()
    var bodies: [String] = []
    for path in ["/moved", "/over"] {
      var request = URLRequest(url: try #require(URL(string: server.url(path))))
      request.setValue("Bearer s3cr3t-s3cr3t", forHTTPHeaderField: "Authorization")
      let task = session.dataTask(with: request)
      app.tap.urlSession(session, didCreateTask: task)
      task.resume()
      var body = ""
      while let text = await texts.next(), text != "end" { body += text }
      bodies.append(body)
      app.tap.note(.background, ["after": .string(path)])
    }
    let trailer = try await app.tap.finish()
    let cassette = try await Cassette(bytes: recording.bytes)
    #expect(bodies == ["id: 1\ndata: a\n\nda", ""])
    #expect(cassette.isFinished)
    #expect(trailer.bytes == Int64(bodies[0].utf8.count))
    #expect(cassette.exchanges.map { $0.response?.status } == [302, 200, 204])
    #expect(cassette.exchanges.map { $0.end?.cause } == [.complete, .truncated, .complete])
    #expect(
      cassette.exchanges.map { $0.request.url } == ["/moved", "/events", "/over"].map { server.url($0) })
    #expect(String(decoding: cassette.exchanges[1].body, as: UTF8.self) == bodies[0])
    #expect(cassette.exchanges[0].request.headers["Authorization"] == "Bearer [FILTERED]")
    #expect(cassette.notes.map { $0.note.event } == [.background, .background])
    #expect(cassette.notes.map { $0.note.other["after"] } == [.string("/moved"), .string("/over")])
    await server.stop()
  }

  @Test("a task that the app cancels is recorded as cancelled, one that finds nobody as unreachable")
  func ends() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n", ending: .hang)])
    let (recording, app, session) = try makeApp()
    var texts = app.seen.makeAsyncIterator()
    let url = try #require(URL(string: server.url("/")))
    let task = session.dataTask(with: url)
    task.resume()
    #expect(await texts.next() == "data: a\n\n")
    task.cancel()
    #expect(await texts.next() == "end")
    await server.stop()
    session.dataTask(with: url).resume()
    #expect(await texts.next() == "end")
    try await app.tap.finish()
    let cassette = try await Cassette(bytes: recording.bytes)
    #expect(cassette.exchanges.map { $0.end?.cause } == [.cancelled, .unreachable])
    #expect(cassette.exchanges.map { $0.body.count } == [9, 0])
  }

  @Test("where nothing may wait the app gets all and the cassette says what it hasn't")
  func overflow() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: a\n\n", "data: b\n\n")])
    let (recording, app, session) = try makeApp(limit: 0)
    session.dataTask(with: try #require(URL(string: server.url("/")))).resume()
    var body = ""
    for await text in app.seen {
      if text == "end" { break }
      body += text
    }
    #expect(body == "data: a\n\ndata: b\n\n")
    try await app.tap.finish()
    let cassette = try await Cassette(bytes: recording.bytes)
    #expect(cassette.exchanges.map { $0.end?.cause } == [.complete])
    #expect(cassette.exchanges[0].body.isEmpty)
    let note = try #require(cassette.notes.first?.note)
    #expect(note.event == .overflow)
    #expect(note.other["bytes"] == .integer(18))
    await server.stop()
  }

  @Test("a mailbox takes chunks again once it was emptied, and keeps begin and end in any case")
  func mailbox() async throws {
    let mailbox = TapMailbox(limit: 200)
    let connection = RecordedConnection()
    func put(_ size: Int, at: Int64) { mailbox.put(.data(connection, Data(count: size), at: .seconds(at))) }
    put(100, at: 1)
    put(100, at: 2)  // too much
    put(100, at: 3)
    mailbox.put(
      .fact(connection, StampedTransportFact(at: .seconds(4), .ended(.complete, detail: ""))))
    var items = mailbox.items.makeAsyncIterator()
    var kinds: [String] = []
    for _ in 0..<3 {
      guard let item = await items.next() else { break }
      mailbox.took(item)
      switch item {
      case .begin: kinds.append("begin")
      case .fact: kinds.append("end")
      case .data(_, let data, _): kinds.append("\(data.count)")
      case .note(_, let other, let at): kinds.append("lost \(other["bytes"] ?? .null) at \(at)")
      }
    }
    #expect(kinds == ["100", "lost integer(200) at 3.0 seconds", "end"])
    put(100, at: 5)
    mailbox.close()
    put(100, at: 6)
    guard case .data? = await items.next() else {
      Issue.record("the chunk after it was emptied")
      return
    }
    #expect(await items.next() == nil)
  }
}
