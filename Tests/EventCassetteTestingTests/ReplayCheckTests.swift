// The checks apart from the frameworks: where they look, what they write, what their messages say.

import EventCassetteTesting
import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

extension ScratchFolder {
  /// A test file that isn't there.
  fileprivate var testFile: String { path("SomeTests.swift") }

  /// One with a folder for cassettes in it.
  fileprivate static func withCassettes() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path("Cassettes"), withIntermediateDirectories: true)
    return folder
  }

  fileprivate func makeCassette(_ name: String, body: [String], lastEventID: String? = nil) throws {
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    let client = Cassette.Client(mode: "eventSource", policy: "standard", initialRetryMs: 3000)
    try writer.write(
      .header(Cassette.Header(recorder: "tests", recordedAt: "2026-01-02T03:04:05Z", client: client)))
    for (index, text) in body.enumerated() {
      var request = Cassette.Request(url: "http://127.0.0.1/")
      if index > 0, let lastEventID { request.headers.append(HeaderField("Last-Event-ID", lastEventID)) }
      try writer.write(.request(request))
      try writer.write(
        .response(Cassette.Response(headers: [HeaderField("Content-Type", "text/event-stream")])))
      try writer.write(.chunk(Cassette.Chunk(bytes: Array(text.utf8))))
      try writer.write(.end(Cassette.End(cause: index + 1 < body.count ? .reset : .cancelled)))
    }
    try writer.write(.trailer(writer.totals))
    try writer.close()
    try write(name, writer.bytes)
  }
}

