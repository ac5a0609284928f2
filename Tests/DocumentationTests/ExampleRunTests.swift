// The example of an article that promises a result is run, not only compiled: its lines stand here, and are compared with
// the article's.

import EventCassetteServer
import EventCassettes
import EventSourceURLSession
import Foundation
import ServerSentEvents
import Testing

@Suite("Examples of the articles run")
struct ExampleRunTests {
  @Test("ServingWithFaults: each order once, over the reset", .timeLimit(.minutes(10)))
  func servingWithFaults() async throws {
    let cassette = try Cassette(
      contentsOf: packageRoot.appending(path: "Corpus/cassettes/order-status.cassette").path)
    let server = try CassetteServer(
      cassette,
      options: .init(boundaries: .hostile, speed: .instant, faults: [try FaultSpec(parsing: "reset@100")]))

    var orders: [String] = []
    for try await event in EventSource(url: URL(string: server.url)!) { orders.append(event.data) }
    await server.stop()

    #expect(orders.count == 5)  // each order once, over the reset
    #expect(server.findings.isEmpty)  // and every reconnect sent the right Last-Event-ID
    #expect(server.unusedFaults.isEmpty)  // and the reset did happen
  }

  @Test("what is run is what the article says")
  func isTheArticle() throws {
    let snippet = try #require(
      try SwiftSnippet.all().first { $0.page == "ServingWithFaults" && $0.code.contains("orders.count") })
    func lines(_ text: String) -> [String] {
      text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    let source = lines(try String(contentsOfFile: #filePath, encoding: .utf8))
    let code = lines(snippet.code)
    let start = try #require(source.firstIndex(of: code[0]))
    #expect(source[start...].prefix(code.count).elementsEqual(code))
  }
}
