// What one process of a subject prints, taken line by line, and the end of what it writes to its standard error. Each
// process has one of its own, so that what an earlier one prints late goes nowhere. Foundation is imported for pipes.

import Foundation

/// The output of a process that was started.
///
/// `@unchecked`: what its reading threads and its reader share is used under `condition`.
final class SubjectOutput: @unchecked Sendable {
  /// What comes next.
  enum Line {
    case line([UInt8])
    /// The beginning of a line that is longer than was allowed.
    case tooLong([UInt8])
    case end
    case late
  }

  private static let keptErrors = 4096

  private let condition = NSCondition()
  private var received: [UInt8] = []
  /// Up to where lines were taken from `received`.
  private var taken = 0
  private var searched = 0
  private var isAtEnd = false
  private var longestLine = 0
  private var errors: [UInt8] = []
  private var hasClosedErrors = false
  private var isGivenUp = false

  /// Begins to read.
  init(_ output: FileHandle, errors: FileHandle) {
    Self.read(output) { [weak self] in self?.receive($0) }
    Self.read(errors) { [weak self] in self?.receiveErrors($0) }
  }

  /// Says how long a line may be from now on.
  func allowLines(of bytes: Int) { condition.withLock { longestLine = bytes } }

  /// Waits for a line.
  func next(before deadline: Date) -> Line {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let end = received[searched...].firstIndex(of: 0x0A) {
        let line = Array(received[taken..<end])
        taken = end + 1
        searched = taken
        // Now and then, for moving what is left at each line would cost the square of it.
        if taken == received.count || taken > max(1 << 20, received.count / 2) {
          received.removeSubrange(..<taken)
          taken = 0
          searched = 0
          condition.broadcast()
        }
        return .line(line)
      }
      searched = received.count
      if isAtEnd || isGivenUp { return .end }
      if received.count - taken > longestLine { return .tooLong(Array(received[taken...].prefix(400))) }
      if !condition.wait(until: deadline) { return .late }
    }
  }

  /// What is there behind the lines that were taken, up to a line's end.
  var leftover: [UInt8]? {
    condition.withLock {
      received.count > taken ? Array(received[taken...].prefix { $0 != 0x0A }) : nil
    }
  }

  /// The last lines of what it wrote to its standard error; of a process that has ended, all that it wrote, where that
  /// comes to its end before `latest`.
  func lastErrorLines(before latest: Date) -> (lines: [String], isOpen: Bool) {
    condition.lock()
    defer { condition.unlock() }
    while isAtEnd, !hasClosedErrors, !isGivenUp,
      condition.wait(until: min(latest, Date(timeIntervalSinceNow: 10)))
    {}
    let text = String(decoding: errors.suffix(Self.keptErrors), as: UTF8.self)
    return (text.split(whereSeparator: \.isNewline).suffix(8).map(String.init), isAtEnd && !hasClosedErrors)
  }

  /// Waits for nothing any more; what comes yet is dropped.
  func giveUp() {
    condition.withLock {
      isGivenUp = true
      condition.broadcast()
    }
  }

  /// Hands on what comes, on a thread of its own, the end as no bytes. (A readability handler sometimes never hears of an end
  /// that comes together with the last bytes, and all of them wait while the pool is busy.)
  private static func read(_ handle: FileHandle, _ take: @escaping @Sendable (Data) -> Void) {
    Thread.detachNewThread {
      while true {
        let bytes = handle.availableData
        take(bytes)
        if bytes.isEmpty { return }
      }
    }
  }

  private func receive(_ bytes: Data) {
    condition.lock()
    defer { condition.unlock() }
    // Who prints faster than is read must wait: its output is not ours to keep.
    while !isGivenUp, received.count - taken > longestLine { condition.wait() }
    guard !isGivenUp else { return }
    if bytes.isEmpty { isAtEnd = true } else { received += bytes }
    condition.broadcast()
  }

  private func receiveErrors(_ bytes: Data) {
    condition.lock()
    defer { condition.unlock() }
    guard !isGivenUp else { return }
    if bytes.isEmpty { hasClosedErrors = true } else { errors += bytes.suffix(Self.keptErrors) }
    if errors.count > 2 * Self.keptErrors { errors.removeFirst(errors.count - Self.keptErrors) }
    condition.broadcast()
  }
}
