// `wiretape replay`: the lines of `listen` from a cassette, on virtual time, at every plan.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct ReplayVerbTests {
  func makeSession(in folder: ScratchFolder, resumesAfter id: String = "1") throws -> String {
    let path = folder.path("s.cassette")
    try writeSession(
      path,
      [([": hi\n\nid: 1\nda", "ta: a\n\ndata: torn"], .truncated), (["data: é\r\n\r\n"], .cancelled)],
      lastEventIDs: ["", id])
    return path
  }

  @Test("the lines of listen with exchange and time")
  func lines() async throws {
    let folder = try ScratchFolder()
    let run = await wiretape("replay", "--json", try makeSession(in: folder))
    #expect(run.code == .success)
    #expect(
      run.lines == [
        #"{"kind":"open","exchange":1,"atUs":1000}"#,
        #"{"kind":"comment","comment":" hi","exchange":1,"atUs":11000}"#,
        #"{"kind":"event","type":"message","data":"a","lastEventId":"1","id":"1","exchange":1,"atUs":21000}"#,
        #"{"kind":"error","error":"truncated","status":200,"exchange":1,"atUs":21000}"#,
        #"{"kind":"reconnecting","delayMs":3000,"exchange":1,"atUs":21000}"#,
        #"{"kind":"open","exchange":2,"atUs":3022000}"#,
        #"{"kind":"event","type":"message","data":"é","lastEventId":"1","id":null,"exchange":2,"atUs":3032000}"#,
        #"{"kind":"closed","reason":"signal","exchange":2,"atUs":3032000}"#,
      ])
  }

  @Test("an offset behind the end of the session is told of, with its size")
  func behindTheEnd() async throws {
    let folder = try ScratchFolder()
    let path = try makeSession(in: folder)
    let run = await wiretape("replay", "--boundaries", "at:3,44,9999", path)
    #expect(run.code == .success)
    #expect(
      run.diagnostics
        == "wiretape replay: warning: plan ‘at:3,44,9999’ cuts nothing at 2 offsets from 44 on: the session’s bodies have 43 bytes\n"
    )
    #expect(await wiretape("replay", "--boundaries", "at:3", path).diagnostics.isEmpty)
  }

  @Test("what stands before damage is replayed at any boundaries")
  func damaged() async throws {
    let folder = try ScratchFolder()
    let path = try makeSession(in: folder)
    let whole = await wiretape("replay", "--boundaries", "at:3", path)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path)) + Data("no member".utf8)
    let damaged = try folder.write("damaged.cassette", bytes)
    let run = await wiretape("replay", "--boundaries", "at:3", damaged)
    #expect(run.code == .badData)
    #expect(!run.output.isEmpty && whole.output.hasPrefix(run.output))
  }

  @Test(
    "every plan gives the same events",
    arguments: ["whole", "bytes:1", "hostile", "random:7", "at:3,20", "each"])
  func plans(plan: String) async throws {
    let folder = try ScratchFolder()
    let path = try makeSession(in: folder)
    func events(_ run: CommandRun) throws -> [String] {
      try run.objects().filter { $0["kind"] as? String == "event" }.map {
        "\($0["data"] ?? "") \($0["exchange"] ?? "")"
      }
    }
    let run = await wiretape("replay", "--json", "--boundaries", plan, path)
    #expect(run.code == .success)
    #expect(try events(run) == ["a 1", "é 2"])
  }

  @Test("another Last-Event-ID than the recorded one is a finding")
  func finding() async throws {
    let folder = try ScratchFolder()
    let run = await wiretape("replay", "--json", try makeSession(in: folder, resumesAfter: "7"))
    #expect(run.code == .finding)
    let finding = try #require(try run.objects().first { $0["kind"] as? String == "finding" })
    #expect(finding["finding"] as? String == "lastEventID")
    #expect(finding["exchange"] as? Int == 2)
  }

  @Test("a paced replay waits as long as was recorded, and no longer than --max-idle")
  func speed() async throws {
    let folder = try ScratchFolder()
    let path = try makeSession(in: folder)
    for (options, total) in [
      (["--speed", "recorded"], Duration.microseconds(3_032_000)),
      (["--speed", "2"], .microseconds(1_516_000)),
      (["--speed", "recorded", "--max-idle", "0.5"], .microseconds(532_000)), ([], .zero),
    ] {
      let clock = VirtualClock()
      let isDone = Flag()
      async let run = {
        let run = await wiretape(["replay", path] + options, clock: clock)
        await isDone.raise()
        return run
      }()
      while await !isDone.isRaised { await clock.run { await isDone.isRaised } }
      #expect(await run.code == .success)
      #expect(clock.now == total, "\(options)")
    }
  }

  @Test("an unknown plan is a usage error that lists the plans")
  func unknownPlan() async throws {
    let run = await wiretape("replay", "--boundaries", "sideways", "x.cassette")
    #expect(run.code == .usage)
    #expect(run.diagnostics.contains("bytes:N"))
    #expect(await wiretape("replay", "--speed", "fast", "x.cassette").code == .usage)
  }
}
