import Testing

@testable import ServerSentEvents

@Suite struct ArrayQueueTests {
  @Test func whatIsPutInComesOutInOrderHoweverMuchWaits() {
    var queue = ArrayQueue<Int>()
    var generator = SplitMix(3)
    var (put, taken) = (0, 0)
    for round in 0..<400 {
      for _ in 0..<Int.random(in: 0..<(round < 200 ? 100 : 20), using: &generator) {
        queue.append(put)
        put += 1
      }
      for _ in 0..<Int.random(in: 0..<(round < 200 ? 60 : 100), using: &generator) where taken < put {
        #expect(queue.popFirst() == taken)
        taken += 1
      }
      #expect(queue.count == put - taken && queue.isEmpty == (put == taken))
    }
    while let next = queue.popFirst() {
      #expect(next == taken)
      taken += 1
    }
    #expect(taken == put && put > 10_000)
  }

  @Test func queuesAreEqualWhateverWasTakenFromThem() {
    var long = ArrayQueue<Int>()
    for number in 0..<1_000 { long.append(number) }
    for _ in 0..<700 { _ = long.popFirst() }
    var short = ArrayQueue<Int>()
    for number in 700..<1_000 { short.append(number) }
    #expect(long == short)
    _ = short.popFirst()
    short.append(1_000)
    #expect(long != short)
  }
  @Test func copiesGoTheirOwnWays() {
    var queue = ArrayQueue<String>()
    for number in 0..<400 { queue.append("element \(number)") }
    for _ in 0..<10 { _ = queue.popFirst() }
    var copy = queue
    queue.append("one more")
    for _ in 0..<200 { _ = copy.popFirst() }
    copy.append("another")
    let rest = Array(sequence(state: queue) { $0.popFirst() })
    #expect(rest == (10..<400).map { "element \($0)" } + ["one more"])
    let restOfCopy = Array(sequence(state: copy) { $0.popFirst() })
    #expect(restOfCopy == (210..<400).map { "element \($0)" } + ["another"])
    #expect(queue.count == 391 && copy.count == 191)
  }

  @Test func whatWaitsIsLetGoWithItsQueueAndWhatIsTakenAtOnce() {
    final class Element: Sendable {}
    var queue = ArrayQueue<Element>()
    weak var first: Element?
    weak var last: Element?
    for number in 0..<300 {
      let element = Element()
      if number == 0 { first = element }
      if number == 299 { last = element }
      queue.append(element)
    }
    #expect(first != nil && last != nil)
    _ = queue.popFirst()
    #expect(first == nil)
    queue = ArrayQueue()
    #expect(last == nil)
  }
}
