// `wiretape serve`: played to our own client, with and without a fault, until a signal.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct ServeVerbTests {
  @Test(
    "a client gets the recorded session, also across a fault",
    arguments: [[], ["--fault", "truncate@30"], ["--fault", "bad-chunk@1/30", "--fault", "reset@1/38"]])
  func serve(options: [String]) async throws {
    let folder = try ScratchFolder()
    let path = folder.path("s.cassette")
    let block = "retry: 10\nid: 1\ndata: a\n\n"
    try writeSession(path, [([block, "id: 2\ndata: b\n\n"], .complete)])
    let (signals, continuation) = AsyncStream.makeStream(of: StopSignal.self)
    let output = Collected()
    var context = CommandContext.forTests
    context.output = CommandOutput { output.append($0) }
    context.signals = { signals }
    async let code = Wiretape.run(["serve", path, "--speed", "instant"] + options, in: context)
    await output.wait(for: "\n")
    let url = output.text.split(separator: "\n")[0]
    let run = await wiretape("listen", "--json", "--initial-retry", "10", String(url))
    continuation.yield(.interrupt)
    _ = await code
    #expect(run.lines.first == #"{"kind":"open"}"#)
    #expect(run.lines.contains(#"{"kind":"event","type":"message","data":"a","lastEventId":"1","id":"1"}"#))
    #expect(run.lines.filter { $0.contains(#""kind":"event""#) }.count == 2)
    #expect(run.lines.contains(#"{"kind":"event","type":"message","data":"b","lastEventId":"2","id":"2"}"#))
    #expect(run.lines.last == #"{"kind":"closed","reason":"noContent"}"#)
    #expect(await code == .success)
  }

  /// Serves the orders of the corpus with these options to one client, and ends.
  private func serveOrders(
    _ options: [String]
  ) async throws -> (code: ExitCode, diagnostics: String, client: CommandRun) {
    let path = packageRoot.appendingPathComponent("Corpus/cassettes/order-status.cassette").path
    let (signals, continuation) = AsyncStream.makeStream(of: StopSignal.self)
    let (output, diagnostics) = (Collected(), Collected())
    var context = CommandContext.forTests
    context.output = CommandOutput { output.append($0) }
    context.diagnostics = CommandOutput { diagnostics.append($0) }
    context.signals = { signals }
    async let code = Wiretape.run(["serve", path, "--speed", "instant"] + options, in: context)
    await output.wait(for: "\n")
    let client = await wiretape("listen", "--json", String(output.text.split(separator: "\n")[0]))
    continuation.yield(.interrupt)
    return (await code, diagnostics.text, client)
  }

  @Test("a reset loses nothing of the session, and every fault that was asked for did happen")
  func reset() async throws {
    let (code, diagnostics, client) = try await serveOrders([
      "--fault", "reset@100", "--boundaries", "hostile",
    ])
    let ids = client.lines.filter { $0.contains(#""kind":"event""#) }.map { $0.suffix(4) }
    #expect(ids == ["\"1\"}", "\"2\"}", "\"3\"}", "\"4\"}", "\"5\"}"])
    #expect(code == .success)
    #expect(!diagnostics.contains("fault") && !diagnostics.contains("warning"))
  }

  @Test("what can't happen is told of at the start, and what didn't at the end")
  func unused() async throws {
    let (code, diagnostics, _) = try await serveOrders([
      "--fault", "reset@9/3", "--fault", "reset@5000", "--fault", "truncate@3/0", "--fault", "truncate@290",
      "--fault", "stall@295:0", "--boundaries", "at:9,9999",
    ])
    #expect(code == .success)
    let lines = diagnostics.split(separator: "\n").map(String.init)
    #expect(
      lines.filter { $0.contains("warning") } == [
        "wiretape serve: warning: plan ‘at:9,9999’ cuts nothing at offset 9999: the session’s bodies have 474 bytes",
        "wiretape serve: warning: fault ‘reset@9/3’ can't happen: the cassette holds 3 exchanges",
        "wiretape serve: warning: fault ‘reset@5000’ can't happen: the longest body in the cassette has 297 bytes",
      ])
    #expect(lines.last == "wiretape serve: fault ‘stall@295:0’ did not happen: no answer got so far")
    #expect(lines.filter { $0.contains("did not happen") }.count == 1)
  }

  @Test("a resume sweep runs our client through every cut, and ends with it", .timeLimit(.minutes(10)))
  func resumeSweep() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("s.cassette")
    try writeSession(path, [(["id: 1\ndata: a\n\nid: 2\ndata: b\n\n"], .complete)])
    let output = Collected()
    var context = CommandContext.forTests
    context.output = CommandOutput { output.append($0) }
    async let code = Wiretape.run(["serve", path, "--resume-sweep", "byte"], in: context)
    await output.wait(for: "\n")
    let url = output.text.split(separator: "\n")[0]
    for _ in 0..<15 {  // the length of an event
      let run = await wiretape("listen", "--json", String(url))
      #expect(run.lines.filter { $0.contains(#""kind":"event""#) }.count == 2)
    }
    #expect(await code == .success)
    #expect(output.text.contains("30 of 30 cuts in a stream of 2 events: nothing lost or repeated"))

    let mixed = await wiretape("serve", path, "--resume-sweep", "byte", "--fault", "reset@1")
    #expect(mixed.code == .usage && mixed.diagnostics.contains("cuts by itself"))
    try writeSession(folder.path("t.cassette"), [(["data: a\n\n"], .complete)])
    let without = await wiretape("serve", folder.path("t.cassette"), "--resume-sweep", "event")
    #expect(without.code == .badData && without.diagnostics.contains("event 1 has no ID of its own"))
  }

  @Test("options that can't be are usage errors")
  func usage() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("s.cassette")
    try writeSession(path, [(["data: a\n\n"], .complete)])
    for options in [
      ["--fault", "explode@1"], ["--port", "70000"], ["--boundaries", "each"], ["--speed", "0"],
    ] {
      let run = await wiretape(["serve", path] + options)
      #expect(run.code == .usage, "\(options) \(run.diagnostics)")
    }
    #expect(await wiretape("serve", folder.path("none")).code == .noInput)
  }
}
