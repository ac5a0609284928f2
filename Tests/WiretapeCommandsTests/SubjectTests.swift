// Other parsers in other processes, good ones and such as crash, hang and babble.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

@Suite(.serialized)
struct SubjectTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Subjects").path

  private static func has(_ tool: String) -> Bool {
    ["/usr/bin/", "/usr/local/bin/", "/bin/"].contains {
      FileManager.default.isExecutableFile(atPath: $0 + tool)
    }
      || (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .contains { FileManager.default.isExecutableFile(atPath: $0 + "/" + tool) }
  }

  private func makeReport(_ command: String, _ text: String) -> ChunkingReport {
    let process = SubjectProcess(command: command, patience: 600)
    var options = CheckOptions(plans: [.whole, .bytes(1), .hostile, .each], budget: 64 << 10)
    options.proves = false
    return ParserCheck.check([ExchangeBody(bytes: Array(text.utf8))], options: options) {
      SubjectParser(process)
    }
  }

  private static let stream =
    "id: 1\r\nevent: tick\r\ndata: é 🚚\r\ndata\r\n\r\n: beat\r\n\r\nid\r\ndata: b\r\n\r\ndata: cut"

  @Test(
    "a good parser in JavaScript passes every plan, in one process",
    .enabled(if: has("node"), "node is not installed"))
  func javaScript() {
    let report = makeReport("exec node \(Self.folder)/subject.mjs", Self.stream)
    #expect(report.passed, "\(report.finding.map { "\($0)" } ?? "")")
    #expect(report.runs.count == 4)
  }

  @Test(
    "a naive parser is found out, with the smallest split",
    .enabled(if: has("python3"), "python3 is not installed"))
  func naive() throws {
    let report = makeReport("exec python3 \(Self.folder)/line_by_line_subject.py", "data: a\n\ndata: bc\n\n")
    let finding = try #require(report.finding)
    #expect(finding.split.offsets?.count == 1)
  }

  @Test(
    "a subject that crashes, hangs or babbles is a finding that says so, and is started anew",
    arguments: [
      ("exit 3", "it exited with 3"), ("kill -SEGV $$", "signal 11"),
      ("no-such-command-here", "no such command"),
      ("head -c 8 >/dev/null; echo '{\"type\":1}'; cat >/dev/null", "{\"type\":1}"),
      ("head -c 8 >/dev/null; echo nonsense; cat >/dev/null", "nonsense"),
    ])
  func faulty(command: String, what: String) throws {
    let finding = try #require(makeReport(command, "data: a\n\n").finding)
    #expect(finding.got?.contains(what.replacing("\"", with: "\\\"")) == true, "\(finding.got ?? "")")
  }

  @Test("a subject that doesn't answer is given up after the time it has")
  func hanging() {
    let process = SubjectProcess(command: "exec sleep 600", patience: 0.2)
    #expect(process.answer(to: [[1]]) == .hung(seconds: 0.2))
    #expect(process.answer(to: []) == .hung(seconds: 0.2))
  }

  @Test("one that doesn't answer an empty stream is no subject")
  func deafFromTheStart() {
    let process = SubjectProcess(command: "exec sleep 600", patience: 0.2)
    let error = #expect(throws: CommandError.self) { try SubjectParser.faultOnEmptyStream(of: process) }
    #expect(error?.code == .unavailable)
    #expect(error?.message == "this is no subject: it didn’t answer an empty stream for 0.2 s")
  }

  @Test("a subject that doesn't read while it is fed a lot doesn't block the check")
  func deaf() {
    let process = SubjectProcess(command: "exec sleep 600", patience: 0.2)
    #expect(process.answer(to: [[UInt8](repeating: 7, count: 4 << 20)]) == .hung(seconds: 0.2))
  }

  @Test(
    "a subject that fails on an empty stream is found so at once, and nothing is made small",
    arguments: [
      (#"yes '{"type":"a","data":"b","lastEventId":""}'"#, "the subject printed events without end"),
      (
        #"echo '{"type":"a","data":"b","lastEventId":""}'; echo '{"end":true}'; exec cat >/dev/null"#,
        "the subject printed events for an empty stream"
      ),
    ])
  func brokenFromTheStart(command: String, what: String) async throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.cassette")
    try writeSession(path, [(["data: a\n\n", "data: b\n\n"], .complete)])
    let check = await wiretape("check", path, "--subject", command, "--json")
    #expect(check.code == .finding)
    let object = try #require(try check.objects().first)
    #expect(object["split"] as? String == "whole")
    #expect((object["got"] as? String)?.contains(what) == true, "\(check.output)")
    #expect(object["smallest"] is NSNull && object["plans"] as? [String] == [])

    let small = folder.path("small.cassette")
    let minimize = await wiretape("minimize", path, "-o", small, "--subject", command)
    #expect(minimize.code == .badData && minimize.diagnostics.contains("empty stream"))
    #expect(try folder.names() == ["a.cassette"])
  }

  @Test(
    "what ends on an empty stream or answers it with something else is no subject, and no finding",
    arguments: [
      (
        "echo nonsense; exec cat >/dev/null",
        "this is no subject: it answered an empty stream with “nonsense”"
      ),
      ("yes 5", "answered an empty stream with “5”"), ("cat", "it exited with 0"),
      ("exit 3", "it exited with 3"), ("no-such-command-here", "no such command"),
      ("kill -SEGV $$", "signal 11"),
    ])
  func neverWorks(command: String, what: String) async throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.cassette")
    try writeSession(path, [(["data: a\n\n"], .complete)])
    for verb in [["check", path, path], ["minimize", path, "-o", folder.path("small.cassette")]] {
      let run = await wiretape(verb + ["--subject", command])
      #expect(run.code == .unavailable && run.output == "")
      #expect(run.diagnostics.contains("“wiretape help check” tells what a subject does."))
      #expect(run.diagnostics.contains(what), "\(run.diagnostics)")
    }
    #expect(try folder.names() == ["a.cassette"])
  }

  @Test("a crash that needs a certain stream is a finding without a smaller one")
  func laterCrash() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.cassette")
    try writeSession(path, [(["data: a\n\n"], .complete)])
    let command =
      #"while [ "$(head -c 4 | od -An -tx1 | tr -d ' ')" = 00000000 ]; do echo '{"end":true}'; done; exit 3"#
    let check = await wiretape("check", path, "--subject", command, "--json")
    #expect(check.code == .finding)
    let object = try #require(try check.objects().first)
    #expect((object["got"] as? String)?.contains("the subject crashed") == true, "\(check.output)")
    #expect(object["smallest"] is NSNull)
  }

  @Test("a flood on the subject’s standard error is dropped, and its last lines are kept where it crashed")
  func standardError() {
    let flood = "i=0; while [ $i -lt 20000 ]; do echo noise number $i; i=$((i+1)); done >&2"
    let process = SubjectProcess(command: "\(flood); echo the reason >&2; exit 3", patience: 600)
    #expect(process.answer(to: []) == .crashed("it exited with 3"))
    #expect(process.lastWords.count == 8 && process.lastWords.last == "the reason")
    let quiet = SubjectProcess(
      command: "\(flood); while [ $(head -c 4 | wc -c) = 4 ]; do echo '{\"end\":true}'; done", patience: 600)
    for _ in 0..<3 { #expect(quiet.answer(to: []) == .events([])) }
    #expect(quiet.lastWords.isEmpty && quiet.streams == 3)
  }

  @Test("the last words of a subject that crashes stand in what the tool says")
  func lastWords() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.cassette")
    try writeSession(path, [(["data: a\n\n"], .complete)])
    let never = await wiretape("check", path, "--subject", "echo 'no module named x' >&2; exit 1")
    #expect(never.code == .unavailable)
    #expect(never.diagnostics.contains("Its last words:\n  no module named x\n"), "\(never.diagnostics)")
    let later =
      #"while [ "$(head -c 4 | od -An -tx1 | tr -d ' ')" = 00000000 ]; do echo '{"end":true}'; done; echo 'index out of range' >&2; exit 3"#
    let check = await wiretape("check", path, "--subject", later)
    #expect(check.code == .finding && check.output.contains("the subject crashed"))
    #expect(check.diagnostics == "Its last words:\n  index out of range\n", "\(check.diagnostics)")
  }

  @Test("a line without end is no event, and is not kept")
  func endlessLine() {
    let process = SubjectProcess(command: "exec tr '\\0' a </dev/zero", patience: 600)
    guard case .notAnEvent(let line) = process.answer(to: [[1]]) else {
      Issue.record("it was taken for something else")
      return
    }
    #expect(line == String(repeating: "a", count: 200))
  }

  @Test("a terminal shows how far it is", .enabled(if: has("python3"), "python3 is not installed"))
  func progress() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("a.cassette")
    try writeSession(path, [(["data: a\n\n", "data: bc\n\n"], .complete)])
    let subject = "exec python3 \(Self.folder)/line_by_line_subject.py"
    let run = await wiretape(
      "minimize", path, "-o", folder.path("b.cassette"), "--subject", subject, columns: 80)
    #expect(run.code == .success, "\(run.diagnostics)")
    #expect(run.diagnostics.contains("\r\u{1B}[Kchecking · "), "\(run.diagnostics)")
    #expect(run.diagnostics.contains("\r\u{1B}[Kmaking it small · "))
    #expect(await wiretape("check", path, columns: 80).diagnostics.contains("\r\u{1B}[Kchecking "))
    #expect(await wiretape("check", path).diagnostics == "")
  }

  @Test("an empty command is a usage error", arguments: ["", " "])
  func emptyCommand(command: String) async {
    #expect(await wiretape("check", "a.cassette", "--subject", command).code == .usage)
    #expect(await wiretape("minimize", "a.cassette", "-o", "b", "--subject", command).code == .usage)
  }

  @Test(
    "check and minimize take a subject, and the small cassette fails the same check",
    .enabled(if: has("python3"), "python3 is not installed"))
  func verbs() async throws {
    let folder = try ScratchFolder()
    let body = folder.path("a.sse")
    let text = (1...30).map { "event: tick\ndata: payload \($0)\n\n" }.joined()
    try Data(text.utf8).write(to: URL(fileURLWithPath: body))
    let path = folder.path("a.cassette")
    let small = folder.path("small.cassette")
    #expect(await wiretape("import", body, "-o", path).code == .success)
    let subject = "exec python3 \(Self.folder)/line_by_line_subject.py"

    let check = await wiretape("check", path, "--subject", subject, "--json")
    #expect(check.code == .finding)
    let object = try #require(try check.objects().first)
    #expect(object["ok"] as? Bool == false && (object["split"] as? String)?.hasPrefix("at:") == true)
    #expect((object["smallest"] as? String)?.contains("|") == true)

    let minimize = await wiretape("minimize", path, "-o", small, "--subject", subject)
    #expect(minimize.code == .success, "\(minimize.diagnostics)")
    #expect(minimize.diagnostics.contains("wiretape minimize: ") && minimize.diagnostics.contains(small))
    #expect(minimize.output.contains("|") && minimize.output.contains("func testMinimized"))
    #expect(try Cassette(contentsOf: small).exchanges[0].body.count < 24)
    #expect(await wiretape("check", small, "--subject", subject, "--plans", "recorded").code == .finding)
    #expect(await wiretape("check", small, "--subject", subject, "--plans", "whole").code == .success)

    let good = "exec node \(Self.folder)/subject.mjs"
    if Self.has("node") {
      #expect(await wiretape("check", path, "--subject", good, "--plans", "hostile,bytes:1").code == .success)
      #expect(await wiretape("minimize", path, "-o", small, "--force", "--subject", good).code == .badData)
    }
    #expect(await wiretape("check", path, "--subject", good, "--update").code == .usage)
    #expect(await wiretape("minimize", path, "-o", small).code == .usage)
  }
}
