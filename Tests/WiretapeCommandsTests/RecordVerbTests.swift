// `wiretape record` against a real loopback server, and from a pipe: what is on the cassette afterwards is read with
// the library and with `inspect`.

import EventCassetteServer
import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct RecordVerbTests {
  /// A server whose answers name their ids, with a drop in mid-event and an end.
  func makeOrderServer() throws -> LoopbackServer {
    try LoopbackServer(responses: [
      .eventStream(
        "retry: 10\n\n", "id: 1\ndata: placed\n\n", ": heartbeat\n\nid: 2\nda", framing: .chunked,
        ending: .cut),
      .eventStream("id: 2\ndata: paid\n\n", "id: 3\ndata: delivered\n\n", framing: .chunked),
      ScriptedResponse(status: 204),
    ])
  }

  @Test("chunks and their times are recorded exactly as the transport delivers them")
  func fidelity() async throws {
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    let chunks = ["data: a\n", "\n", "data: é\n\n"].map { Array($0.utf8) }
    let run = await wiretape("record", "http://h/", "-o", file, transport: GivenTransport(chunks: chunks))
    #expect(run.code == .success)
    #expect(run.diagnostics.contains("1 exchange, 3 chunks, 19 bytes, 2 events, ended: reset"))
    let exchange = try Cassette(contentsOf: file).exchanges[0]
    #expect(exchange.chunks.map(\.bytes) == chunks)
    #expect(exchange.chunks.map(\.delay) == [1_000_000, 1_000_000, 1_000_000])
    #expect(exchange.end?.cause == .reset)
  }

  @Test("one connection over HTTP is recorded with the headers that were sent")
  func oneConnection() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: a\n", "\n", "data: é\n\n", delay: .milliseconds(20), framing: .chunked)
    ])
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    let run = await wiretape(
      "record", server.url("/events"), "-o", file, "-H", "X-One: 1", "--label", "build=42")
    #expect(run.code == .success, "\(run.diagnostics)")
    #expect(run.output.isEmpty)
    #expect(run.diagnostics.contains("19 bytes, 2 events, ended: complete"))
    let cassette = try Cassette(contentsOf: file)
    #expect(cassette.isFinished)
    #expect(cassette.header.labels == ["build": "42"])
    #expect(cassette.header.recordedAt == "2023-11-14T22:13:20Z")
    #expect(cassette.exchanges[0].body == Array("data: a\n\ndata: é\n\n".utf8))
    let request = try #require(await server.exchanges.first?.request)
    for (name, value) in [
      ("Accept", "text/event-stream"), ("Cache-Control", "no-cache"), ("Accept-Encoding", "identity"),
      ("X-One", "1"),
    ] {
      #expect(request[name] == value)
      #expect(cassette.exchanges[0].request.headers[name] == value)
    }
  }

  @Test("with --reconnect the whole session goes on one cassette")
  func session() async throws {
    let server = try makeOrderServer()
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    let run = await wiretape("record", server.url("/"), "-o", file, "--reconnect")
    #expect(run.code == .success, "\(run.diagnostics)")
    let inspected = try #require(try await wiretape("inspect", "--json", file).objects().first)
    #expect(inspected["finished"] as? Bool == true)
    #expect(inspected["events"] as? Int == 3)
    #expect(inspected["comments"] as? Int == 1)
    let exchanges = try #require(inspected["exchanges"] as? [[String: any Sendable]])
    #expect(exchanges.map { $0["status"] as? Int } == [200, 200, 204])
    #expect(exchanges.map { $0["events"] as? Int } == [1, 2, 0])
    #expect(exchanges[0]["cause"] as? String == "truncated")
    let requests = await server.exchanges.map { $0.request["Last-Event-ID"] }
    #expect(requests == [nil, "1", "3"])
    let cassette = try Cassette(contentsOf: file)
    #expect(
      cassette.header.client == Cassette.Client(mode: "eventSource", policy: "standard", initialRetryMs: 3000)
    )
  }

  @Test("a POST sends its body, as JSON unless a header says otherwise, and keeps the secret off the disk")
  func post() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("data: [DONE]\n\n"), .eventStream("data: [DONE]\n\n"),
    ])
    let folder = try ScratchFolder()
    let headers = try folder.write("headers", "Authorization: Bearer s3cr3t-s3cr3t\nX-A: b\r\n".utf8)
    let body = try folder.write("body", #"{"stream":true}"#.utf8)
    let file = folder.path("x.cassette")
    let run = await wiretape("record", server.url("/"), "-o", file, "-H", "@" + headers, "-d", "@" + body)
    #expect(run.code == .success, "\(run.diagnostics)")
    let plain = await wiretape(
      "record", server.url("/"), "-o", folder.path("y"), "-d", "x", "-H", "content-type: text/plain", "-X",
      "PUT")
    #expect(plain.code == .success)
    let requests = await server.exchanges.map(\.request)
    #expect(requests.map(\.method) == ["POST", "PUT"])
    #expect(requests.map { $0["Content-Type"] } == ["application/json", "text/plain"])
    #expect(requests[0].body == Array(#"{"stream":true}"#.utf8))
    #expect(requests[0]["Authorization"] == "Bearer s3cr3t-s3cr3t")
    let cassette = try Cassette(contentsOf: file)
    #expect(cassette.exchanges[0].request.headers["Authorization"] == "Bearer [FILTERED]")
    #expect(cassette.exchanges[0].requestBody == requests[0].body)
  }

  @Test(
    "any answer is recorded, with a warning where it is no event stream",
    arguments: [
      (
        ScriptedResponse(
          status: 404, headers: [HeaderField("Content-Type", "text/plain")], chunks: [.init("none\n")]),
        "status 404"
      ),
      (
        ScriptedResponse(headers: [HeaderField("Content-Type", "application/json")], chunks: [.init("{}")]),
        "content type application/json"
      ),
    ])
  func oddAnswers(response: ScriptedResponse, warning: String) async throws {
    let server = try LoopbackServer(responses: [response])
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    let run = await wiretape("record", server.url("/"), "-o", file)
    #expect(run.code == .success)
    #expect(run.diagnostics.contains("warning: \(warning)"))
    #expect(try Cassette(contentsOf: file).exchanges[0].body == response.chunks[0].bytes)
  }

  @Test("no answer: unreachable, and no file, or the one that was to be overwritten as it was")
  func unreachable() async throws {
    let server = try LoopbackServer(responses: [])
    let url = server.url("/")
    await server.stop()
    let folder = try ScratchFolder()
    let run = await wiretape("record", url, "-o", folder.path("x.cassette"))
    #expect(run.code == .unavailable)
    #expect(run.diagnostics.contains("no answer (unreachable"))
    #expect(!run.diagnostics.contains("no answer yet"))
    #expect(try folder.names().isEmpty)
    let file = try folder.write("y.cassette", "precious".utf8)
    #expect(await wiretape("record", url, "-o", file, "--force").code == .unavailable)
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  @Test("no answer until time is up, though it was tried again: the same, and said at once")
  func unreachableAgain() async throws {
    let folder = try ScratchFolder()
    let file = try folder.write("y.cassette", "precious".utf8)
    for options in [["-o", folder.path("x.cassette")], ["-o", file, "--force"]] {
      let clock = VirtualClock()
      let run = await wiretapeOnVirtualTime(
        ["record", "http://127.0.0.1/", "--reconnect", "--max-duration", "10"] + options, clock
      ) { DeafTransport(clock: clock, isConnected: $0) }
      #expect(run.code == .unavailable)
      #expect(run.diagnostics.contains("no answer yet (unreachable: nobody is there); trying again"))
      #expect(run.diagnostics.contains("no answer (unreachable: nobody is there); no file was written"))
      #expect(clock.now >= .seconds(10))
    }
    #expect(try folder.names() == ["y.cassette"])
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
  }

  @Test("what exists is not overwritten, unless asked")
  func existing() async throws {
    let folder = try ScratchFolder()
    let file = try folder.write("x.cassette", "precious".utf8)
    let run = await wiretape("record", "-", "-o", file, input: [Array("data: a\n\n".utf8)])
    #expect(run.code == .cannotCreate)
    #expect(run.diagnostics.contains("--force"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
    #expect(
      await wiretape("record", "-", "-o", file, "--force", input: [Array("data: a\n\n".utf8)]).code
        == .success)
    #expect(try Cassette(contentsOf: file).exchanges[0].chunks.count == 1)
  }

  @Test("a folder as output, and no folder at all")
  func folders() async throws {
    let folder = try ScratchFolder()
    let isFolder = await wiretape("record", "-", "-o", folder.url.path)
    #expect(isFolder.code == .cannotCreate)
    #expect(isFolder.diagnostics.contains("this is a folder\nName a file in it, such as"))
    let forced = await wiretape("record", "-", "-o", folder.url.path, "--force")
    #expect(forced.code == .cannotCreate)
    let none = await wiretape("record", "-", "-o", folder.path("none/x.cassette"))
    #expect(none.code == .cannotCreate)
    #expect(none.diagnostics.contains("there is no such folder; create it first"))
  }

  @Test("from a pipe each read is a chunk")
  func pipe() async throws {
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    let pieces = ["data: a", "\n\n", "data: b\n\n"].map { Array($0.utf8) }
    let run = await wiretape("record", "-", "-o", file, input: pieces)
    #expect(run.code == .success)
    let exchange = try Cassette(contentsOf: file).exchanges[0]
    #expect(exchange.chunks.map(\.bytes) == pieces)
    #expect(exchange.request.method == "GET")
    #expect(exchange.request.url == "stdin:")
    #expect(exchange.response?.status == 200)
    #expect(exchange.response?.headers == [HeaderField("Content-Type", "text/event-stream")])
    #expect(exchange.end?.cause == .complete)
  }

  @Test("a signal finishes the cassette", arguments: [StopSignal.interrupt, .terminate, .hangUp, .quit])
  func signal(_ signal: StopSignal) async throws {
    let (signals, continuation) = AsyncStream.makeStream(of: StopSignal.self)
    let server = try LoopbackServer { _, writer in
      try await writer.sendHead(headers: [HeaderField("Content-Type", "text/event-stream")])
      try await writer.send("data: a\n\n")
      try await writer.hang()
    }
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    let diagnostics = Collected()
    var context = CommandContext.forTests
    context.diagnostics = CommandOutput(columns: 80) { diagnostics.append($0) }
    context.signals = { signals }
    async let code = Wiretape.run(["record", server.url("/"), "-o", file], in: context)
    // What the terminal shows, the cassette has.
    await diagnostics.wait(for: "1 chunk")
    continuation.yield(signal)
    #expect(await code == .success)
    #expect(diagnostics.text.contains("stopped: signal"))
    let cassette = try Cassette(contentsOf: file)
    #expect(cassette.isFinished)
    #expect(cassette.exchanges[0].end?.cause == .cancelled)
  }

  @Test("a signal before any answer leaves no file")
  func earlySignal() async throws {
    let (signals, continuation) = AsyncStream.makeStream(of: StopSignal.self)
    let server = try LoopbackServer(responses: [.noResponse(.hang)])
    let folder = try ScratchFolder()
    async let run = wiretape("record", server.url("/"), "-o", folder.path("x.cassette"), signals: signals)
    try await server.exchanges { $0.count == 1 }
    continuation.yield(.interrupt)
    #expect(await run.code == .interrupted)
    #expect(try folder.names().isEmpty)
  }

  @Test(
    "limits stop the recording as cancelled",
    arguments: [("--max-events", "2", "maxEvents", 2), ("--max-bytes", "10", "maxBytes", 2)])
  func limits(option: String, value: String, reason: String, recorded: Int) async throws {
    let chunks = ["data: a\n\n", "data: b\n\n", "data: c\n\n"].map { Array($0.utf8) }
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    let run = await wiretape(
      "record", "http://h/", "-o", file, option, value, transport: GivenTransport(chunks: chunks))
    #expect(run.code == .success)
    #expect(run.diagnostics.contains("stopped: \(reason)"))
    let exchange = try Cassette(contentsOf: file).exchanges[0]
    #expect(exchange.chunks.count == recorded)
    #expect(exchange.end?.cause == .cancelled)
  }

  @Test("time: an idle connection has timed out, and a duration ends the recording")
  func time() async throws {
    for (options, cause, at) in [
      (["--idle-timeout", "5"], ConnectionEnd.timedOut, Duration.seconds(7)),
      (["--max-duration", "60.5"], .cancelled, .milliseconds(60_500)),
    ] {
      let clock = VirtualClock()
      let folder = try ScratchFolder()
      let file = folder.path("x.cassette")
      let done = await wiretapeOnVirtualTime(["record", "http://127.0.0.1/", "-o", file] + options, clock) {
        ScriptedTransport(clock: clock, chunkAt: .seconds(2), isConnected: $0)
      }
      #expect(done.code == .success, "\(done.diagnostics)")
      let exchange = try Cassette(contentsOf: file).exchanges[0]
      #expect(exchange.chunks.count == 1)
      #expect(exchange.end?.cause == cause)
      #expect(clock.now >= at)
    }
  }

  @Test("options that make no sense together are usage errors")
  func usage() async throws {
    let folder = try ScratchFolder()
    let file = folder.path("x.cassette")
    for words in [
      ["record", "http://127.0.0.1/"], ["record", "-", "-o", file, "-X", "POST"],
      ["record", "-", "-o", file, "--reconnect"],
      ["record", "ftp://127.0.0.1/", "-o", file], ["record", "127.0.0.1", "-o", file],
      ["record", "-", "-o", file, "--no-redact", "--redact-key", "x"],
      ["record", "-", "-o", file, "--redact-regex", "("],
      ["record", "-", "-o", file, "--level", "10"], ["record", "-", "-o", file, "--label", "x"],
      ["record", "http://h/", "-o", file, "-H", "no header"],
      ["record", "http://h/", "-o", file, "-H", "a: b\nc: d"],
    ] {
      let run = await wiretape(words)
      #expect(run.code == .usage, "\(words)")
      #expect(!run.diagnostics.isEmpty)
    }
    #expect(try folder.names().isEmpty)
  }

  @Test("a terminal shows a line while it records, anything else does not")
  func liveLine() async throws {
    let folder = try ScratchFolder()
    let shown = await wiretape(
      "record", "-", "-o", folder.path("a"), input: [Array("data: a\n\n".utf8)], columns: 60)
    #expect(shown.diagnostics.contains("\r\u{1B}[K0.0 s · "))
    let quiet = await wiretape("record", "-", "-o", folder.path("b"), input: [Array("data: a\n\n".utf8)])
    #expect(!quiet.diagnostics.contains("\u{1B}"))
    var progress = RecordingSession.Progress()
    (progress.chunks, progress.bytes, progress.events, progress.written) = (120, 34_500, 25, 8_200)
    #expect(
      LiveLine.text(progress, elapsed: .milliseconds(12_340))
        == "12.3 s · 120 chunks · 34.5 KB · 25 events · 4.2 : 1")
  }
}

