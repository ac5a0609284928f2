// The recorded sessions in Corpus/cassettes under every plan: as an app would do it in XCTest, one call a cassette.

import EventCassetteTesting
import EventCassettes
import ServerSentEvents
import XCTest

final class CorpusCassettesTests: XCTestCase {
  func testOrderStatusWithHeartbeatsAndADrop() {
    assertReplays("../../Corpus/cassettes/order-status")
  }

  func testTokensOfALanguageModelInSevenScripts() {
    assertReplays("../../Corpus/cassettes/llm-tokens")
  }

  func testBuildLogWithCRLFAndSeveralDataLines() {
    assertReplays("../../Corpus/cassettes/build-log")
  }

  func testAnotherParserIsHeldToOurs() {
    for name in ["order-status", "llm-tokens", "build-log"] {
      // A budget of its own: without optimization, making the events' texts for every piece takes its time.
      assertReplays(
        "../../Corpus/cassettes/\(name)", options: CheckOptions(budget: 1 << 20), with: { GoodParser() })
    }
  }

  func testAParserThatIsAClosure() {
    assertReplays("../../Corpus/cassettes/llm-tokens", comparing: [.data]) {
      var parser = GoodParser()
      return { chunk in parser.append(chunk).map { ServerSentEvent(data: $0.data) } }
    }
  }

  func testALineBasedParserIsCaughtOnEveryOneOfThem() throws {
    for name in ["order-status", "llm-tokens", "build-log"] {
      let check = checkReplay("../../Corpus/cassettes/\(name)", with: { LineBasedParser() })
      let failure = try XCTUnwrap(check.failure, name)
      XCTAssertTrue(failure.contains("split:"), failure)
      guard let cuts = check.chunking?.finding?.split.offsets else { continue }
      XCTAssertEqual(cuts.count, 1, name)
    }
  }
}
