// First in, first out: what waits for a consumer, in the driver as events and in the state machine as sizes.

/// A queue in arrays of bounded size: however much waits, nothing is copied or moved once it is in, and what was taken is
/// let go with its neighbours.
struct ArrayQueue<Element: Sendable>: Sendable {
  /// Enough that an array costs little beside its elements.
  private static var blockSize: Int { 128 }

  /// What is taken from, `nil` before `head`; what is full and waits, from `fullHead` on; and what is appended to.
  private var front: [Element?] = []
  private var head = 0
  private var full: [[Element?]] = []
  private var fullHead = 0
  private var back: [Element?] = []

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
    if head == front.count { refill() }
    count -= 1
    defer { head += 1 }
    return front[head].take()
  }

  private mutating func refill() {
    front.removeAll(keepingCapacity: true)  // its storage is used again
    head = 0
    if full.isEmpty {
      swap(&front, &back)
    } else {
      swap(&front, &full[fullHead])
      fullHead += 1
      if fullHead * 2 >= full.count {  // cleared away when they are the larger half: constant time on average
        full.removeFirst(fullHead)
        fullHead = 0
      }
    }
  }
}

extension ArrayQueue: Equatable where Element: Equatable {
  // How the elements lie in the arrays is history, not state.
  static func == (a: ArrayQueue, b: ArrayQueue) -> Bool {
    a.count == b.count && a.waiting.elementsEqual(b.waiting)
  }

  private var waiting: FlattenSequence<[ArraySlice<Element?>]> {
    ([front[head...]] + full[fullHead...].map { $0[...] } + [back[...]]).joined()
  }
}