/// Runs `wiretape WORDS` while a clock goes from one wake-up to the next.
private func wiretapeOnVirtualTime(
  _ words: [String], _ clock: VirtualClock, over transport: (_ isConnected: Flag) -> any EventStreamTransport
) async -> CommandRun {
  let isConnected = Flag()
  let transport = transport(isConnected)
  let isDone = Flag()
  async let run = {
    let run = await wiretape(words, clock: clock, transport: transport)
    await isDone.raise()
    return run
  }()
  // Time must not run before there is a connection for it to run on: creating the file takes real time.
  while await !isConnected.isRaised, await !isDone.isRaised { await Task.yield() }
  // What waits for the file system can't be seen by the clock, so it is asked again.
  while await !isDone.isRaised { await clock.run { await isDone.isRaised } }
  return await run
}

/// Connections that nobody answers.
private struct DeafTransport: EventStreamTransport {
  let clock: VirtualClock
  let isConnected: Flag

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    continuation.yield(StampedTransportFact(at: clock.now, .ended(.unreachable, detail: "nobody is there")))
    continuation.finish()
    Task { await isConnected.raise() }
    return stream
  }
}

/// A connection with an answer at once, one chunk at a time, and then nothing.
private struct ScriptedTransport: EventStreamTransport {
  let clock: VirtualClock
  let chunkAt: Duration
  let isConnected: Flag

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let work = Task {
      let head = EventStreamResponse(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])
      continuation.yield(StampedTransportFact(at: clock.now, .response(head)))
      await isConnected.raise()
      try await clock.sleep(until: chunkAt)
      continuation.yield(StampedTransportFact(at: clock.now, .bytes(Array("data: a\n\n".utf8))))
    }
    continuation.onTermination = { _ in work.cancel() }
    return stream
  }
}

/// A connection whose facts are all there at once, a second apart by their stamps; it ends reset.
private struct GivenTransport: EventStreamTransport {
  let chunks: [[UInt8]]

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    AsyncStream { continuation in
      let start = SystemEventStreamClock().now + .seconds(1)
      let head = EventStreamResponse(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])
      continuation.yield(StampedTransportFact(at: start, .response(head)))
      for (index, chunk) in chunks.enumerated() {
        continuation.yield(StampedTransportFact(at: start + .seconds(index + 1), .bytes(chunk)))
      }
      continuation.yield(
        StampedTransportFact(at: start + .seconds(chunks.count + 1), .ended(.reset, detail: "")))
      continuation.finish()
    }
  }
}

/// Something that has happened.
actor Flag {
  private(set) var isRaised = false
  func raise() { isRaised = true }
}
