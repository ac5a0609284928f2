// `recover`, `redact`, `cat` and `trim`: the rewriting is tested with the library, here it is files, words and codes.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct RewritingVerbTests {
  func makeSession(in folder: ScratchFolder) throws -> String {
    let path = folder.path("s.cassette")
    try writeSession(
      path,
      [
        (["id: 1\ndata: {\"password\":\"hunter22\"}\n\n", "data: b\n\n"], .reset),
        (["data: c\n\n"], .complete),
      ], lastEventIDs: ["", "1"])
    return path
  }

  func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) }

  @Test("recover finishes a torn cassette and says what was lost; a text file stays bad data")
  func recover() async throws {
    let folder = try ScratchFolder()
    let source = try makeSession(in: folder)
    let torn = try folder.write("torn", try bytes(source).dropLast(30))
    let run = await wiretape("recover", torn, "-o", folder.path("new.cassette"))
    #expect(run.code == .success)
    #expect(run.output.contains("records kept"))
    #expect(run.output.contains("added: the trailer"))
    #expect(try Cassette(contentsOf: folder.path("new.cassette")).isFinished)
    let whole = await wiretape("recover", source, "-o", folder.path("whole.cassette"))
    #expect(whole.output.contains("nothing had to be mended"))
    let text = await wiretape(
      "recover", try folder.write("text", "data: a\n\n".utf8), "-o", folder.path("none.cassette"))
    #expect(text.code == .badData)
    #expect(!FileManager.default.fileExists(atPath: folder.path("none.cassette")))
  }

  @Test("recover says which of the records that it keeps no checksum vouches for")
  func recoverAltered() async throws {
    let folder = try ScratchFolder()
    var altered = try bytes(try makeSession(in: folder))
    altered[altered.count - 8] ^= 1  // of the last member's checksum
    let run = await wiretape(
      "recover", try folder.write("altered", altered), "-o", folder.path("new.cassette"))
    #expect(run.code == .success)
    #expect(run.output.contains("dropped: everything from the fault on: "))
    #expect(
      run.lines.contains {
        $0.hasPrefix("look at them: ")
          && $0.hasSuffix("may be altered, for its checksum can’t vouch for them")
      }, "\(run.output)")
  }

  @Test("redact masks at equal length and names what it masked")
  func redact() async throws {
    let folder = try ScratchFolder()
    let source = try makeSession(in: folder)
    let run = await wiretape("redact", source, "-o", folder.path("new.cassette"))
    #expect(run.code == .success)
    #expect(run.output == "\(folder.path("new.cassette")): masked: JSON password\n")
    let (old, new) = (try Cassette(contentsOf: source), try Cassette(contentsOf: folder.path("new.cassette")))
    #expect(new.exchanges[0].chunks.map(\.bytes.count) == old.exchanges[0].chunks.map(\.bytes.count))
    #expect(!String(decoding: new.exchanges[0].body, as: UTF8.self).contains("hunter22"))
    #expect(await wiretape("redact", source, "-o", folder.path("x"), "--no-redact").code == .usage)
    let matched = folder.path("matched.cassette")
    let patterns = await wiretape("redact", source, "-o", matched, "--redact-regex", "[bc]")
    #expect(patterns.output == "\(matched): masked: JSON password; 2 matches of patterns\n")
    #expect(await wiretape("inspect", matched).output.contains("password; 2 matches of patterns"))
    let inspected = try #require(try await wiretape("inspect", "--json", matched).objects().first)
    #expect((inspected["redaction"] as? [String: any Sendable])?["matches"] as? Int == 2)
  }

  @Test("cat joins, and a replay of it plays both")
  func cat() async throws {
    let folder = try ScratchFolder()
    let source = try makeSession(in: folder)
    let joined = folder.path("joined.cassette")
    #expect(await wiretape("cat", source, source, "-o", joined).code == .success)
    #expect(try Cassette(contentsOf: joined).exchanges.count == 4)
    let events = try await wiretape("replay", "--json", joined).objects().filter {
      $0["kind"] as? String == "event"
    }
    #expect(events.compactMap { $0["exchange"] as? Int } == [1, 1, 2, 3, 3, 4])
    #expect(await wiretape("cat", "-", "-", "-o", folder.path("x")).code == .usage)
  }

  @Test(
    "trim keeps a part",
    arguments: [
      (["--exchange", "2"], ["c"]), (["--events", "2-3"], ["b", "c"]), (["--events", "2"], ["b"]),
      (["--to", "0.015"], ["{\"password\":\"hunter22\"}"]), (["--from", "1"], ["c"]),
    ] as [([String], [String])])
  func trim(options: [String], data: [String]) async throws {
    let folder = try ScratchFolder()
    let part = folder.path("part.cassette")
    let run = await wiretape(["trim", try makeSession(in: folder), "-o", part] + options)
    #expect(run.code == .success, "\(run.diagnostics)")
    #expect(
      try await wiretape("inspect", "--events", "--json", part).objects().map { $0["data"] as? String }
        == data)
  }

  @Test(
    "a part that isn’t there is an error that says what is, and leaves no file",
    arguments: [
      ["--exchange", "3"], ["--events", "4-9"], ["--from", "9999"], ["--exchange", "1", "--events", "3"],
    ])
  func trimNothing(options: [String]) async throws {
    let folder = try ScratchFolder()
    let source = try makeSession(in: folder)
    let run = await wiretape(["trim", source, "-o", folder.path("part")] + options)
    #expect(run.code == .badData)
    #expect(run.diagnostics.contains("it has 2 exchanges, 3 events, and lasts 3.03 s"), "\(run.diagnostics)")
    #expect(try folder.names() == ["s.cassette"])
    let old = try folder.write("old", [1, 2, 3])
    #expect(await wiretape(["trim", source, "-o", old, "--force"] + options).code == .badData)
    #expect(try bytes(old) == [1, 2, 3])
  }

  @Test(
    "what makes no sense is a usage error",
    arguments: [
      [], ["--from", "2", "--to", "1"], ["--events", "3-2"], ["--events", "0"], ["--events", "a"],
    ])
  func trimUsage(options: [String]) async throws {
    #expect(await wiretape(["trim", "s.cassette", "-o", "x"] + options).code == .usage)
  }

  @Test("nothing is written onto what is read, and nothing is left of what failed")
  func safety() async throws {
    let folder = try ScratchFolder()
    let source = try makeSession(in: folder)
    let before = try bytes(source)
    for words in [
      ["recover", source], ["redact", source], ["cat", source], ["trim", source, "--exchange", "1"],
    ] {
      #expect(await wiretape(words).code == .usage)
      #expect(await wiretape(words + ["-o", source, "--force"]).code == .cannotCreate)
      #expect(
        await wiretape([words[0], folder.path("none")] + words.dropFirst(2) + ["-o", folder.path("x")]).code
          == .noInput)
    }
    var damaged = before
    damaged[before.count - 5] ^= 1
    let broken = try folder.write("broken", damaged)
    #expect(await wiretape("cat", broken, "-o", folder.path("x")).code == .badData)
    #expect(
      await wiretape("cat", broken, "-o", folder.path("x")).diagnostics.contains(
        "“wiretape recover FILE -o NEW”"))
    #expect(try folder.names() == ["broken", "s.cassette"])
    #expect(try bytes(source) == before)
    let old = try folder.write("old", "precious".utf8)
    #expect(await wiretape("cat", broken, "-o", old, "--force").code == .badData)
    #expect(await wiretape("export", broken, "--to", "har", "-o", old, "--force").code != .success)
    #expect(await wiretape("import", broken, "--from", "har", "-o", old, "--force").code != .success)
    #expect(try bytes(old) == Array("precious".utf8))
  }
}
