// First in, first out: what waits for the consumer, in the driver as signals and in the state machine as sizes.

/// A queue in an array. Taken elements are cleared away when they are the larger half, so both ends cost constant time
/// on average and nothing that was taken is kept alive.
struct ArrayQueue<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[head].take()
    head += 1
    if head * 2 >= elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}

extension ArrayQueue: Equatable where Element: Equatable {
  // Where the head lies in the array is history, not state.
  static func == (a: ArrayQueue, b: ArrayQueue) -> Bool {
    a.elements[a.head...].elementsEqual(b.elements[b.head...])
  }
}
