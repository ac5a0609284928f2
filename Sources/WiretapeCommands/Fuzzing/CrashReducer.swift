// Makes an input that fails small, as long as it fails in the same way. The search is the library's, which knows blocks
// and lines; here each candidate is one start of the fuzz target.

import Dispatch
import EventCassettes
import Foundation
import ServerSentEvents

/// A search for a small input that fails like a large one.
struct CrashReducer: Sendable {
  let target: FuzzTarget
  /// What must stay.
  let failure: FuzzFailure
  let clock: any EventStreamClock
  /// How long it may take.
  let time: Duration

  /// Whether it is worth it: a timeout costs its whole time at each try.
  var isPossible: Bool { [.finding, .crash, .leak].contains(failure.kind) }

  /// The smallest input found.
  func reduced(_ input: [UInt8]) async throws -> [UInt8] {
    guard isPossible else { return input }
    let deadline = clock.now + time
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "wiretape-\(UUID().uuidString)")
    try makeFolder(folder.path)
    defer { try? FileManager.default.removeItem(at: folder) }
    let stopped = Locked(false)
    let bytes = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        // The search waits for each program: a thread of its own, not one of those that tasks share.
        DispatchQueue.global().async {
          var minimizer = StreamMinimizer<String>(tries: 100_000) { candidate in
            guard !stopped.withLock({ $0 }), clock.now < deadline else { return nil }
            return signature(of: candidate.bytes, in: folder.path)
          }
          let start = StreamMinimizer<String>.Candidate(bytes: input)
          continuation.resume(returning: minimizer.minimized(start)?.bytes ?? input)
        }
      }
    } onCancel: {
      stopped.withLock { $0 = true }
    }
    try Task.checkCancellation()
    return bytes
  }

  /// How the target fails on bytes, `nil` if it doesn't. Blocks.
  private func signature(of bytes: [UInt8], in folder: String) -> String? {
    let (input, log) = (folder + "/input", folder + "/log")
    guard FileManager.default.createFile(atPath: input, contents: Data(bytes)) else { return nil }
    // What an oracle says stands in the log before any report; without that, which asks for the names of functions,
    // a try takes a fraction of the time.
    let isSilent = failure.kind == .finding
    let words =
      ["-timeout=5", "-rss_limit_mb=2048", "-artifact_prefix=\(folder)/"]
      + (isSilent ? ["-handle_ill=0"] : [])
    let result = Outcome()
    let done = DispatchSemaphore(value: 0)
    Task {
      defer { done.signal() }
      result.signature = try? await target.run(
        words + [input], isThorough: true,
        environment: isSilent ? ["ASAN_OPTIONS": "handle_sigill=0:detect_leaks=0:symbolize=0"] : [:],
        log: log,
        limit: 30
      ).failure?.signature
    }
    done.wait()
    return result.signature
  }
}

/// What a try came to. `@unchecked`: written before the semaphore is signalled, read after.
private final class Outcome: @unchecked Sendable { var signature: String? }
