import EventCassettes
import Foundation
import ServerSentEvents
import Testing

@Suite("A session as a page")
struct SessionReportTests {
  private func makePage(_ bodies: [String], title: String = "x.cassette", chunk: Int = 7) throws -> String {
    let writer = try CassetteWriter(inMemoryAtLevel: 6)
    let header = Cassette.Header(recorder: "tests 1", recordedAt: "2026-01-02T03:04:05Z", timing: .recorded)
    var recorder = try CassetteRecorder(to: writer, header: header)
    var now = Duration.zero
    for (number, body) in bodies.enumerated() {
      try recorder.begin(EventStreamRequest(url: "http://127.0.0.1/events"), at: now)
      try recorder.record(.init(at: now, .response(EventStreamResponse(status: 200))))
      let bytes = Array(body.utf8)
      for start in stride(from: 0, to: bytes.count, by: chunk) {
        now += .milliseconds(chunk == 1 ? 1 : start % 5 == 0 ? 400 : 3)
        try recorder.record(.init(at: now, .bytes(Array(bytes[start..<min(start + chunk, bytes.count)]))))
      }
      let cause: ConnectionEnd = number + 1 < bodies.count ? .reset : .complete
      try recorder.record(.init(at: now, .ended(cause, detail: "")))
      now += .seconds(1)
    }
    try recorder.finish(at: now)
    var reader = try CassetteReader(bytes: recorder.bytes)
    return String(decoding: try SessionReport(&reader, title: title).html, as: UTF8.self)
  }

  private func makeFacts(_ page: String) throws -> [String: Any] {
    let start = try #require(page.range(of: #"<script id="facts" type="application/json">"#))
    let end = try #require(page[start.upperBound...].range(of: "</script>"))
    let json = Data(page[start.upperBound..<end.lowerBound].utf8)
    return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
  }

  @Test("the facts hold what the cassette holds")
  func facts() throws {
    let page = try makePage(["id: 1\ndata: a\n\n: beat\n\ndata: b\n\ndata: cut", "error: x\n\ndata: c\n\n"])
    let facts = try makeFacts(page)
    #expect(facts["eventCount"] as? Int == 3)
    #expect(facts["commentCount"] as? Int == 1)
    #expect(
      (facts["exchanges"] as? [[String: Any]])?.map { $0["cause"] as? String } == ["reset", "complete"])
    #expect((facts["warnings"] as? [[Any]])?.count == 2)
    #expect((facts["sizes"] as? [Int])?.reduce(0, +) == facts["chunkCount"] as? Int)
  }

  @Test("nothing in a stream or a title can end the script, and nothing is loaded from elsewhere")
  func hostileContent() throws {
    let evil = "</script><script>alert(1)</script><!--"
    let page = try makePage(["event: \(evil)\ndata: \(evil)\n\n"], title: evil)
    #expect(try makeFacts(page)["title"] as? String == evil)
    #expect(page.components(separatedBy: "</script>").count == 3)
    for loaded in ["src=\"", "href=\"", "url(", "import("] { #expect(!page.contains(loaded)) }
  }

  @Test("a long ID, and a long name, don't stand in the page for each event")
  func longTexts() throws {
    let long = String(repeating: "i", count: 20_000)
    let events = "event: \(long)\nid: \(long)\ndata: a\n\n" + String(repeating: "data: b\n\n", count: 200)
    let page = try makePage([events])
    #expect((try makeFacts(page)["events"] as? [Any])?.count == 201)
    #expect(page.utf8.count < 200_000)
  }

  @Test("a session without anything has a page, too")
  func empty() throws {
    let facts = try makeFacts(try makePage([]))
    #expect((facts["exchanges"] as? [Any])?.isEmpty == true)
  }

  @Test("very many chunks are thinned out evenly, and all of them count")
  func thinned() throws {
    let facts = try makeFacts(try makePage([String(repeating: "data: a\n\n", count: 5000)], chunk: 1))
    #expect(facts["chunkCount"] as? Int == 45_000)
    let drawn = try #require(facts["chunks"] as? [Any])
    #expect(drawn.count > SessionReport.mostMarks / 3 && drawn.count <= SessionReport.mostMarks)
  }

  @Test(
    "a page to look at, where WIRETAPE_PAGE names a file",
    .enabled(if: ProcessInfo.processInfo.environment["WIRETAPE_PAGE"] != nil))
  func pageToLookAt() throws {
    let path = try #require(ProcessInfo.processInfo.environment["WIRETAPE_PAGE"])
    let orders = (1...40).map {
      "id: \($0)\nevent: order.status\ndata: {\"order\":4711,\"step\":\($0),\"text\":\"配送 🚚\"}\n\n: beat\n\n"
    }.joined()
    let page = try makePage(
      [orders, ":408: 408 Request Timeout\n\n" + orders, "data: [DONE]\n\ndata: more\n\n"],
      title: "orders.cassette", chunk: 23)
    try Data(page.utf8).write(to: URL(fileURLWithPath: path))
  }
}
