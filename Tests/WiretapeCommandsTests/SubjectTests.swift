// Other parsers in other processes, good ones and such as crash, hang and babble.

import EventCassettes
import Foundation
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
    let process = SubjectProcess(command: command)
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
    guard case .at(let cuts) = finding.split else { Issue.record("\(finding.split)"); return }
    #expect(cuts.count == 1)
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

  @Test("a subject that doesn't read while it is fed a lot doesn't block the check")
  func deaf() {
    let process = SubjectProcess(command: "exec sleep 600", patience: 0.2)
    #expect(process.answer(to: [[UInt8](repeating: 7, count: 4 << 20)]) == .hung(seconds: 0.2))
  }
}