@Suite("Checks of cassettes in tests")
struct ReplayCheckTests {
  @Test("a cassette is found beside the test, in Cassettes there, with and without its suffix")
  func found() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.makeCassette("a.cassette", body: ["data: 1\n\n"])
    try folder.makeCassette("Cassettes/b.cassette", body: ["data: 1\n\n"])
    for (name, place) in [
      ("a", "a.cassette"), ("a.cassette", "a.cassette"), ("b", "Cassettes/b.cassette"),
      (folder.path("a"), "a.cassette"),
    ] {
      let check = checkReplay(name, record: .never, filePath: folder.testFile)
      #expect(check.cassette == folder.path(place), "\(name)")
    }
    let missing = checkReplay("c", filePath: folder.testFile)
    #expect(missing.failure?.contains("no cassette ‘c’") == true)
    #expect(missing.failure?.contains(folder.path("Cassettes/c.cassette")) == true)
    #expect(missing.failure?.contains("wiretape record URL -o '\(folder.path("c.cassette"))'") == true)
  }

  @Test("a missing golden file is written and fails the run; the next run compares")
  func recording() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.makeCassette("a.cassette", body: ["id: 1\ndata: é\n\n"])
    let golden = folder.path("a.events.jsonl")
    let never = checkReplay("a", record: .never, filePath: folder.testFile)
    #expect(never.failure?.contains("no golden file") == true && never.recorded == nil)
    #expect(!FileManager.default.fileExists(atPath: golden))
    let first = checkReplay("a", record: .missing, filePath: folder.testFile)
    #expect(first.recorded == golden)
    #expect(first.failure?.contains(golden) == true)
    let text = try String(contentsOfFile: golden, encoding: .utf8)
    #expect(
      text == "{\"exchange\":1,\"type\":\"message\",\"data\":\"é\",\"lastEventId\":\"1\",\"id\":\"1\"}\n")
    let second = checkReplay("a", record: .missing, filePath: folder.testFile)
    #expect(second.passed, "\(second.failure ?? "")")
    #expect(second.report?.isProved == true)
    let all = withRecordMode(.all) { checkReplay("a", filePath: folder.testFile) }
    #expect(all.recorded == golden && !all.passed)
  }

  @Test("events that are not the golden ones fail with both, the line and the next commands")
  func golden() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.makeCassette("a.cassette", body: ["data: 1\n\ndata: 2\n\n"])
    try folder.write(
      "a.events.jsonl",
      GoldenFile.bytes(of: [GoldenEvent(exchange: 1, data: "1"), GoldenEvent(exchange: 1, data: "3")]))
    let failure = try #require(checkReplay("a", filePath: folder.testFile).failure)
    #expect(failure.hasPrefix("a.cassette: event 2 is not the golden one."))
    #expect(failure.contains("a.events.jsonl, line 2"))
    #expect(failure.contains(#"expected: {"exchange":1,"type":"message","data":"3""#))
    #expect(failure.contains(#"got:      {"exchange":1,"type":"message","data":"2""#))
    #expect(failure.contains("wiretape check '\(folder.path("a.cassette"))' --update"))
    try folder.write("a.events.jsonl", Array("{}\n".utf8))
    #expect(
      checkReplay("a", filePath: folder.testFile).failure?.contains("line 1 of the golden file") == true)
  }

  @Test("a client that would send another Last-Event-ID fails")
  func client() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.makeCassette("a.cassette", body: ["id: 1\ndata: 1\n\n", "data: 2\n\n"], lastEventID: "8")
    let failure = checkReplay("a", record: .never, filePath: folder.testFile).failure
    #expect(failure?.contains("recorded Last-Event-ID ‘8’, replayed Last-Event-ID ‘1’") == true)
  }

  @Test("a line-based parser is caught with one cut, shown in place, and the smallest stream")
  func lineBased() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.makeCassette(
      "a.cassette", body: ["event: order\nid: 1\ndata: {\"state\":\"packed\"}\n\ndata: naïve 😀\n\n"])
    let check = checkReplay("a", filePath: folder.testFile, with: { LineBasedParser() })
    let failure = try #require(check.failure)
    let finding = try #require(check.chunking?.finding)
    guard let cuts = finding.split.offsets else {
      Issue.record("\(finding)")
      return
    }
    #expect(cuts.count == 1)
    #expect(failure.contains("split:    at:\(cuts[0]) (found by bytes:1), exchange 1"))
    #expect(failure.contains("cut at:   \""))
    #expect(
      failure.contains("re-run:   assertReplays(\"a\", options: CheckOptions(plans: [.at([\(cuts[0])])]))"))
    let smallest = try #require(check.reproduction)
    #expect(smallest.chunks.joined().count <= 20)
    #expect(smallest.chunks.count == 2)
    #expect(failure.contains("smallest: \(smallest.escaped)"))
    // The plan of the message reproduces it by itself.
    let again = checkReplay(
      "a", options: CheckOptions(plans: [finding.split]), filePath: folder.testFile,
      with: { LineBasedParser() })
    #expect(again.chunking?.finding?.split == finding.split)
  }

  @Test("a right parser passes as a value, a black box and a closure; as a value it is proved")
  func right() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.makeCassette(
      "a.cassette", body: ["id: 1\r\ndata: é\r\ndata\r\n\r\n", "data: 2\n\n"], lastEventID: "1")
    let value = checkReplay("a", filePath: folder.testFile, with: { GoodParser() })
    #expect(value.passed && value.chunking?.certainty.isProof == true)
    let closure = checkReplay("a", filePath: folder.testFile) {
      var parser = GoodParser()
      return { parser.append($0) }
    }
    #expect(closure.passed && closure.chunking?.certainty.isProof == false)
  }

  @Test("what is no cassette fails with the reader's words")
  func damaged() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.write("a.cassette", Array("plain text".utf8))
    #expect(checkReplay("a", filePath: folder.testFile).failure?.contains("not a cassette") == true)
  }

  @Test(
    "the environment decides where nobody else does, and CI means never",
    arguments: [
      ([:], RecordMode.missing), (["WIRETAPE_RECORD": "all"], .all), (["WIRETAPE_RECORD": "never"], .never),
      (["WIRETAPE_RECORD": "missing"], .missing), (["WIRETAPE_RECORD": "yes"], .never),
      (["WIRETAPE_RECORD": ""], .missing),
      (["CI": "true", "WIRETAPE_RECORD": "all"], .never), (["CI": "1"], .never), (["CI": "false"], .missing),
    ] as [([String: String], RecordMode)])
  func environment(variables: [String: String], mode: RecordMode) {
    #expect(RecordMode.mode(in: variables) == mode)
  }
}

@Suite("Assertions in Swift Testing")
struct AssertionTests {
  @Test("a failed assertion is an issue of the test at its own line")
  func issue() throws {
    let folder = try ScratchFolder.withCassettes()
    try folder.makeCassette("a.cassette", body: ["data: 1\n\n"])
    let path = folder.path("a")
    withKnownIssue {
      assertReplays(path, with: { LineBasedParser() })
    } matching: { issue in
      issue.description.contains("split:") && issue.sourceLocation?.fileName == "ReplayCheckTests.swift"
    }
    withKnownIssue { assertReplays(path, record: .never) }
    assertReplays(path, with: { GoodParser() })
  }
}
