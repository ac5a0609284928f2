// One value to many observers, none of whom can slow down the sender: each has a small buffer of its own that
// forgets the oldest.

/// The observers of one kind of value. Lives inside an actor, which keeps its calls in order.
struct EventSourceBroadcast<Value: Sendable>: Sendable {
  /// Enough for a burst; an observer that is further behind wants the newest anyway.
  static var depth: Int { 256 }

  private var observers: [Int: AsyncStream<Value>.Continuation] = [:]
  private var newest = 0

  var isEmpty: Bool { observers.isEmpty }

  mutating func add(_ continuation: AsyncStream<Value>.Continuation) -> Int {
    newest += 1
    observers[newest] = continuation
    return newest
  }

  mutating func remove(_ observer: Int) {
    observers[observer] = nil
  }

  func send(_ value: Value) {
    for continuation in observers.values { continuation.yield(value) }
  }

  func finish() {
    for continuation in observers.values { continuation.finish() }
  }
}
