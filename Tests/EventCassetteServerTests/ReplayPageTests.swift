// The page of the replay server: what it says of the cassette, and in a real browser that the two agree.

import ChildProcesses
import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("The replay server's page")
struct ReplayPageTests {
  static func makeCassette() throws -> Cassette {
    try CassetteServerTests.makeCassette([
      CassetteServerTests.makeExchange(
        [
          "\u{FEFF}retry: 50\nid: 1\ndata: é",
          "\u{1F600}\r\n\r\n: beat\n\nevent: order\ndata: </script><b>\ndata: 2\nid: ü\n\n",
        ],
        end: .truncated),
      CassetteServerTests.makeExchange(["event: error\ndata: named\n\ndata: unfinished\n"], end: .reset),
      CassetteServerTests.makeExchange(["id\ndata:\ndata:\n\n"]),
    ])
  }

  @Test("it holds our parse of the whole session and nothing from elsewhere")
  func page() async throws {
    let server = try CassetteServer(try Self.makeCassette(), options: .init(speed: .instant))
    let text = try await exchange(port: server.port).text
    await server.stop()
    #expect(text.hasPrefix("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"))
    let start = try #require(text.range(of: #"id="cassette">"#)).upperBound
    let end = try #require(text[start...].range(of: "</script>")).lowerBound
    let json = try JSONSerialization.jsonObject(with: Data(text[start..<end].utf8)) as? [String: Any]
    let events = try #require(json?["events"] as? [[String: String]])
    #expect(
      events == [
        ["type": "message", "data": "é\u{1F600}", "lastEventId": "1"],
        ["type": "order", "data": "</script><b>\n2", "lastEventId": "ü"],
        ["type": "error", "data": "named", "lastEventId": "ü"],
        ["type": "message", "data": "\n", "lastEventId": ""],
      ])
    #expect(!text.contains("http://") && !text.contains("https://"))
  }

  @Test("it stops where a browser would, and says so")
  func fatalAnswer() throws {
    let cassette = try CassetteServerTests.makeCassette([
      CassetteServerTests.makeExchange(["data: a\n\n"]),
      CassetteServerTests.makeExchange(["data: b\n\n"], status: 500),
      CassetteServerTests.makeExchange(["data: c\n\n"]),
    ])
    let page = ReplayPage(exchanges: PreparedExchange.all(of: cassette, plan: .recorded), faults: [])
    #expect(page.events.map(\.data) == ["a"])
    #expect(page.remarks.count == 1)
  }

  static let browser = ["chromium", "chromium-browser", "google-chrome"].lazy
    .flatMap { name in
      (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(
    "in headless Chromium its EventSource and our parse agree, at every byte its own chunk too",
    .enabled(if: browser != nil, "no Chromium here: apt-get install chromium runs this test"),
    .timeLimit(.minutes(10)),
    arguments: [ChunkBoundaryPlan.recorded, .bytes(1)])
  func browserAgrees(plan: ChunkBoundaryPlan) async throws {
    let server = try CassetteServer(
      try Self.makeCassette(), options: .init(boundaries: plan, speed: .instant))
    let verdict = try await Self.verdict(of: server)
    #expect(verdict == "agree=yes&events=4&connections=3")
    #expect(server.findings.isEmpty)
  }

  @Test(
    "in headless Chromium a fault that changes the events shows as a difference",
    .enabled(if: browser != nil, "no Chromium here: apt-get install chromium runs this test"),
    .timeLimit(.minutes(10)))
  func browserDiffers() async throws {
    let server = try CassetteServer(
      try Self.makeCassette(),
      options: .init(speed: .instant, faults: [try FaultSpec(parsing: "duplicate@0")]))
    let verdict = try await Self.verdict(of: server)
    #expect(verdict.hasPrefix("agree=no&"))
  }

  /// What the page reports from a browser; the server is stopped then.
  private static func verdict(of server: CassetteServer) async throws -> String {
    let profile = try ScratchFolder()
    defer { withExtendedLifetime(profile) {} }
    let null = try #require(FileHandle(forUpdatingAtPath: "/dev/null"))
    let process = try SpawnedProcess(
      try #require(browser),
      [
        "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--remote-debugging-port=0", "--user-data-dir=\(profile.url.path)", server.pageURL,
      ],
      environment: ProcessInfo.processInfo.environment, folder: nil, input: null, output: null, errors: null)
    let seen = try? await server.exchanges { $0.contains { $0.request.path == "/verdict" } }
    process.signal(SIGTERM)
    _ = await process.whenEnded()
    await server.stop()
    return seen?.first { $0.request.path == "/verdict" }?.request.query ?? "no verdict"
  }
}
