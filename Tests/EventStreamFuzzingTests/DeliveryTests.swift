// Deliveries: where they cut, and that they never lose or reorder a byte.

import EventStreamFuzzing
import Testing

@Suite struct DeliveryTests {
  @Test("chunks joined are the stream, whatever the delivery")
  func losesNothing() {
    var streams = StreamGenerator(seed: 3)
    var generator = SeededGenerator(seed: 4)
    for _ in 0..<100 {
      let stream = streams.next()
      let deliveries =
        [.whole, .byteByByte(stream.count), .hostile(stream), .hashed(stream), .at([0, 0, stream.count])]
        + (0..<5).map { _ in Delivery.random(stream.count, using: &generator) }
        + Delivery.everySplit(stream.count)
      for delivery in deliveries {
        #expect(delivery.chunks(of: stream).flatMap { Array($0) } == stream, "\(delivery)")
      }
    }
  }

  @Test("hostile cuts lie where parsers break")
  func hostile() {
    func cuts(_ text: String) -> [Int] { Delivery.hostileOffsets(in: Array(text.utf8)) }
    #expect(cuts("a\r\n") == [2])
    #expect(cuts("\n\n") == [1])
    #expect(cuts("\r\n\r\n") == [1, 2, 3])
    #expect(cuts("id:5") == [1, 3])
    #expect(cuts("a:\u{E9}") == [2, 3])
    #expect(cuts("\u{FEFF}") == [1, 2])
    #expect(cuts("a:b\nid:c\n") == [2, 5, 7])
    #expect(cuts("a:b:c") == [2, 4])
  }

  @Test("a delivery prints as a plan")
  func prints() {
    #expect("\(Delivery.whole)" == "whole")
    #expect("\(Delivery.byteByByte(4))" == "bytes:1")
    #expect("\(Delivery.at([7, 3, 3]))" == "at:3,3,7")
    #expect("\(Delivery.hostile(Array("\n\n".utf8)))" == "at:1,1")
  }

  @Test("a seed and a content give the same cuts for ever")
  func areStable() {
    var generator = SeededGenerator(seed: 42)
    #expect(
      (0..<3).map { _ in generator.next() } == [
        13679457532755275413, 2949826092126892291, 5139283748462763858,
      ])
    let stream = Array("data: a\n\n".utf8)
    #expect(Delivery.hashed(stream) == Delivery.hashed(stream))
  }
}
