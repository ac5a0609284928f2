// First in, first out: what waits for a consumer, in the driver as events and in the state machine as sizes.
//
// UNSAFE, and why: what is taken is moved out and leaves nothing behind. In blocks of optionals, each place would be looked
// at once more when its block goes, which costs as much as to take the element. The memory is touched in `Block` alone,
// where `head` and `end` say which places hold an element.

/// A queue in blocks of bounded size: however much waits, nothing is copied or moved once it is in, and what was taken is
/// let go with its neighbours.
struct ArrayQueue<Element: Sendable>: Sendable {
  /// What is taken from; what is full and waits, from `fullHead` on; and what is appended to.
  private var front: Block?
  private var full: [Block?] = []
  private var fullHead = 0
  private var back: Block?

  private(set) var count = 0
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: consuming Element) {
    if back?.isFull != false { addBlock() }
    if !isKnownUniquelyReferenced(&back) { back = back?.copy() }
    back?.append(element)
    count += 1
  }

  mutating func popFirst() -> Element? {
    if isEmpty { return nil }
    if front?.isEmpty != false { refill() }
    if !isKnownUniquelyReferenced(&front) { front = front?.copy() }
    count -= 1
    return front?.popFirst()
  }

  private mutating func addBlock() {
    if let back { full.append(back) }
    back = Block()
  }

  private mutating func refill() {
    if full.isEmpty {
      swap(&front, &back)  // the storage of what was taken is used again
    } else {
      front = full[fullHead].take()
      fullHead += 1
      if fullHead * 2 >= full.count {  // cleared away when they are the larger half: constant time on average
        full.removeFirst(fullHead)
        fullHead = 0
      }
    }
  }

  /// Neighbours in the queue. Filled once from its beginning to its end, and emptied in the same order.
  @safe private final class Block: @unchecked Sendable {
    // @unchecked: changed only by a queue that has it to itself; one that shares it with a copy makes its own before.

    /// Enough that a block costs little beside its elements.
    private static var size: Int { 128 }

    private let places: UnsafeMutablePointer<Element>
    private var head = 0
    private var end = 0

    init() { unsafe places = .allocate(capacity: Self.size) }

    deinit {
      unsafe (places + head).deinitialize(count: end - head)
      unsafe places.deallocate()
    }

    var isEmpty: Bool { head == end }
    var isFull: Bool { end == Self.size }

    func append(_ element: consuming Element) {
      precondition(end < Self.size)
      unsafe (places + end).initialize(to: element)
      end &+= 1
    }

    func popFirst() -> Element? {
      if isEmpty { return nil }
      let element = unsafe (places + head).move()
      head &+= 1
      if isEmpty { (head, end) = (0, 0) }
      return element
    }

    /// A block of its own with the same elements.
    func copy() -> Block {
      let copy = Block()
      for index in head..<end { copy.append(unsafe places[index]) }
      return copy
    }

    /// The elements, in order.
    var waiting: [Element] { (head..<end).map { unsafe places[$0] } }
  }
}

extension ArrayQueue: Equatable where Element: Equatable {
  // How the elements lie in the blocks is history, not state.
  static func == (a: ArrayQueue, b: ArrayQueue) -> Bool {
    a.count == b.count && a.waiting.elementsEqual(b.waiting)
  }

  private var waiting: FlattenSequence<[[Element]]> {
    ([front] + full[fullHead...] + [back]).map { $0?.waiting ?? [] }.joined()
  }
}
