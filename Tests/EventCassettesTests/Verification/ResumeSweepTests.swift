// The client loses and repeats nothing, wherever its connection breaks; and what no server could resume is said to be so.

import EventCassettes
import ServerSentEvents
import Testing

private func makeBody(_ text: String, lastEventID: String = "") -> ExchangeBody {
  ExchangeBody(bytes: Array(text.utf8), lastEventID: lastEventID)
}

@Suite("Resume sweep")
struct ResumeSweepTests {
  @Test(
    "every event arrives once and in order, wherever the connection breaks",
    arguments: [
      "id: 1\ndata: a\n\nid: 2\ndata: b\n\n: beat\n\nid: 3\ndata: naïve 😀\ndata: c\n\n",
      "id: 1\r\ndata: a\r\n\r\nid: 2\r\ndata: b\r\n\r\n",
      "\u{FEFF}id: é\rdata: a\r\rid: e\u{301}\rdata: b\r\r",
      "retry: 10\nid: x\nevent: y\ndata\n\nid: z\ndata: unfinished",
    ])
  func sweep(text: String) {
    let report = ResumeSweep.check(makeBody(text))
    #expect(report.passed, "\(report)")
    #expect(report.breaks == text.utf8.count + 1 && report.possible == report.breaks)
  }

  @Test(
    "a stream that nobody could resume is not blamed on the client",
    arguments: [
      ("id: 1\ndata: a\n\ndata: b\n\n", "event 2 has no ID"),
      ("id: 1\ndata: a\n\nid: 1\ndata: b\n\n", "used before"),
      ("id\ndata: a\n\n", "event 1 has no ID"),
      ("id: 1\ndata: a\n\nid: 2\n\nid: 3\ndata: c\n\n", "a block without an event sets the ID ‘2’"),
    ])
  func notApplicable(text: String, reason: String) {
    let report = ResumeSweep.check(makeBody(text))
    #expect(report.notApplicable?.contains(reason) == true)
    #expect(!report.passed && report.finding == nil)
  }

  @Test("an exchange that was itself resumed begins with its ID")
  func resumed() {
    #expect(ResumeSweep.check(makeBody("id: 8\ndata: a\n\nid: 9\ndata: b\n\n", lastEventID: "7")).passed)
  }

  @Test("past the budget a seeded sample is tried, and says so")
  func sample() {
    let text = (0..<200).map { "id: \($0)\ndata: event \($0)\n\n" }.joined()
    let report = ResumeSweep.check(makeBody(text), budget: text.utf8.count * 50)
    #expect(report.passed)
    #expect(report.breaks > 40 && report.breaks <= 52)
    #expect(report.possible == text.utf8.count + 1)
    #expect(report == ResumeSweep.check(makeBody(text), budget: text.utf8.count * 50))
  }
}
