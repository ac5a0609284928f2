// `wiretape listen` against a loopback server: each kind of line, and each way to end.

import EventCassetteServer
import Foundation
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct ListenVerbTests {
  @Test("every kind of line, until a 204")
  func lines() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream(
        ": hi\n\nretry: 120\nid: 1\nevent: e\ndata: a\n\n", "data: torn", framing: .chunked, ending: .cut),
      .eventStream("data: b\n\n"), ScriptedResponse(status: 204),
    ])
    let run = await wiretape("listen", "--json", server.url("/"))
    #expect(run.code == .success)
    #expect(
      run.lines == [
        #"{"kind":"open"}"#,
        #"{"kind":"comment","comment":" hi"}"#,
        #"{"kind":"event","type":"e","data":"a","lastEventId":"1","id":"1"}"#,
        #"{"kind":"error","error":"truncated","status":200}"#,
        #"{"kind":"reconnecting","delayMs":120}"#,
        #"{"kind":"open"}"#,
        #"{"kind":"event","type":"message","data":"b","lastEventId":"1","id":null}"#,
        #"{"kind":"error","error":"streamEnded","status":200}"#,
        #"{"kind":"reconnecting","delayMs":120}"#,
        #"{"kind":"error","error":"noContent","status":204}"#,
        #"{"kind":"closed","reason":"noContent"}"#,
      ])
    #expect(await server.exchanges.map { $0.request["Last-Event-ID"] } == [nil, "1", "1"])
  }

  @Test("a fatal answer ends with 69 and says which", arguments: [404, 500])
  func fatal(status: Int) async throws {
    let server = try LoopbackServer(responses: [ScriptedResponse(status: status)])
    let run = await wiretape("listen", "--json", server.url("/"))
    #expect(run.code == .unavailable)
    #expect(
      run.lines == [
        #"{"kind":"error","error":"badStatus","status":\#(status)}"#,
        #"{"kind":"closed","reason":"fatalResponse"}"#,
      ])
    #expect(run.diagnostics.contains("answered \(status)"))
  }

  @Test("where there was no answer, none is said to be kept by a recording")
  func unreachable() async throws {
    let server = try LoopbackServer(responses: [ScriptedResponse(status: 404)])
    let answered = await wiretape("listen", "--one-shot", server.url("/"))
    #expect(answered.diagnostics.contains("keeps such an answer"))
    await server.stop()
    let run = await wiretape("listen", "--one-shot", server.url("/"))
    #expect(run.code == .unavailable)
    #expect(run.diagnostics.contains("can't be reached"))
    #expect(!run.diagnostics.contains("such an answer"), "\(run.diagnostics)")
  }

  @Test("a wrong content type is fatal")
  func contentType() async throws {
    let server = try LoopbackServer(responses: [
      ScriptedResponse(headers: [HeaderField("Content-Type", "text/html")], chunks: [.init("<html>")])
    ])
    let run = await wiretape("listen", "--json", server.url("/"))
    #expect(run.code == .unavailable)
    #expect(run.lines.first == #"{"kind":"error","error":"badContentType","status":200}"#)
  }

  @Test("resilient tries a 503 again")
  func resilient() async throws {
    let server = try LoopbackServer(responses: [
      ScriptedResponse(status: 503, headers: [HeaderField("Retry-After", "0")]),
      .eventStream("data: a\n\n", ending: .hang),
    ])
    let run = await wiretape(
      "listen", "--json", "--policy", "resilient", "--max-events", "1", server.url("/"))
    #expect(run.code == .success)
    #expect(run.lines.first == #"{"kind":"error","error":"badStatus","status":503}"#)
    #expect(run.lines.last == #"{"kind":"closed","reason":"maxEvents"}"#)
  }

  @Test("one shot ends with its connection")
  func oneShot() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: a\n\n"), .eventStream("data: a\n\n", framing: .chunked, ending: .cut),
    ])
    let whole = await wiretape("listen", "--json", "--one-shot", "-d", "{}", server.url("/"))
    #expect(whole.code == .success)
    #expect(whole.lines.last == #"{"kind":"closed","reason":"oneShot"}"#)
    let torn = await wiretape("listen", "--json", "--one-shot", server.url("/"))
    #expect(torn.code == .unavailable)
    #expect(torn.lines.last == #"{"kind":"closed","reason":"oneShot"}"#)
    #expect(await server.exchanges.map(\.request.method) == ["POST", "GET"])
  }

  @Test("limits and signals close it, and what came until then is printed")
  func stops() async throws {
    for (options, reason, events) in [
      (["--max-events", "1"], "maxEvents", 1), (["--max-bytes", "9"], "maxBytes", 2),
      (["--max-bytes", "19"], "maxBytes", 2), ([], "signal", 2),
    ] {
      let (signals, continuation) = AsyncStream.makeStream(of: StopSignal.self)
      let server = try LoopbackServer { _, writer in
        try await writer.sendHead(headers: [HeaderField("Content-Type", "text/event-stream")])
        try await writer.send("data: a\n\ndata: b\n\n")
        try await writer.send("data: unfinished")
        if options.isEmpty { continuation.yield(.terminate) }
        try await writer.hang()
      }
      let run = await wiretape(["listen", "--json", server.url("/")] + options, signals: signals)
      #expect(run.code == .success)
      #expect(run.lines.last == #"{"kind":"closed","reason":"\#(reason)"}"#)
      if reason != "signal" {
        #expect(run.lines.filter { $0.contains(#""kind":"event""#) }.count == events, "\(options)")
      }
    }
  }

  @Test("an event over the limit is fatal")
  func eventLimit() async throws {
    let server = try LoopbackServer(responses: [.eventStream("data: 0123456789\n\n", ending: .hang)])
    let run = await wiretape("listen", "--json", "--max-event-bytes", "5", server.url("/"))
    #expect(run.code == .unavailable)
    #expect(run.lines.contains(#"{"kind":"error","error":"limitExceeded","status":200}"#))
    #expect(run.diagnostics.contains("--max-event-bytes allows an event more data"))
  }

  @Test("the first request carries the id and the first wait the time that were given")
  func initialState() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: a\n\n"), ScriptedResponse(status: 204),
    ])
    let run = await wiretape(
      "listen", "--json", "--last-event-id", "für-7", "--initial-retry", "150", server.url("/"))
    #expect(run.code == .success)
    #expect(run.lines.contains(#"{"kind":"reconnecting","delayMs":150}"#))
    #expect(
      await server.exchanges.map { $0.request.bytes(of: "Last-Event-ID") } == [
        Array("für-7".utf8), Array("für-7".utf8),
      ])
  }

  @Test("lines for people")
  func text() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("id: 1\ndata: a\ndata: b\n\n"), ScriptedResponse(status: 204),
    ])
    let run = await wiretape("listen", "--initial-retry", "100", server.url("/"))
    #expect(
      run.lines == [
        "open · status 200", "event message · id 1", "  a", "  b", "ended · the server ended the stream",
        "reconnecting · in 100 ms",
        "ended · the server answered 204: it wants no further connections; open a new event source to ask again",
        "closed · noContent",
      ])
  }
}
