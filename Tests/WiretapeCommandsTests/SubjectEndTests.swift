// Where subjects end: with a stream's answer, with nothing left to say, and with the check that runs them.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

@Suite(.serialized)
struct SubjectEndTests {
  private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  /// A subject that takes each data line for an event, and prints its end twice where a stream holds “twice”: at once, or
  /// when it has read on, which is as late as it can come.
  private static func answersTwice(late: Bool) -> String {
    """
    import json, sys
    read, body, surplus = sys.stdin.buffer.read, b"", False
    def end(): print(json.dumps({"end": True}), flush=True)
    while True:
        head = read(4)
        if surplus: end()
        if len(head) < 4: break
        surplus, length = False, int.from_bytes(head, "big")
        if length:
            body += read(length)
            continue
        for line in body.split(b"\\n"):
            if line.startswith(b"data: "):
                print(json.dumps({"type": "message", "data": line[6:].decode(), "lastEventId": ""}))
        end()
        surplus = b"twice" in body
        if surplus and not \(late ? "True" : "False"):
            end()
            surplus = False
        body = b""
    """
  }

  @Test(
    "a subject that goes on after its end is a finding in the stream that makes it do so, and stays one when small",
    .enabled(if: hasPython, "python3 is not installed"), arguments: [false, true])
  func surplus(late: Bool) async throws {
    let folder = try ScratchFolder()
    let subject = "exec python3 " + (try folder.write("subject.py", Self.answersTwice(late: late).utf8))
    let (path, small) = (folder.path("a.cassette"), folder.path("small.cassette"))
    try writeSession(
      path,
      [
        (["data: a\n\n"], .complete), (["data: b\n\n", "data: twice\n\n"], .complete),
        (["data: c\n\n"], .complete),
      ])
    let check = await wiretape("check", path, "--subject", subject, "--json")
    #expect(check.code == .finding)
    let got = try #require(try check.objects().first?["got"] as? String, "\(check.output)")
    #expect(got.contains("the subject went on after the end of a stream"), "\(check.output)")
    #expect(got.contains(#"{\"end\": true}"#))

    let good = folder.path("good.cassette")
    try writeSession(good, [(["data: a\n\n"], .complete)])
    let both = await wiretape("check", path, good, "--plans", "recorded", "--subject", subject, "--json")
    #expect(try both.objects().map { $0["ok"] as? Bool } == [false, true], "the next file is checked anew")

    if !late { return }  // each try is a process: once is enough
    let minimize = await wiretape("minimize", path, "-o", small, "--subject", subject)
    #expect(minimize.code == .success, "\(minimize.diagnostics)")
    #expect(minimize.output.contains("fails: fault ‘the subject went on after the end of a stream’"))
    let body = String(decoding: try Cassette(contentsOf: small).exchanges[0].body, as: UTF8.self)
    #expect(body.contains("twice") && body.utf8.count < 14, "\(body)")
    #expect(await wiretape("check", small, "--subject", subject).code == .finding)
  }

  @Test(
    "a subject that goes on after the end of every stream is told so before any is checked",
    .enabled(if: hasPython, "python3 is not installed"), arguments: [false, true])
  func alwaysTwice(late: Bool) async throws {
    let folder = try ScratchFolder()
    let script = Self.answersTwice(late: late).replacing(#"b"twice" in body"#, with: "True")
    let subject = "exec python3 " + (try folder.write("subject.py", script.utf8))
    let path = folder.path("a.cassette")
    try writeSession(path, [(["data: a\n\n"], .complete)])
    let run = await wiretape("minimize", path, "-o", folder.path("b.cassette"), "--subject", subject)
    #expect(run.code == .badData)
    #expect(run.diagnostics.contains("the subject fails on an empty stream already"), "\(run.diagnostics)")
    #expect(run.diagnostics.contains("went on after the end of a stream"))
  }

  @Test(
    "a subject that fails once and not again is told as it was seen, and nothing is written",
    .enabled(if: hasPython, "python3 is not installed"))
  func failsOnce() async throws {
    let folder = try ScratchFolder()
    // Its first stream with a body is its last one, whichever process gets it.
    let subject = """
      import os, sys
      read, body = sys.stdin.buffer.read, b""
      while (head := read(4)) and len(head) == 4:
          length = int.from_bytes(head, "big")
          if length:
              body += read(length)
              continue
          if body and not os.path.exists("failed"):
              open("failed", "w").close()
              sys.exit(3)
          for line in body.split(b"\\n"):
              if line: print('{"type": "message", "data": "a", "lastEventId": ""}')
          print('{"end": true}', flush=True)
          body = b""
      """
    let path = try folder.write("subject.py", subject.utf8)
    try writeSession(folder.path("a.cassette"), [(["data: a\n\n"], .complete)])
    let run = await wiretape(
      "minimize", folder.path("a.cassette"), "-o", folder.path("small.cassette"), "--subject",
      "cd '\(folder.path("."))' && exec python3 '\(path)'")
    #expect(run.code == .badData)
    #expect(run.diagnostics.contains("failed at whole, and not again"), "\(run.diagnostics)")
    #expect(run.diagnostics.contains("it exited with 3"), "\(run.diagnostics)")
    #expect(!(try folder.names().contains("small.cassette")))
  }

  @Test(
    "a signal ends the check, and a subject that hangs with it", arguments: ["check", "minimize"],
    ["INT", "TERM"])
  func signal(verb: String, name: String) async throws {
    let folder = try ScratchFolder()
    try writeSession(folder.path("a.cassette"), [(["data: a\n\n"], .complete)])
    // The named pipe is at its end when nobody has it open any more: neither the subject nor what it started.
    let output = verb == "check" ? "" : "-o small.cassette"
    let run = try await EndToEndTests.shell(
      """
      mkfifo alive
      wiretape \(verb) a.cassette \(output) --subject-timeout 600 --subject 'exec 3>alive; echo up >&3; sleep 600 & exec sleep 600' &
      tool=$!
      exec 4<alive
      read line <&4; echo $line
      kill -\(name) $tool
      wait $tool; echo $?
      timeout 60 cat <&4 && echo gone
      """, in: folder)
    #expect(run.output == "up\n130\ngone\n")
    #expect(
      run.diagnostics
        == "wiretape \(verb): interrupted before the subject was checked; nothing was written\n")
    #expect(!(try folder.names().contains("small.cassette")))
  }
}
