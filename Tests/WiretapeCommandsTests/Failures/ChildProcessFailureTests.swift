// What the tool makes of a program that isn't run, and what it shows of a log.

import ChildProcesses
import ScratchFolders
import Testing

@testable import WiretapeCommands

@Suite("Programs that the tool runs")
struct ChildProcessFailureTests {
  @Test("what can't be run, and a log that can't be written, are errors that name it")
  func explained() {
    let missing = CommandError(
      explaining: ChildProcessError.cannotStart(program: "/nowhere/program", reason: "No such file"))
    #expect(missing.code == .unavailable)
    #expect(missing.message == "/nowhere/program: it can’t be run: No such file")
    let noLog = CommandError(explaining: ChildProcessError.cannotWriteLog("/nowhere/log"))
    #expect(noLog.code == .cannotCreate)
    #expect(noLog.message == "/nowhere/log: the log can’t be written")
    #expect(!missing.next.isEmpty && !noLog.next.isEmpty)
  }

  @Test("the last lines of a log come without its last line end, and none of one that isn't there")
  func lastLines() throws {
    let folder = try ScratchFolder()
    let log = try folder.write("log", "w\nmiddle\nlast\n".utf8)
    #expect(tail(of: log, lines: 1) == "last")
    #expect(tail(of: log, lines: 2) == "middle\nlast")
    #expect(tail(of: folder.path("none"), lines: 1).isEmpty)
  }
}
