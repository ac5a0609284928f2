// `wiretape demo` runs from beginning to end, and what it leaves is what it said.

import EventCassettes
import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct DemoVerbTests {
  @Test("the demo records a session, proves it and finds the naive parser's fault")
  func demo() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("demo.cassette")
    let run = await wiretape("demo", "-o", path)
    #expect(run.code == .success, "\(run.diagnostics)")
    #expect(run.output.contains("the client came back with Last-Event-ID: 9"))
    #expect(run.output.contains("The parser is proved for every chunking there is."))
    #expect(run.output.contains("recorded    ✓ the chunks as they came"))
    #expect(run.output.contains("split: at:"))
    #expect(run.output.contains("|"))
    for line in run.lines where line.hasPrefix("    wiretape ") {
      #expect(Verb.all.contains { line.hasPrefix("    wiretape \($0.name) ") }, "\(line)")
    }
    let cassette = try Cassette(contentsOf: path)
    #expect(cassette.exchanges.map(\.response?.status) == [200, 200, 204])
    let events = try CassetteVerifier.events(of: cassette)
    #expect(events.map(\.lastEventID) == (1...16).map(String.init))
    #expect(events.last?.data == "[DONE]")
    #expect(await wiretape("demo", "-o", path).code == .cannotCreate)
  }
}
