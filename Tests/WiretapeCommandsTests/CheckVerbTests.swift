// `wiretape check`: golden files, plans, findings, and several files at once.

import EventCassettes
import Foundation
import ScratchFolders
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
    #expect(await wiretape("check", "--update", path).code == .badData)
    #expect(
      try folder.names().allSatisfy { !$0.hasSuffix(".jsonl") }, "a part of a session would count as right")
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

  @Test("answers that are no streams are warned of as inspect warns of them")
  func warningsAsInspect() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("s.cassette")
    var writer = try CassetteWriter(creating: path)
    try writer.write(.header(Cassette.Header(recorder: "test 1", recordedAt: "2026-01-02T03:04:05Z")))
    let heads: [(Int, [HeaderField])] = [
      (400, eventStreamType), (200, [HeaderField("Content-Type", "text/plain")]), (302, []),
    ]
    for (status, headers) in heads {
      try writer.write(.request(Cassette.Request(url: "http://h/e")))
      try writer.write(.response(Cassette.Response(status: status, headers: headers)))
      try writer.write(.chunk(Cassette.Chunk(bytes: Array("error: no\n\n".utf8))))
      try writer.write(.end(Cassette.End(cause: .complete)))
    }
    try writer.finish()
    try writer.close()
    let warnings = [
      #""warnings":[{"exchange":1,"offset":0,"what":"status 400 under the type text/event-stream"}"#,
      #"{"exchange":1,"offset":0,"what":"the unknown field \"error\" is ignored"}"#,
      #"{"exchange":2,"offset":0,"what":"content type text/plain: no client takes events from this answer"}]"#,
    ].joined(separator: ",")
    for verb in ["check", "inspect"] {
      let run = await wiretape(verb, "--json", path)
      #expect(run.output.contains(warnings), "\(run.output)")
    }
  }

  @Test("a proof of no window is called a sample, with its counts")
  func noWindow() {
    let certainty = ChunkingCertainty.provedInWindows(windows: 0, of: 5, longestChunk: 16, pieces: 100)
    #expect(certainty.text == "sampled, not proved (0 of 5 windows), but for chunks of up to 16 bytes")
  }

  @Test("plans that can't be read", arguments: ["", "hostle", "bytes:0", "at:", "3,4"])
  func plans(text: String) async throws {
    #expect(await wiretape("check", "--plans", text, "x").code == .usage)
  }
}
