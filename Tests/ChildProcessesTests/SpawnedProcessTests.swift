// Child processes: what they inherit, and that the end of each is heard of whatever the others do.

import ChildProcesses
import Foundation
import Testing

struct SpawnedProcessTests {
  private static let null = FileHandle(forUpdatingAtPath: "/dev/null")!

  private static func shell(_ script: String) throws -> SpawnedProcess {
    try SpawnedProcess(
      "/bin/sh", ["-c", script], environment: ["WORD": "w"], folder: "/", input: null, output: null,
      errors: null)
  }

  @Test("an exit code and a signal are told apart")
  func ends() async throws {
    #expect(try await Self.shell("exit 7").whenEnded() == .exited(7))
    #expect(try await Self.shell("kill -TERM $$").whenEnded() == .signalled(SIGTERM))
    #expect(try await Self.shell(#"[ "$WORD,$(pwd)" = w,/ ]"#).whenEnded() == .exited(0))
  }

  @Test("a program ends although its neighbours, started at the same moment, go on")
  func neighbours() async throws {
    try await withThrowingTaskGroup(of: (SpawnedProcess, ends: Bool).self) { group in
      for number in 0..<16 {
        group.addTask {
          let ends = number.isMultiple(of: 2)
          return (try Self.shell(ends ? "exit 0" : "sleep 3000"), ends)
        }
      }
      var endless: [SpawnedProcess] = []
      for try await (process, ends) in group {
        if ends { #expect(await process.whenEnded() == .exited(0)) } else { endless.append(process) }
      }
      for process in endless { #expect(process.end == nil) }
      for process in endless { process.signal(SIGKILL) }
      for process in endless { #expect(await process.whenEnded() == .signalled(SIGKILL)) }
    }
  }

  @Test("a program has no descriptor but the three that it is given")
  func descriptors() async throws {
    let pipe = Pipe()
    let number = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD, 20)  // without close-on-exec
    defer { close(number) }
    #expect(try await Self.shell("[ -e /dev/fd/0 ] && [ ! -e /dev/fd/\(number) ]").whenEnded() == .exited(0))
  }

  @Test("what a program left running ends with it")
  func leftovers() async throws {
    let pipe = Pipe()
    let process = try SpawnedProcess(
      "/bin/sh", ["-c", "sleep 3000 & exit 3"], environment: [:], folder: nil, input: Self.null,
      output: pipe.fileHandleForWriting, errors: Self.null)
    try pipe.fileHandleForWriting.close()
    #expect(await process.whenEnded() == .exited(3))
    // Comes only when nobody holds the other end; read elsewhere, for a browser of a neighbour's may hold it a while.
    let rest = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: pipe.fileHandleForReading.readDataToEndOfFile())
      }
    }
    #expect(rest.isEmpty)
  }
}
