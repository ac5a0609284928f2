// A program run to its end: in a process group of its own, its output in a file. A pipe would be kept open by whatever
// the program leaves behind, and a terminal's Ctrl-C would reach it before we could end things in order.
// Foundation is imported for Process.
//
// UNSAFE, and why: a signal mask is handed to the C library by pointer, which does not outlive the call.

import Dispatch
import Foundation

/// A program to be run.
struct ChildProcess: Sendable {
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
      let output = FileHandle(forWritingAtPath: log)
    else {
      throw CommandError(
        .cannotCreate, "\(log): the log can’t be written", next: "Check the folder and the disk.")
    }
    defer { try? output.close() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    let group = ProcessGroup(interruption == .graceful ? SIGUSR1 : SIGINT)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        process.terminationHandler = { process in
          group.ended()
          let isSignal = process.terminationReason == .uncaughtSignal
          continuation.resume(returning: process.terminationStatus + (isSignal ? 128 : 0))
        }
        do {
          try withAllSignals { try process.run() }
          group.started(process.processIdentifier, limit: limit)
        } catch {
          continuation.resume(
            throwing: CommandError(
              .unavailable, "\(program): it can’t be run: \(error.localizedDescription)", next: ""))
        }
      }
    } onCancel: {
      group.interrupt()
    }
  }
}

/// Does something with no signal blocked. Threads that tasks run on have most of them blocked, and a program inherits
/// that: libFuzzer would get neither its alarm for inputs that hang, nor our word to end.
private func withAllSignals(_ body: () throws -> Void) rethrows {
  var (none, before) = (sigset_t(), sigset_t())
  _ = unsafe sigemptyset(&none)
  _ = unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
  defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
  try body()
}

/// The processes that one program consists of. `@unchecked`: every access holds the lock.
private final class ProcessGroup: @unchecked Sendable {
  private let lock = NSLock()
  private var leader: pid_t?
  private var hasEnded = false
  private var isInterrupted = false
  private let interruption: Int32

  init(_ interruption: Int32) { self.interruption = interruption }

  func started(_ id: pid_t, limit: Double?) {
    let isLate = lock.withLock {
      leader = id
      return isInterrupted
    }
    if isLate { interrupt() }
    if let limit { DispatchQueue.global().asyncAfter(deadline: .now() + limit) { self.signal(SIGKILL) } }
  }

  /// Asks once, then insists.
  func interrupt() {
    lock.withLock { isInterrupted = true }
    signal(interruption)
    DispatchQueue.global().asyncAfter(deadline: .now() + 10) { self.signal(SIGKILL) }
  }

  /// What the program left running ends with it.
  func ended() {
    signal(SIGKILL)
    lock.withLock { hasEnded = true }
  }

  private func signal(_ number: Int32) {
    lock.withLock {
      guard let leader, !hasEnded else { return }
      // Foundation makes it the leader of a group where the system lets it.
      if kill(-leader, number) != 0 { kill(leader, number) }
    }
  }
}
