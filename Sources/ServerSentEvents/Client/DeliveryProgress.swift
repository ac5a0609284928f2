// How far a consumer is with what it was handed, seen by the driver without the consumer crossing to it for each event.
//
// UNSAFE, and why: the word is shared by two threads and C's to change atomically (CAtomicWord.h says why), which takes
// its address. It lives as long as this object, and nobody else has it.

import CAtomicWord

/// A count that the consumer moves on and the driver may stop: both at any time, from any thread.
@safe final class DeliveryProgress: Sendable {
  /// The count; negative, as its complement, once it was stopped.
  private nonisolated(unsafe) let word: UnsafeMutablePointer<Int>

  init() {
    unsafe word = .allocate(capacity: 1)
    unsafe word.initialize(to: 0)
  }

  deinit { unsafe word.deallocate() }

  /// How many deliveries the consumer has finished with.
  var finished: Int {
    let count = unsafe catomicword_load(word)
    return count < 0 ? ~count : count
  }

  /// The consumer has finished with one more. False where that counts no more, and nothing may be taken.
  func finishOne() -> Bool { replace { $0 + 1 } }

  /// Stops the count: what isn't finished with now never will be.
  func stop() { _ = replace { ~$0 } }

  /// Replaces the count unless it was stopped; false if it was.
  private func replace(_ change: (Int) -> Int) -> Bool {
    while true {
      let count = unsafe catomicword_load(word)
      if count < 0 { return false }
      if unsafe catomicword_replace(word, count, change(count)) { return true }
    }
  }
}
