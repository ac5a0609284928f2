// The standard input of a subject's process. A subject that prints before it has read everything must not block both
// sides, so it is written by a thread of its own, and by no other: frames come in order however late that thread runs, and
// a descriptor that is closed under a write would be the next process's by then, which would get the rest of the stream.
// Foundation is imported for pipes.

import Foundation

/// What a process is given to read.
///
/// `@unchecked`: what its thread and its owner share is used under `condition`; the handle is its thread's.
final class SubjectInput: @unchecked Sendable {
  private let handle: FileHandle
  private let condition = NSCondition()
  private var unwritten: [UInt8] = []
  /// Whether it is to be closed when nothing is left to write.
  private var endsThen = false
  private var isClosed = false

  /// Begins to write what is given from now on.
  init(_ handle: FileHandle) {
    self.handle = handle
    _ = signal(SIGPIPE, SIG_IGN)  // writing to a subject that died must be an error, not our end
    Thread.detachNewThread { self.run() }
  }

  /// Writes bytes, after all that were given before, and returns at once.
  func write(_ bytes: [UInt8]) {
    condition.withLock {
      unwritten += bytes
      condition.broadcast()
    }
  }

  /// Closes it once all is written. Nothing may be written from now on.
  func end() {
    condition.withLock {
      endsThen = true
      condition.broadcast()
    }
  }

  /// Closes it; what was not written yet is dropped. A write that goes on comes to its end with the process that it is for.
  func giveUp() {
    condition.withLock {
      unwritten = []
      endsThen = true
      condition.broadcast()
    }
  }

  /// Waits until it was closed: whether that was so before a moment.
  func isClosed(before deadline: Date) -> Bool {
    condition.withLock {
      while !isClosed, condition.wait(until: deadline) {}
      return isClosed
    }
  }

  private func run() {
    while let bytes = next() {
      // Who has closed its input needs no more of it; whether that is a fault shows in what it prints.
      try? handle.write(contentsOf: Data(bytes))
    }
    try? handle.close()
    condition.withLock {
      isClosed = true
      condition.broadcast()
    }
  }

  /// What is to be written next; `nil` where nothing is left.
  private func next() -> [UInt8]? {
    condition.withLock {
      while unwritten.isEmpty {
        if endsThen { return nil }
        condition.wait()
      }
      defer { unwritten = [] }
      return unwritten
    }
  }
}
