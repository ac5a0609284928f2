// A child process, started by `posix_spawn` and waited for by a thread of its own. Foundation's Process takes a program to
// run as long as anybody holds the socket that it is given, and a program that another thread starts at the same moment
// may inherit that: a worker's end was then only heard of when its neighbour ended. On Linux it also reads past the end of
// its list of open descriptors where there are more than 1360. Here nobody inherits anything but descriptors 0 to 2, and
// what tells of the end is the system.
//
// UNSAFE, and why: the C library takes words and descriptors by pointer; all of them outlive the call.

import CSpawn
package import Foundation

/// A program that was started, the leader of a process group of its own: a terminal's Ctrl-C does not reach it before we
/// can end things in order, and what it leaves behind ends with it.
///
/// `@unchecked`: what changes is used under `condition`.
package final class SpawnedProcess: @unchecked Sendable {
  /// How a program ended.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
  }

  private let id: pid_t
  private let condition = NSCondition()
  private var storedEnd: End?
  private var waiting: CheckedContinuation<End, Never>?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: its path.
  ///   - environment: all that it gets.
  ///   - folder: where it works; ours if there is none.
  ///   - input: what it gets as standard input; `output` and `errors` likewise.
  /// - Throws: `ChildProcessError.cannotStart`.
  package init(
    _ program: String, _ arguments: [String], environment: [String: String], folder: String?,
    input: FileHandle, output: FileHandle, errors: FileHandle
  ) throws(ChildProcessError) {
    var id: pid_t = 0
    let code = unsafe withCStrings([program] + arguments) { words in
      unsafe withCStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
        unsafe cspawn_start(
          &id, URL(fileURLWithPath: program).path, words, variables, folder,
          [input.fileDescriptor, output.fileDescriptor, errors.fileDescriptor])
      }
    }
    guard code == 0 else {
      let reason = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      throw .cannotStart(program: program, reason: reason)
    }
    self.id = id
    Thread.detachNewThread { self.waitForSystem() }
  }

  /// How it ended, once it did.
  package var end: End? { condition.withLock { storedEnd } }

  /// Waits for its end, also in a task that is cancelled. To be called once.
  package func whenEnded() async -> End {
    await withCheckedContinuation { continuation in
      let end = condition.withLock {
        if storedEnd == nil { waiting = continuation }
        return storedEnd
      }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// How it ended, if it did before a moment.
  package func end(before deadline: Date) -> End? {
    condition.withLock {
      while storedEnd == nil, condition.wait(until: deadline) {}
      return storedEnd
    }
  }

  /// Sends a signal to it and to all that it started.
  package func signal(_ number: Int32) {
    condition.withLock {
      guard storedEnd == nil else { return }  // its number may be another's by now
      kill(-id, number)
    }
  }

  private func waitForSystem() {
    // As long as it isn't taken away, nobody else gets its number.
    var info = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    let (end, waiting) = condition.withLock {
      kill(-id, SIGKILL)
      var status: Int32 = 0
      while unsafe waitpid(id, &status, 0) < 0, errno == EINTR {}
      let number = status & 0x7F
      let end = number == 0 ? End.exited(status >> 8 & 0xFF) : .signalled(number)
      storedEnd = end
      condition.broadcast()
      return (end, self.waiting)
    }
    waiting?.resume(returning: end)
  }
}

/// Strings as C takes a list of them: each with a zero at its end, and none after the last.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
  return unsafe pointers.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
}
