// Clients that aren't ours, where the machine has them: curl through the proxy, with what real clients do (waiting for
// 100 Continue, compressed answers, HTTP/1.0).

import ChildProcesses
import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("Foreign clients")
struct ForeignClientTests {
  static let curl = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/curl" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  @Test(
    "curl gets through the proxy what it gets without it",
    .enabled(if: curl != nil, "no curl here: apt-get install curl runs this test"), .timeLimit(.minutes(10)),
    arguments: [[], ["--http1.0"], ["--data-binary", "@body", "-H", "Expect: 100-continue"]])
  func curlThroughProxy(options: [String]) async throws {
    let upstream = try LoopbackServer { request, response in
      // The body comes back, so that what curl sent is compared as well.
      try await response.send(
        ScriptedResponse(
          headers: [
            HeaderField("Content-Type", "text/event-stream"), HeaderField("X-Two", "1"),
            HeaderField("X-Two", "2"),
          ],
          chunks: [.init("data: \(request.method) \(request.body.count)\n\n"), .init(request.body)],
          framing: .chunked))
    }
    let folder = try ScratchFolder()
    defer { withExtendedLifetime(folder) {} }
    let (recorded, outside) = (folder.url.appending(path: "recorded"), folder.url.appending(path: "outside"))
    for url in [recorded, outside] {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }
    let proxy = try RecordingProxy(
      upstream: upstream.url, recordingInto: recorded.path,
      header: { Cassette.Header(recorder: "tests", recordedAt: "2026-01-02T03:04:05Z") })
    let body = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    try body.write(to: outside.appending(path: "body"))
    let direct = try await Self.run(options + ["-sN", upstream.url + "/x"], in: outside)
    let proxied = try await Self.run(options + ["-sN", proxy.url + "/x"], in: outside)
    let failures = await proxy.stop()
    await upstream.stop()
    #expect(failures.isEmpty)
    #expect(direct == proxied)
    #expect(
      proxied.starts(with: Data((options.count > 1 ? "data: POST 300000\n\n" : "data: GET 0\n\n").utf8)))
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: recorded.path).first)
    let cassette = try Cassette(contentsOf: recorded.appending(path: name).path)
    #expect(Data(cassette.exchanges[0].body) == proxied)
    #expect(cassette.exchanges[0].requestBody.count == (options.count > 1 ? body.count : 0))
  }

  /// What curl prints.
  private static func run(_ arguments: [String], in folder: URL) async throws -> Data {
    let output = folder.appending(path: "output")
    _ = try await LoggedProcess(
      program: try #require(curl), arguments: arguments, folder: folder.path, log: output.path,
      errorLog: folder.appending(path: "errors").path
    ).run()
    return try Data(contentsOf: output)
  }
}
