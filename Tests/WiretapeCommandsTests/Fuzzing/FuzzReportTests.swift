// What `fuzz` tells: summaries, coverage, the test that holds a finding.

import EventCassettes
import EventStreamFuzzing
import Foundation
import Testing

@testable import WiretapeCommands

struct FuzzReportTests {
  private let summary = FuzzSummary(
    target: "FuzzParser", started: "2026-01-01T22:00:00Z", seconds: 28_800.4, workers: 2,
    executions: 412_345_123,
    coverage: (1224, 1301), features: (3010, 3402),
    corpus: (.init(files: 36, bytes: 2345), .init(files: 212, bytes: 18_600)),
    restarts: 3, peakMemory: 311,
    findings: [
      .init(
        kind: .finding, title: "t", lines: ["reference does not hold: R.", "got: no event 0"], signature: "s",
        isNew: true, times: 2,
        input: "Fuzz/artifacts/FuzzParser/crash-1", bytes: 23),
      .init(
        kind: .timeout, title: "t\u{1B}", signature: "timeout", isNew: false, times: 1, input: "slow",
        bytes: 1),
    ], isInterrupted: true, logs: "Fuzz/artifacts/FuzzParser/2026-01-01T220000Z")

  @Test("a summary reads well")
  func text() {
    #expect(
      summary.text.joined(separator: "\n") == """
        FuzzParser: 8 h 0 min, 2 workers, interrupted
          executions  412,345,123 · 14,317 a second · at most 311 MiB
          coverage    1,224 → 1,301 edges · 3,010 → 3,402 features
          corpus      36 → 212 inputs · 18.6 KB
          findings    1 new, 1 known; met 3 times, 3 restarts
            NEW   finding: reference does not hold: R. (2 times)
                  got: no event 0
                  Fuzz/artifacts/FuzzParser/crash-1, 23 bytes
                  wiretape fuzz to-cassette Fuzz/artifacts/FuzzParser/crash-1
            known timeout: t\\u{1B}
                  slow, 1 byte
                  wiretape fuzz to-cassette slow
          logs        Fuzz/artifacts/FuzzParser/2026-01-01T220000Z
        """)
  }

  @Test("the JSON of a summary has the numbers and the findings")
  func json() throws {
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(summary.json.utf8)) as? [String: any Sendable])
    #expect(object["executions"] as? Int == 412_345_123)
    #expect(object["executionsPerSecond"] as? Int == 14_317)
    #expect(object["coverage"] as? Int == 1301)
    #expect(object["newFindings"] as? Int == 1)
    #expect((object["findings"] as? [[String: any Sendable]])?.last?["kind"] as? String == "timeout")
  }

  @Test(
    "numbers are grouped", arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
  func groups(number: Int, expected: String) { #expect(grouped(number) == expected) }

  @Test("coverage lists what no form of a function reached, without what lies inside")
  func coverage() throws {
    let json = """
      {"data": [{"files": [
          {"filename": "/p/Sources/A.swift", "summary": {"lines": {"count": 20, "covered": 15}}},
          {"filename": "/other/B.swift", "summary": {"lines": {"count": 9, "covered": 9}}}],
        "functions": [
          {"filenames": ["/p/Sources/A.swift"], "regions": [
            [1,1,9,2,5,0,0,0], [2,5,4,6,0,0,0,0], [3,7,3,9,0,0,0,0], [5,1,5,9,0,0,0,0], [6,1,6,2,0,0,0,3]]},
          {"filenames": ["/p/Sources/A.swift"], "regions": [[1,1,9,2,0,0,0,0], [5,1,5,9,2,0,0,0]]},
          {"filenames": ["/other/B.swift"], "regions": [[1,1,9,2,0,0,0,0]]}]}], "type": "t", "version": "2"}
      """
    let report = try CoverageReport(json: Data(json.utf8)) { $0.hasPrefix("/p/") }
    #expect(
      report.files == [
        .init(
          path: "/p/Sources/A.swift", regions: 4, coveredRegions: 2, lines: 20, coveredLines: 15,
          uncovered: [.init(line: 2, column: 5, endLine: 4, endColumn: 6)])
      ])
    #expect(report.total == (2, 4))
    #expect(percentage(2, of: 4) == "50.0 %")
    #expect(percentage(0, of: 0) == "–")
  }

  private func test(split: String, stream: String, got: String) throws -> RegressionTest {
    let expected = #"event 0: type "message", data "a", last event ID """#
    let failure = try #require(
      FuzzLog(FuzzLogTests.finding(split: split, expected: expected, got: got)).failure)
    return RegressionTest(name: "split-crlf", stream: Array(stream.utf8), failure: failure)
  }

  @Test("the test of a finding has the stream, its cuts and the right events")
  func regressionTest() throws {
    let test = try test(split: "at:8", stream: "data: a\r\n\r\n", got: "no event 0")
    #expect(
      test.function(forSubject: true) == #"""
          func testSplitCrlf() {
            // reference does not hold: The events are those that the standard gives.
            // "data: a\r|\n\r\n"
            let stream: [UInt8] = Array("data: a\r\n\r\n".utf8)
            let events = subject.events(in: stream, .at([8]))
            XCTAssertEqual(events.map { [$0.type, $0.data] }, [["message", "a"]])
          }

        """#)
    #expect(test.file.contains("final class SplitCrlfTests: XCTestCase {\n  func testSplitCrlf() {"))
    #expect(test.function(forSubject: false).contains("var parser = MyParser()"))
  }

  @Test("where the oracles make what fails of the input, they are what the test runs")
  func regressionTestOfForm() throws {
    let finding = Finding(
      oracle: "lineEnds", delivery: "at:9", expected: "event 0", got: "no event 0", rule: "Lines end.",
      form: "with CR LF line ends", stream: Array("data: a\r\n\r\n".utf8))
    let failure = try #require(FuzzLog("Fatal error: finding: \(finding)").failure)
    let test = RegressionTest(name: "crlf", stream: Array("data: a\n\n".utf8), failure: failure)
    #expect(
      test.function(forSubject: true) == #"""
          func testCrlf() {
            // lineEnds does not hold: Lines end. · with CR LF line ends
            // "data: a\n\n"
            let stream: [UInt8] = Array("data: a\n\n".utf8)
            XCTAssertNil(subject.check(stream))
          }

        """#)
  }

  @Test("the last event ID is compared where it differs, as the oracles tell it, and only there")
  func lastEventID() throws {
    let stream = Array("id: 1\ndata: a\n\n".utf8)
    func test(of event: ParserSubject.Event) throws -> RegressionTest {
      let subject = ParserSubject { { $0.isEmpty ? [] : [event] } }
      let finding = try #require(subject.check(stream))
      let failure = try #require(FuzzLog("Fatal error: finding: \(finding)").failure)
      return RegressionTest(name: "id", stream: stream, failure: failure)
    }
    #expect(try !test(of: .init(data: #"", last event ID "#)).comparesLastEventID)
    #expect(try !test(of: .init(data: "b", lastEventID: "1")).comparesLastEventID)
    let test = try test(of: .init(data: "a", lastEventID: "x"))
    #expect(test.comparesLastEventID)
    #expect(test.function(forSubject: true).contains(#"subject.events(in: stream)"#))
    #expect(test.function(forSubject: true).contains(#"[["message", "a", "1"]]"#))
  }

  @Test("plans become cuts", arguments: [("bytes:1", 9), ("at:1,2", 3), ("whole", 1), ("nonsense", 1)])
  func plans(split: String, chunks: Int) throws {
    #expect(
      try test(split: split, stream: "data: a\n\n", got: "no event 0").reproduction.chunks.count == chunks)
  }
}
