// A program run to its end, its output in a file. A pipe would be kept open by whatever the program leaves behind.

import Dispatch
import Foundation

/// A program to be run.
package struct LoggedProcess: Sendable {
  /// The program's path.
  package var program: String
  package var arguments: [String]
  /// Added to our own environment.
  package var environment: [String: String] = [:]
  /// The folder that it works in.
  package var folder: String
  /// The file that gets all it prints; what was there is lost.
  package var log: String
  /// The file that gets its standard error, if that is another; likewise.
  package var errorLog: String?
  /// How it is asked to end.
  package var interruption = Interruption.plain
  /// Seconds after which it is killed, if it isn't expected to end by itself.
  package var limit: Double?

  /// How a program is asked to end.
  package enum Interruption: Sendable {
    /// By SIGINT.
    case plain
    /// By SIGUSR1, at which libFuzzer finishes its input and prints what it counted.
    case graceful
  }

  /// What a killed program is said to have exited with: 128 and the signal's number.
  package static let killed = 128 + SIGKILL

  package init(
    program: String, arguments: [String], environment: [String: String] = [:], folder: String, log: String,
    errorLog: String? = nil, interruption: Interruption = .plain, limit: Double? = nil
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
    self.log = log
    self.errorLog = errorLog
    self.interruption = interruption
    self.limit = limit
  }

  /// Runs it, and returns what it exited with. When the task is cancelled, the program and all that it started are
  /// interrupted, and killed if that does not help within ten seconds.
  ///
  /// - Throws: `ChildProcessError`.
  package func run() async throws(ChildProcessError) -> Int32 {
    guard let input = FileHandle(forReadingAtPath: "/dev/null") else { throw .cannotWriteLog("/dev/null") }
    let output = try Self.emptyFile(log)
    defer { try? output.close() }
    let errors = try errorLog.map(Self.emptyFile) ?? output
    defer { try? errors.close() }
    let process = try SpawnedProcess(
      program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      folder: folder, input: input, output: output, errors: errors)
    if let limit { Self.after(limit) { process.signal(SIGKILL) } }
    let end = await withTaskCancellationHandler {
      await process.whenEnded()
    } onCancel: {
      process.signal(interruption == .graceful ? SIGUSR1 : SIGINT)
      Self.after(10) { process.signal(SIGKILL) }
    }
    return switch end {
    case .exited(let code): code
    case .signalled(let number): 128 + number
    }
  }

  private static func emptyFile(_ path: String) throws(ChildProcessError) -> FileHandle {
    guard FileManager.default.createFile(atPath: path, contents: nil),
      let file = FileHandle(forWritingAtPath: path)
    else { throw .cannotWriteLog(path) }
    return file
  }

  private static func after(_ seconds: Double, _ act: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: act)
  }
}
