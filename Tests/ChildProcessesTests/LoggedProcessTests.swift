// Programs that are run: their output, their exit code, and that nothing of them stays.

import ChildProcesses
import Foundation
import ScratchFolders
import Testing

struct LoggedProcessTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func shell(_ script: String, limit: Double? = nil) -> LoggedProcess {
    LoggedProcess(
      program: "/bin/bash", arguments: ["-c", script], environment: ["WORD": "w"], folder: folder.url.path,
      log: folder.path("log"), limit: limit)
  }

  private var log: String { get throws { try String(contentsOfFile: folder.path("log"), encoding: .utf8) } }

  @Test("output of both kinds goes to the log, and the exit code comes back")
  func output() async throws {
    #expect(try await shell("echo $WORD; pwd >&2; exit 7").run() == 7)
    #expect(try log.hasPrefix("w\n"))
    #expect(try log.split(separator: "\n").count == 2)
  }

  @Test("errors go to a file of their own where one is asked for")
  func errors() async throws {
    var child = shell("echo out; echo err >&2")
    child.errorLog = folder.path("errors")
    #expect(try await child.run() == 0)
    #expect(try log == "out\n")
    #expect(try String(contentsOfFile: folder.path("errors"), encoding: .utf8) == "err\n")
  }

  @Test("a cancelled program is asked to end")
  func cancelled() async throws {
    let child = LoggedProcess(
      program: "/bin/bash",
      arguments: ["-c", "trap 'echo asked; exit 3' USR1; echo up; while :; do sleep 0.02; done"],
      folder: folder.url.path, log: folder.path("log"), interruption: .graceful)
    let running = Task { try await child.run() }
    while !((try? log.contains("up")) ?? false) { await Task.yield() }
    running.cancel()
    #expect(try await running.value == 3)
    #expect(try log.contains("asked"))
  }

  @Test("a program that doesn't end is killed, with what it started")
  func killed() async throws {
    // It would not be over as long as what it started is there.
    #expect(try await shell("sleep 3000 & wait", limit: 0.1).run() != 0)
  }

  @Test("what can't be run is an error that names it")
  func missing() async throws {
    let child = LoggedProcess(
      program: "/nowhere/program", arguments: [], folder: "/", log: folder.path("log"))
    await #expect(
      throws: ChildProcessError.cannotStart(program: "/nowhere/program", reason: "No such file or directory")
    ) { try await child.run() }
  }

  @Test("a log that can't be written is an error that names it")
  func noLog() async throws {
    var child = shell("exit 0")
    child.log = "/nowhere/log"
    await #expect(throws: ChildProcessError.cannotWriteLog("/nowhere/log")) { try await child.run() }
  }
}
