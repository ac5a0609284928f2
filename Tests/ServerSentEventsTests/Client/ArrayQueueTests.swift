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
}
