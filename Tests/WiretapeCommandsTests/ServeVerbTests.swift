// `wiretape serve`: played to our own client, with and without a fault, until a signal.

import EventCassettes
import Foundation
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct ServeVerbTests {
  @Test(
    "a client gets the recorded session, also across a fault", arguments: [[], ["--fault", "truncate@30"]])
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
    #expect(
      run.lines.contains(#"{"kind":"event","type":"message","data":"b","lastEventId":"2","id":"2"}"#)
        == options.isEmpty)
    #expect(run.lines.last == #"{"kind":"closed","reason":"noContent"}"#)
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
