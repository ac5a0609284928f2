// The built tool as a process of its own: exit codes, closed pipes, full disks. Few, because each costs a start.

import Foundation
import Testing

struct EndToEndTests {
  /// The tool beside the test bundle.
  static let tool: String = {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<6 {
      let candidate = folder.appendingPathComponent("wiretape")
      let facts = try? FileManager.default.attributesOfItem(atPath: candidate.path)
      if facts?[.type] as? FileAttributeType == .typeRegular { return candidate.path }
      folder.deleteLastPathComponent()
    }
    return packageRoot.appendingPathComponent(".build/debug/wiretape").path
  }()

  struct Outcome {
    var code: Int32
    var output: String
    var diagnostics: String
  }

  /// Runs a shell command in which `wiretape` is the built tool.
  static func shell(_ script: String, in folder: ScratchFolder) throws -> Outcome {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script]
    process.currentDirectoryURL = folder.url
    let place = URL(fileURLWithPath: tool).deletingLastPathComponent().path
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["PATH": place + ":/usr/bin:/bin:/usr/sbin:/sbin"]) { $1 }
    let output = folder.path(".out"), diagnostics = folder.path(".err")
    for path in [output, diagnostics] { try Data().write(to: URL(fileURLWithPath: path)) }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: diagnostics))
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return Outcome(
      code: process.terminationStatus, output: try String(contentsOfFile: output, encoding: .utf8),
      diagnostics: try String(contentsOfFile: diagnostics, encoding: .utf8))
  }

  @Test("a closed pipe ends the tool quietly")
  func closedPipe() throws {
    let run = try Self.shell(
      "yes 'data: x\n' | wiretape parse - | head -1; echo ${PIPESTATUS[1]}", in: ScratchFolder())
    #expect(run.output == "event message · byte 9\n0\n")
    #expect(run.diagnostics.isEmpty)
  }

  @Test("an event is out of the pipe before the next one comes in")
  func lineByLine() throws {
    let script = """
      mkfifo in; wiretape parse --json - <in >out & exec 3>in
      printf 'data: a\\n\\n' >&3
      while [ ! -s out ]; do :; done
      cat out; exec 3>&-; wait
      """
    let run = try Self.shell(script, in: ScratchFolder())
    #expect(run.output.hasPrefix(#"{"kind":"event","type":"message","data":"a""#))
  }

  @Test(
    "standard output on a full disk is an I/O error",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDisk() throws {
    let run = try Self.shell("printf 'data: a\\n\\n' | wiretape parse - >/dev/full", in: ScratchFolder())
    #expect(run.code == 74)
    #expect(run.diagnostics.contains("standard output: writing failed: No space left on device"))
  }

  @Test("usage errors exit 64")
  func usage() throws {
    let folder = try ScratchFolder()
    #expect(try Self.shell("wiretape", in: folder).code == 64)
    #expect(try Self.shell("wiretape parse", in: folder).code == 64)
    #expect(try Self.shell("wiretape --version", in: folder).code == 0)
  }
}
