// The built tool as a process of its own: exit codes, closed pipes, full disks. Few, because each costs a start.

import ChildProcesses
import EventCassetteServer
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

@Suite(.serialized)
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
  static func shell(_ script: String, in folder: ScratchFolder) async throws -> Outcome {
    let place = URL(fileURLWithPath: tool).deletingLastPathComponent().path
    let output = folder.path(".out"), diagnostics = folder.path(".err")
    for path in [output, diagnostics] { try Data().write(to: URL(fileURLWithPath: path)) }
    let process = try SpawnedProcess(
      "/bin/bash", ["-c", script],
      environment: ProcessInfo.processInfo.environment.merging(
        ["PATH": place + ":/usr/bin:/bin:/usr/sbin:/sbin"]) { $1 },
      folder: folder.url.path, input: FileHandle(forReadingFrom: URL(fileURLWithPath: "/dev/null")),
      output: FileHandle(forWritingTo: URL(fileURLWithPath: output)),
      errors: FileHandle(forWritingTo: URL(fileURLWithPath: diagnostics)))
    let status: Int32 =
      switch await process.whenEnded() {
      case .exited(let code): code
      case .signalled(let number): number
      }
    return Outcome(
      code: status, output: try String(contentsOfFile: output, encoding: .utf8),
      diagnostics: try String(contentsOfFile: diagnostics, encoding: .utf8))
  }

  @Test("a closed pipe ends the tool quietly")
  func closedPipe() async throws {
    let run = try await Self.shell(
      "yes 'data: x\n' 2>/dev/null | wiretape parse - | head -1; echo ${PIPESTATUS[1]}", in: ScratchFolder())
    #expect(run.output == "event message · byte 9\n0\n")
    #expect(run.diagnostics.isEmpty)
  }

  @Test("an event is out of the pipe before the next one comes in")
  func lineByLine() async throws {
    let script = """
      mkfifo in; wiretape parse --json - <in >out & exec 3>in
      printf 'data: a\\n\\n' >&3
      while [ ! -s out ]; do :; done
      cat out; exec 3>&-; wait
      """
    let run = try await Self.shell(script, in: ScratchFolder())
    #expect(run.output.hasPrefix(#"{"kind":"event","type":"message","data":"a""#))
  }

  @Test(
    "standard output on a full disk is an I/O error",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func fullDisk() async throws {
    let run = try await Self.shell(
      "printf 'data: a\\n\\n' | wiretape parse - >/dev/full", in: ScratchFolder())
    #expect(run.code == 74)
    #expect(run.diagnostics.contains("standard output: writing failed: No space left on device"))
  }

  @Test("usage errors exit 64")
  func usage() async throws {
    let folder = try ScratchFolder()
    #expect(try await Self.shell("wiretape", in: folder).code == 64)
    #expect(try await Self.shell("wiretape parse", in: folder).code == 64)
    #expect(try await Self.shell("wiretape --version", in: folder).code == 0)
  }

  @Test("a file-size limit is an I/O error, and what was recorded before it stays readable")
  func fileSizeLimit() async throws {
    let folder = try ScratchFolder()
    let script = """
      ulimit -f 256
      head -c 3000000 /dev/urandom | base64 -w 60 | sed 's/^/data: /; s/$/\\n/' | wiretape record - -o x.cassette
      """
    let run = try await Self.shell(script, in: folder)
    #expect(run.code == 74, "\(run.diagnostics)")
    #expect(run.diagnostics.contains("no room to write"))
    let inspected = try await Self.shell("wiretape inspect --json x.cassette", in: folder)
    #expect(inspected.code == 0)
    #expect(inspected.output.contains(#""finished":false"#))
    #expect(!inspected.output.contains(#""bytes":0,"#))
  }

  @Test("a disk that is full from the start leaves no file in the way of the next try")
  func nothingWritten() async throws {
    let folder = try ScratchFolder()
    // The limit is for all files, so what is said goes into a pipe.
    let script = """
      printf 'data: a\\n\\n' | (ulimit -f 0; exec wiretape record - -o x.cassette 2>&1) | cat
      echo "${PIPESTATUS[1]}"
      """
    let run = try await Self.shell(script, in: folder)
    #expect(run.output.hasSuffix("\n74\n"))
    #expect(run.output.contains("no room to write") && !run.output.contains("is kept"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.cassette")))
  }

  @Test(
    "a standard input that can't be read is none, and leaves no file",
    arguments: [("<&-", "standard input: it is closed"), ("</", "standard input: this is a folder")])
  func noInput(redirection: String, message: String) async throws {
    let folder = try ScratchFolder()
    for words in [
      "record - -o x.cassette", "parse -", "inspect -", "import - --from sse -o x.cassette",
      "cat - -o x.cassette",
    ] {
      let run = try await Self.shell("wiretape \(words) \(redirection)", in: folder)
      #expect(run.code == 66, "\(words)")
      #expect(run.diagnostics.contains(message), "\(run.diagnostics)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("x.cassette")))
  }

  @Test("results that can't be delivered are an error; a closed standard error is none")
  func noOutput() async throws {
    let folder = try ScratchFolder()
    try writeSession(folder.path("a.cassette"), [(["data: a\n\n"], .complete)])
    let run = try await Self.shell("wiretape inspect a.cassette >&-", in: folder)
    #expect(run.code == 74)
    #expect(run.diagnostics.contains("standard output: it is closed"), "\(run.diagnostics)")
    #expect(try await Self.shell("wiretape inspect a.cassette 2>&-", in: folder).code == 0)
  }

  @Test("SIGINT, SIGTERM and SIGQUIT finish a recording", arguments: ["INT", "TERM", "QUIT"])
  func signals(name: String) async throws {
    let script = """
      mkfifo in; wiretape record - -o x.cassette <in & pid=$!; exec 3>in
      printf 'data: a\\n\\n' >&3
      until wiretape inspect x.cassette --chunks 2>/dev/null | grep -q data; do :; done
      kill -\(name) $pid; wait $pid; echo $?
      """
    let folder = try ScratchFolder()
    let run = try await Self.shell(script, in: folder)
    #expect(run.output == "0\n", "\(run.diagnostics)")
    #expect(
      try await Self.shell("wiretape inspect --json x.cassette", in: folder).output.contains(
        #""finished":true"#))
  }

  @Test(
    "a pattern that never comes to an end holds up neither a recording nor its end, and lets nothing through")
  func endlessPattern() async throws {
    let script = """
      mkfifo in; wiretape record - -o x.cassette --redact-regex '(a+)+$' <in & pid=$!; exec 3>in
      printf 'data: first\\n\\n' >&3
      until wiretape inspect x.cassette --chunks 2>/dev/null | grep -q first; do :; done
      printf 'data: %s\\n\\n' aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab >&3
      until wiretape inspect x.cassette --chunks 2>/dev/null | grep -q '[*][*][*][*]'; do :; done
      kill -TERM $pid; wait $pid; echo $?; grep -ac aaaa x.cassette
      wiretape export x.cassette --to sse | grep -c aaaa
      """
    let run = try await Self.shell(script, in: ScratchFolder())
    #expect(run.output == "0\n0\n0\n", "\(run.diagnostics)")
    #expect(run.diagnostics.contains("so data is masked whole in 1 place"), "\(run.diagnostics)")
  }

  @Test("the proxy says at its end that a pattern never came to one")
  func endlessPatternOfProxy() async throws {
    let text = String(repeating: "a", count: 28) + "b"
    let server = try LoopbackServer(responses: [.eventStream("data: \(text)\n\n", framing: .chunked)])
    let script = """
      wiretape proxy \(server.url) -o recorded --redact-regex '(a+)+$' >out & pid=$!
      until [ "$(wc -l <out)" -ge 1 ]; do :; done
      wiretape listen --json --max-events 1 "$(head -n 1 out)/events"
      kill -TERM $pid; wait $pid; echo $?; grep -ac aaaa recorded/*.cassette
      """
    let run = try await Self.shell(script, in: ScratchFolder())
    #expect(run.output.contains(text))
    #expect(run.output.hasSuffix("\n0\n0\n"), "\(run.output)")
    #expect(
      run.diagnostics.contains(
        "wiretape proxy: warning: --redact-regex took too long, so data is masked whole in 1 place"),
      "\(run.diagnostics)")
  }

  @Test(
    "limits that no program of ours can live in are an error",
    arguments: ["ulimit -n 8", "ulimit -v 100000"])
  func tightLimits(limit: String) async throws {
    for verb in ["check x.cassette", "serve x.cassette", "record - -o y.cassette"] {
      let run = try await Self.shell("\(limit); wiretape \(verb)", in: ScratchFolder())
      #expect(run.code == 74)
      #expect(run.diagnostics.contains("ulimit -"), "\(run.diagnostics)")
    }
  }
}
