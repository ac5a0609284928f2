// First in, first out: what waits for a consumer, in the driver as events and in the state machine as sizes.

/// A queue in arrays of bounded size: however much waits, nothing is copied to grow, and what was taken is let go with its
/// neighbours.
struct ArrayQueue<Element: Sendable>: Sendable {
  /// Enough that an array costs little beside its elements.
  private static var blockSize: Int { 128 }

  /// What is taken from, in reverse, so that taking leaves no hole; what is full and waits, from `fullHead` on; and what
  /// is appended to.
  private var front: [Element] = []
  private var full: [[Element]] = []
  private var fullHead = 0
  private var back: [Element] = []

  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: consuming Element) {
    if back.count == Self.blockSize {
      full.append(back)
      back = []
      back.reserveCapacity(Self.blockSize)
    }
    back.append(element)
    count += 1
  }

  mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    if front.isEmpty { refill() }
    count -= 1
    return front.removeLast()
  }

  private mutating func refill() {
    var block: [Element] = []
    if full.isEmpty {
      swap(&block, &back)
    } else {
      swap(&block, &full[fullHead])
      fullHead += 1
      if fullHead * 2 >= full.count {  // cleared away when they are the larger half: constant time on average
        full.removeFirst(fullHead)
        fullHead = 0
      }
    }
    while let element = block.popLast() { front.append(element) }  // moves, where `reverse()` copies
    if back.isEmpty { swap(&block, &back) }  // its storage is used again
  }
}

extension ArrayQueue: Equatable where Element: Equatable {
  // How the elements lie in the arrays is history, not state.
  static func == (a: ArrayQueue, b: ArrayQueue) -> Bool {
    a.count == b.count && a.waiting.elementsEqual(b.waiting)
  }

  private var waiting: FlattenSequence<[[Element]]> {
    ([front.reversed()] + full[fullHead...] + [back]).joined()
  }
}
