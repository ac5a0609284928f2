// `wiretape check`: golden files, plans, findings, and several files at once.

import EventCassettes
import Foundation
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct CheckVerbTests {
  func makeSession(in folder: ScratchFolder, _ name: String = "s") throws -> String {
    let path = folder.path("\(name).cassette")
    try writeSession(path, [(["id: 1\ndata: a", "\n\ndata: 🚚\r\n\r\n"], .complete)])
    return path
  }

  @Test("no golden file is said and no failure; --update writes it; then it is compared")
  func golden() async throws {
    let folder = try ScratchFolder()
    let path = try makeSession(in: folder)
    let first = await wiretape("check", path)
    #expect(first.code == .success)
    #expect(
      first.output.contains("ok · \(path) · 2 events · proved for every chunking there is · no golden file"))
    #expect(try folder.names() == ["s.cassette"])
    let update = await wiretape("check", "--update", path)
    #expect(update.code == .success)
    let golden = try String(contentsOfFile: folder.path("s.events.jsonl"), encoding: .utf8)
    #expect(
      golden == """
        {"exchange":1,"type":"message","data":"a","lastEventId":"1","id":"1"}
        {"exchange":1,"type":"message","data":"🚚","lastEventId":"1","id":null}

        """)
    #expect(await wiretape("check", path).output.contains("equal to the golden file"))
    _ = try folder.write("s.events.jsonl", golden.replacingOccurrences(of: "\"a\"", with: "\"b\"").utf8)
    let changed = await wiretape("check", path)
    #expect(changed.code == .finding)
    #expect(changed.lines.contains("split: whole"))
    #expect(
      changed.lines.contains(
        #"expected: {"exchange":1,"type":"message","data":"b","lastEventId":"1","id":"1"}"#))
    #expect(
      changed.lines.contains(#"got: {"exchange":1,"type":"message","data":"a","lastEventId":"1","id":"1"}"#))
    _ = try folder.write("s.events.jsonl", "no json\n".utf8)
    #expect(await wiretape("check", path).code == .badData)
  }

  @Test("one line of JSON for each file, with stable keys")
  func json() async throws {
    let folder = try ScratchFolder()
    let path = try makeSession(in: folder)
    let run = await wiretape("check", "--json", "--plans", "whole,at:3,9,bytes:1", path)
    #expect(
      run.lines == [
        #"{"file":\#(quoted(path)),"ok":true,"proved":true,"plans":["whole","at:3,9","bytes:1"],"events":2,"split":null,"expected":null,"got":null,"warnings":[],"finished":true}"#
      ])
  }

  @Test("a cassette without its end is checked as far as it goes, with a warning that can't be overlooked")
  func unfinished() async throws {
    let folder = try ScratchFolder()
    let whole = try Data(contentsOf: URL(fileURLWithPath: makeSession(in: folder)))
    let path = try folder.write("torn.cassette", whole.dropLast(30))
    let run = await wiretape("check", path)
    #expect(run.code == .success)
    #expect(
      run.output.contains("  warning · unfinished: it is still being recorded, or the recorder was killed"))
    #expect(await wiretape("check", "--json", path).output.contains(#""finished":false"#))
  }

  @Test("a bad file is named, the others are checked all the same")
  func several() async throws {
    let folder = try ScratchFolder()
    let good = try makeSession(in: folder)
    let text = try folder.write("text.cassette", "data: a\n\n".utf8)
    let run = await wiretape("check", "--json", text, good, folder.path("none.cassette"))
    #expect(run.code == .noInput)
    #expect(run.lines.count == 3)
    #expect(run.lines[1].contains(#""ok":true"#))
    #expect(run.diagnostics.contains("text.cassette"))
    #expect(run.diagnostics.contains("none.cassette: there is no such file"))
  }

  @Test("a client that does something else than the recorded one is a finding, where a client recorded")
  func client() async throws {
    let folder = try ScratchFolder()
    let (ours, strange) = (folder.path("ours.cassette"), folder.path("strange.cassette"))
    let session: [(chunks: [String], cause: ConnectionEnd)] = [
      (["id: 1\ndata: a\n\n"], .reset), (["data: b\n\n"], .cancelled),
    ]
    try writeSession(ours, session, lastEventIDs: ["", "9"])
    try writeSession(strange, session, lastEventIDs: ["", "9"], client: nil)
    let run = await wiretape("check", "--json", ours)
    #expect(run.code == .finding)
    #expect(run.output.contains("Last-Event-ID ‘9’"))
    #expect(await wiretape("check", strange).code == .success)
  }

  @Test("what servers hide is warned of")
  func warnings() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("s.cassette")
    try writeSession(path, [(["error: overload\n\ndata: a\n\ndata: torn\n"], .complete)])
    let run = await wiretape("check", path)
    #expect(run.code == .success)
    #expect(run.output.contains(#"warning · #1 · byte 0 · the unknown field "error" is ignored"#))
    #expect(run.output.contains("the last block has no blank line"))
  }

  @Test("plans that can't be read", arguments: ["", "hostle", "bytes:0", "at:", "3,4"])
  func plans(text: String) async throws {
    #expect(await wiretape("check", "--plans", text, "x").code == .usage)
  }
}
