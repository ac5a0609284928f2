// A program run to its end, its output in a file. A pipe would be kept open by whatever the program leaves behind.

import Dispatch
import Foundation

/// A program to be run.
struct LoggedProcess: Sendable {
  /// The program's path.
  var program: String
  var arguments: [String]
  /// Added to our own environment.
  var environment: [String: String] = [:]
  /// The folder that it works in.
  var folder: String
  /// The file that gets all it prints; what was there is lost.
  var log: String
  /// How it is asked to end.
  var interruption = Interruption.plain
  /// Seconds after which it is killed, if it isn't expected to end by itself.
  var limit: Double?

  /// How a program is asked to end.
  enum Interruption: Sendable {
    /// By SIGINT.
    case plain
    /// By SIGUSR1, at which libFuzzer finishes its input and prints what it counted.
    case graceful
  }

  /// What a killed program is said to have exited with: 128 and the signal's number.
  static let killed = 128 + SIGKILL

  /// Runs it, and returns what it exited with. When the task is cancelled, the program and all that it started are
  /// interrupted, and killed if that does not help within ten seconds.
  func run() async throws -> Int32 {
    guard FileManager.default.createFile(atPath: log, contents: nil),
      let output = FileHandle(forWritingAtPath: log), let input = FileHandle(forReadingAtPath: "/dev/null")
    else {
      throw CommandError(
        .cannotCreate, "\(log): the log can’t be written", next: "Check the folder and the disk.")
    }
    defer { try? output.close() }
    let process = try SpawnedProcess(
      program, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 },
      folder: folder, input: input, output: output, errors: output)
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

  private static func after(_ seconds: Double, _ act: @escaping @Sendable () -> Void) {
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds, execute: act)
  }
}
