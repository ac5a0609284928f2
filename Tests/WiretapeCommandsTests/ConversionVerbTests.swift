// `import`, `export`, `report` and `diff` as a user types them.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct ConversionVerbTests {
  private func makeCassette(_ name: String, _ text: String, in folder: ScratchFolder) async throws -> String {
    let body = folder.path(name + ".sse")
    try Data(text.utf8).write(to: URL(fileURLWithPath: body))
    let path = folder.path(name + ".cassette")
    let run = await wiretape("import", body, "-o", path)
    #expect(run.code == .success && run.diagnostics.contains("1 exchange"), "\(run.diagnostics)")
    return path
  }

  @Test("a body goes onto a cassette and comes back as it was")
  func roundTrip() async throws {
    let folder = try ScratchFolder()
    let text = "id: 7\r\ndata: é\r\n\r\n: x\r\n\r\ndata: cut"
    let path = try await makeCassette("a", text, in: folder)
    #expect(await wiretape("export", path, "--to", "sse").output == text)
    let lines = await wiretape("export", path, "--to", "jsonl")
    #expect(
      lines.output == #"{"atUs":0,"data":"é","exchange":1,"id":"7","lastEventId":"7","type":"message"}"#
        + "\n")
    for format in ["har", "asciicast"] {
      let file = folder.path("a." + format)
      #expect(await wiretape("export", path, "--to", format, "-o", file).code == .success)
      #expect(
        await wiretape("export", path, "--to", format).output
          == (try String(contentsOfFile: file, encoding: .utf8)))
      #expect(await wiretape("export", path, "--to", format, "-o", file).code == .cannotCreate)
      #expect(await wiretape("export", path, "--to", format, "-o", file, "--force").code == .success)
    }
    #expect(await wiretape("export", path, "--to", "corpus", "-o", folder.path("seeds")).code == .success)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("seeds")).count >= 1)
  }

  @Test("what can't be read or written is said, and leaves no file")
  func badInput() async throws {
    let folder = try ScratchFolder()
    let cassette = try await makeCassette("a", "data: a\n\n", in: folder)
    let out = folder.path("out")
    let har = folder.path("bad.har")
    try Data("{}".utf8).write(to: URL(fileURLWithPath: har))
    for (words, code) in [
      (["import", har, "-o", out], ExitCode.badData),
      (["import", folder.path("none.sse"), "-o", out], .noInput),
      (["import", cassette, "-o", out], .usage), (["import", har], .usage), (["export", cassette], .usage),
      (["export", cassette, "--to", "pdf"], .usage), (["export", cassette, "--to", "corpus"], .usage),
      (["export", cassette, "--to", "corpus", "-o", cassette], .cannotCreate),
      (["report", cassette], .usage),
      (["export", har, "--to", "sse", "-o", out], .badData), (["report", har, "-o", out], .badData),
      (["diff", cassette, har], .badData), (["diff", "-", "-"], .usage), (["diff", cassette], .usage),
    ] {
      let run = await wiretape(words)
      #expect(run.code == code, "\(words): \(run.diagnostics)")
      #expect(!run.diagnostics.isEmpty && !FileManager.default.fileExists(atPath: out), "\(words)")
    }
  }

  @Test("no verb overwrites what it reads, and “-” is no file")
  func ownInput() async throws {
    let folder = try ScratchFolder()
    let cassette = try await makeCassette("a", "data: a\n\n", in: folder)
    let before = try Data(contentsOf: URL(fileURLWithPath: cassette))
    for words in [
      ["export", cassette, "--to", "sse"], ["report", cassette], ["import", cassette, "--from", "sse"],
      ["cat", cassette],
    ] {
      let run = await wiretape(words + ["-o", cassette, "--force"])
      #expect(run.code == .cannotCreate)
      #expect(run.diagnostics.contains("this is the file that is read"))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: cassette)) == before)
    #expect(await wiretape("cat", cassette, "-o", "-").code == .cannotCreate)
    #expect(await wiretape("export", cassette, "--to", "sse", "-o", "-").output == "data: a\n\n")
  }

  @Test("text for people has lines, and nothing in it acts on a terminal")
  func printableText() async throws {
    let folder = try ScratchFolder()
    let cassette = try await makeCassette("a", "data: \u{1B}[2J\u{9B}é\u{202E}\r\ndata:\tb\r", in: folder)
    let lines = await wiretape("export", cassette, "--to", "text").lines
    #expect(lines.contains(#"data: \u{1b}[2J\u{9b}é\u{202e}"#))
    #expect(lines.contains("data:\tb"))
    #expect(lines.last?.hasPrefix(": end · complete") == true)
  }

  @Test("equal sessions don't differ; an event more in the middle is one difference")
  func eventDiff() async throws {
    let folder = try ScratchFolder()
    let a = try await makeCassette("a", "data: 1\n\ndata: 2\n\ndata: 3\n\n", in: folder)
    let b = try await makeCassette(
      "b", "data: 1\n\nevent: new\ndata: x\n\ndata: 2\n\ndata: 3\n\n", in: folder)
    #expect(await wiretape("diff", a, a).code == .success)
    let run = await wiretape("diff", a, b, "--json")
    #expect(run.code == .finding)
    #expect(
      run.lines == [#"{"kind":"added","exchange":1,"type":"new","data":"x","lastEventId":"","id":null}"#])
    #expect(await wiretape("diff", b, a, "--events").lines.allSatisfy { $0.hasPrefix("- ") })
  }

  @Test("a later event is a difference of timing alone")
  func timingDiff() async throws {
    let folder = try ScratchFolder()
    func makeCassette(_ name: String, delay: Int64) throws -> String {
      let path = folder.path(name)
      var writer = try CassetteWriter(creating: path)
      try writer.write(.header(Cassette.Header(recorder: "test 1", recordedAt: "2026-01-02T03:04:05Z")))
      try writer.write(.request(Cassette.Request(url: "http://h/e")))
      try writer.write(.response(Cassette.Response(status: 200)))
      try writer.write(.chunk(Cassette.Chunk(delay: 5, bytes: Array("data: 1\n\n".utf8))))
      try writer.write(.chunk(Cassette.Chunk(delay: delay, bytes: Array("data: 2\n\n".utf8))))
      try writer.write(.end(Cassette.End(cause: .complete)))
      try writer.finish()
      try writer.close()
      return path
    }
    let a = try makeCassette("a", delay: 1000)
    let b = try makeCassette("b", delay: 90_000)
    let run = await wiretape("diff", a, b, "--json")
    #expect(run.lines == [#"{"kind":"timing","exchange":1,"index":1,"aUs":1000,"bUs":90000}"#])
    #expect(run.code == .finding)
    #expect(await wiretape("diff", a, b, "--events").code == .success)
    #expect(await wiretape("diff", a, b, "--tolerance", "0.1").code == .success)
  }

  @Test("times that a cassette doesn’t know are left out, which is said", arguments: [true, false])
  func unknownTiming(first: Bool) async throws {
    let folder = try ScratchFolder()
    func makeCassette(_ name: String, delay: Int64, timing: Cassette.Timing) throws -> String {
      let path = folder.path(name)
      var writer = try CassetteWriter(creating: path)
      try writer.write(
        .header(Cassette.Header(recorder: "test 1", recordedAt: "2026-01-02T03:04:05Z", timing: timing)))
      try writer.write(.request(Cassette.Request(url: "http://h/e")))
      try writer.write(.response(Cassette.Response(status: 200)))
      try writer.write(.chunk(Cassette.Chunk(delay: 5, bytes: Array("data: 1\n\n".utf8))))
      try writer.write(.chunk(Cassette.Chunk(delay: delay, bytes: Array("data: 2\n\n".utf8))))
      try writer.write(.end(Cassette.End(cause: .complete)))
      try writer.finish()
      try writer.close()
      return path
    }
    let a = try makeCassette("a", delay: 1000, timing: first ? .unknown : .recorded)
    let b = try makeCassette("b", delay: 90_000, timing: first ? .recorded : .unknown)
    for options in [[], ["--timing"]] {
      let run = await wiretape(["diff", a, b] + options)
      #expect(run.code == .success && run.output.isEmpty)
      #expect(run.diagnostics.contains("\(first ? a : b): its times are not known"))
    }
    #expect(await wiretape("diff", a, b, "--events").diagnostics.isEmpty)
  }

  @Test("two long sessions without anything in common are compared, too")
  func longDiff() async throws {
    let folder = try ScratchFolder()
    let a = try await makeCassette("a", (1...3000).map { "data: a\($0)\n\n" }.joined(), in: folder)
    let b = try await makeCassette("b", (1...3000).map { "data: b\($0)\n\n" }.joined(), in: folder)
    #expect(await wiretape("diff", a, b, "--json").lines.count == 6000)
  }

  @Test("a report is a page")
  func report() async throws {
    let folder = try ScratchFolder()
    let path = try await makeCassette("a", "data: a\n\n", in: folder)
    #expect(await wiretape("report", path, "-o", folder.path("a.html")).code == .success)
    #expect(try String(contentsOfFile: folder.path("a.html"), encoding: .utf8).hasPrefix("<!doctype html>"))
  }
}
