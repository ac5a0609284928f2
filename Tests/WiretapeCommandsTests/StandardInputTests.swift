// Reading a pipe for a recording: never further ahead than was allowed, and never stuck.

import EventSourceURLSession
import Foundation
import ServerSentEvents
import Testing

@testable import WiretapeCommands

struct StandardInputTests {
  @Test("a pipe is read no further ahead than the recording allows", .timeLimit(.minutes(10)))
  func heldBack() async {
    let reads = Collected()
    let credit = ReceivingCredit(limit: 1)
    let transport = StandardInputTransport(
      input: ByteReader { _ in
        reads.append([UInt8(ascii: "r")])
        return Array("data: x\n\n".utf8)
      }, clock: SystemEventStreamClock(), credit: credit)
    var taken = 0
    for await fact in transport.connect(StandardInputTransport.request) {
      guard case .bytes(let bytes) = fact.fact else { continue }
      taken += 1
      // The one that was just taken still counts as on its way.
      #expect(reads.text.utf8.count == taken)
      if taken == 100 { break }
      credit.refund(bytes.count)
    }
  }
}
