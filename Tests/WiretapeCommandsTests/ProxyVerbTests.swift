// `wiretape proxy` between our own client and a server, until a signal.

import EventCassetteServer
import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct ProxyVerbTests {
  @Test("a client's session goes on one cassette in the folder")
  func proxy() async throws {
    let server = try LoopbackServer(responses: [
      .eventStream("retry: 10\nid: 1\ndata: a\n\n", "data: torn", framing: .chunked, ending: .cut),
      .eventStream("data: b\n\n", framing: .chunked), ScriptedResponse(status: 204),
    ])
    let folder = try ScratchFolder()
    let (signals, continuation) = AsyncStream.makeStream(of: StopSignal.self)
    let output = Collected()
    var context = CommandContext.forTests
    context.output = CommandOutput { output.append($0) }
    context.signals = { signals }
    async let code = Wiretape.run(["proxy", server.url, "-o", folder.path("recorded")], in: context)
    await output.wait(for: "\n")
    let url = String(output.text.split(separator: "\n")[0])
    let run = await wiretape("listen", "--json", url + "/events")
    continuation.yield(.terminate)
    #expect(await code == .success)
    #expect(run.code == .success)
    #expect(run.lines.filter { $0.contains(#""kind":"event""#) }.count == 2)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path("recorded"))
    #expect(names.count == 1)
    let cassette = try Cassette(contentsOf: folder.path("recorded/\(names[0])"))
    #expect(cassette.isFinished)
    #expect(cassette.exchanges.map { $0.response?.status } == [200, 200, 204])
    #expect(output.text.split(separator: "\n").last?.hasSuffix(names[0]) == true)
  }

  @Test(
    "addresses",
    arguments: [("127.0.0.1:80", 80), (":9090", 9090), ("localhost:1", 1), ("0.0.0.0", 0)]
      as [(String, UInt16)])
  func addresses(text: String, port: UInt16) throws { #expect(try ListenAddress(text).port == port) }

  @Test("what is no address or no upstream is a usage error")
  func usage() async throws {
    let folder = try ScratchFolder()
    for text in ["", "a:b", "1.2.3:4", "1.2.3.4.5:6", "1.2.3.256:1", "1.2.3.4:70000", "::1:80"] {
      #expect(throws: UsageProblem.self) { try ListenAddress(text) }
    }
    #expect(await wiretape("proxy", "ftp://h", "-o", folder.path("x")).code == .usage)
    #expect(await wiretape("proxy", "http://h").code == .usage)
    let file = try folder.write("file", [1])
    #expect(await wiretape("proxy", "http://h", "-o", file).code == .cannotCreate)
  }
}
