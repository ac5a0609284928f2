// Checks of parsers over bodies: what passes, what is caught, how small the split gets, what is proved.

import EventCassettes
import ServerSentEvents
import Testing

private let orders = """
  : hello

  event: order
  id: 1
  data: {"state":"packed"}

  data: first
  data: second

  data: naïve 😀

  retry: 500

  """

private func makeBody(_ text: String, exchange: Int = 1) -> ExchangeBody {
  ExchangeBody(exchange: exchange, bytes: Array(text.utf8))
}

extension EventStreamParser {
  fileprivate func outputs(of text: String) -> [Output] {
    var parser = self
    return parser.append(Array(text.utf8))
  }

  fileprivate func fed(_ text: String) -> EventStreamParser {
    var parser = self
    _ = parser.append(Array(text.utf8))
    return parser
  }
}

@Suite("Checks of parsers")
struct ParserCheckTests {
  @Test("our parser passes every plan, and a short stream is proved")
  func ours() {
    let report = ParserCheck.check([makeBody(orders), makeBody("data: a\r\n\r\n", exchange: 2)])
    #expect(report.finding == nil)
    #expect(report.runs.count == 25)
    let each = report.runs.first { $0.plan == .each }
    #expect(each?.replays == orders.utf8.count - 1 + 10)
    #expect(each?.isSample == false && each?.window == nil)
    guard case .proved(let pieces) = report.certainty else {
      Issue.record("not proved: \(report.certainty)")
      return
    }
    // All pieces of two bytes or more: n(n−1)/2 of each body.
    let n = orders.utf8.count
    #expect(pieces == n * (n - 1) / 2 + 11 * 10 / 2)
  }

  @Test("a parser that forgets unfinished lines is caught with one cut, inside the first line that counts")
  func forgetful() throws {
    let report = ParserCheck.check([makeBody("data: one\n\ndata: two\n\n")]) { ForgetfulParser() }
    let finding = try #require(report.finding)
    #expect(finding.foundBy == .bytes(1))
    guard let cuts = finding.split.offsets else {
      Issue.record("split \(finding.split)")
      return
    }
    #expect(cuts.count == 1)
    #expect(finding.exchange == 1)
    #expect(
      finding.expected?.contains(#""data":"one""#) == true
        || finding.expected?.contains(#""data":"two""#) == true)
    // The split reproduces by itself.
    let again = ParserCheck.check(
      [makeBody("data: one\n\ndata: two\n\n")], options: CheckOptions(plans: [finding.split])
    ) { ForgetfulParser() }
    #expect(again.finding?.split == finding.split)
  }

  @Test("a parser that fails uncut is caught as whole")
  func whole() throws {
    let report = ParserCheck.check([makeBody("data:one\n\n")]) { ForgetfulParser() }
    #expect(report.finding?.split == .whole)
    #expect(report.finding?.got == nil)
    #expect(report.finding?.expected == #"{"type":"message","data":"one","lastEventId":""}"#)
  }

  @Test("a character decoded by halves is caught inside it, in the second exchange's offsets")
  func decoding() throws {
    let bodies = [makeBody("data: a\n\n"), makeBody("data: é\n\n", exchange: 2)]
    let report = ParserCheck.check(bodies) { ChunkDecodingParser() }
    #expect(report.finding?.split == .at([9 + 7]))
    #expect(report.finding?.exchange == 2)
    #expect(report.finding?.got?.contains("\u{FFFD}\u{FFFD}") == true)
  }

  @Test("a parser that takes an empty chunk for the end is caught with an empty chunk, and the plan says so")
  func emptyChunk() throws {
    let report = ParserCheck.check([makeBody("data: a\n\n")]) { EmptyIsEndParser() }
    let finding = try #require(report.finding)
    #expect(finding.foundBy == .hostile)
    guard let cuts = finding.split.offsets else {
      Issue.record("split \(finding.split)")
      return
    }
    #expect(cuts.count == 2 && cuts[0] == cuts[1])
    #expect(try ChunkBoundaryPlan(parsing: finding.split.description) == finding.split)
    let small = try #require(
      ParserCheck.minimized(finding, in: [makeBody("data: a\n\n")]) { EmptyIsEndParser() })
    #expect(small.kind.hasEmptyChunk && small.reproduction.chunks.contains([]))
    #expect(small.reproduction.escaped.contains("||"), "\(small.reproduction.escaped)")
    #expect("\(small.kind)".contains("when an empty chunk comes "), "\(small.kind)")
  }

  @Test("a fault at one chunk length alone is found by the proof")
  func oneLength() throws {
    // No recorded or random plan has the length here: only the induction tries all.
    let plans: [ChunkBoundaryPlan] = [.recorded, .whole, .bytes(1), .hostile]
    let report = ParserCheck.check([makeBody(orders)], options: CheckOptions(plans: plans)) {
      OneLengthParser()
    }
    let finding = try #require(report.finding)
    guard let cuts = finding.split.offsets else {
      Issue.record("split \(finding.split)")
      return
    }
    #expect(cuts.count <= 2)
    #expect(!report.certainty.isProof)
  }

  @Test("a parser that is late passes every split: the same outputs, only later, are no fault")
  func late() {
    let options = CheckOptions(plans: [.each], proves: false)
    let report = ParserCheck.check([makeBody(orders)], options: options) { LateParser() }
    #expect(report.passed && report.runs.first?.replays == orders.utf8.count - 1)
  }

  @Test("states that depend on the cuts are no finding, but no proof either")
  func states() {
    for report in [
      ParserCheck.check([makeBody(orders)]) { CountingParser() },
      ParserCheck.check([makeBody(orders)]) { LateParser() },
    ] {
      #expect(report.finding == nil)
      guard case .sampled(let reason) = report.certainty else {
        Issue.record("\(report.certainty)")
        return
      }
      #expect(reason.contains("state depends on cuts"))
    }
  }

  @Test("a closure is a parser, and fields that it doesn't know are left out")
  func closure() {
    let report = ParserCheck.check([makeBody(orders)], comparing: [.data]) {
      var parser = EventStreamParser()
      return { chunk in parser.append(chunk).events.map { ServerSentEvent(data: $0.data) } }
    }
    #expect(report.passed)
    #expect(report.certainty == .sampled(reason: "the parser is a black box: it is not an Equatable value"))
  }

  @Test("what is no event stream is not fed, but its bytes count in offsets")
  func otherBodies() throws {
    let page = ExchangeBody(exchange: 1, bytes: Array("<html>".utf8), isEventStream: false)
    let report = ParserCheck.check([page, makeBody("data: é\n\n", exchange: 2)]) { ChunkDecodingParser() }
    #expect(report.finding?.split == .at([6 + 7]))
  }

  @Test(
    "past the budget each is a sample that says so, the hostile places first, and still finds a split character"
  )
  func sampled() throws {
    var text = ""
    for number in 0..<100 { text += "data: event number \(number)\n\n" }
    text += "data: naïve\n\n"
    let options = CheckOptions(plans: [.each], budget: 20 * text.utf8.count * 2, proves: false)
    let clean = ParserCheck.check([makeBody(text)], options: options) {
      var parser = EventStreamParser()
      return { parser.append($0).events }
    }
    let run = try #require(clean.runs.first)
    #expect(clean.passed && run.isSample && run.replays == 40)
    #expect(run.possible == text.utf8.count - 1)
    let states = ParserCheck.check([makeBody(text)], options: options) { ChunkDecodingParser() }
    #expect(states.finding != nil)
  }

  @Test(
    "going on from states tries every split of a long stream within a budget that starting over would pass")
  func windows() throws {
    var text = ""
    for number in 0..<100 { text += "id: \(number)\ndata: event number \(number)\n\n" }
    text += "data: naïve\n\n" + text
    let body = makeBody(text)
    let options = CheckOptions(plans: [.each], budget: text.utf8.count * 400, proves: false)
    let report = ParserCheck.check([body], options: options)
    let run = try #require(report.runs.first)
    #expect(report.passed && !run.isSample)
    #expect(run.replays == text.utf8.count - 1)
    #expect(try #require(run.window) < 400)
    let finding = ParserCheck.check([body], options: options) { ChunkDecodingParser() }.finding
    let place = text.utf8.count / 2
    guard let cuts = finding?.split.offsets, cuts.count == 1 else {
      Issue.record("\(String(describing: finding))")
      return
    }
    #expect(abs(cuts[0] - place) < 40)
  }

  @Test("a long stream is proved in windows around every event, and says how many")
  func provedInWindows() throws {
    let text = (0..<60).map { "id: \($0)\ndata: event \($0)\n\n" }.joined()
    let options = CheckOptions(plans: [], proofBudget: 4 << 20)
    let report = ParserCheck.check([makeBody(text), makeBody("data: a\n\n", exchange: 2)], options: options)
    guard case .provedInWindows(60, of: 60, longestChunk: 16, let pieces) = report.certainty else {
      Issue.record("\(report.certainty)")
      return
    }
    // A piece from each place to at most the end of the second event after it; fewer at the end. The short body is whole.
    #expect(pieces > text.utf8.count * 30 && pieces < text.utf8.count * 70)
    #expect(!report.certainty.isProof && report.passed)
  }

  @Test("windows overlap, so that a fault between any two neighbours is found")
  func windowsOverlap() throws {
    // 37 bytes from anywhere in one event end in the next one or the one after it.
    let text = (10..<90).map { "data: event \($0)\n\n" }.joined()
    let options = CheckOptions(plans: [], proofBudget: 3 << 20)
    let report = ParserCheck.check([makeBody(text)], options: options) { OneLengthParser() }
    #expect(report.finding != nil)
    let whole = ParserCheck.check([makeBody(text)], options: options) { RightParser() }
    guard case .provedInWindows(80, of: 80, _, _) = whole.certainty else {
      Issue.record("\(whole.certainty)")
      return
    }
  }

  @Test(
    "events too long for their windows are proved by shorter chunks, and a budget of nothing proves nothing")
  func longEvents() throws {
    let text = (0..<4).map { _ in "data: \(String(repeating: "x", count: 300))\n\n" }.joined() + "data: a\n\n"
    let report = ParserCheck.check([makeBody(text)], options: CheckOptions(plans: [], proofBudget: 1 << 20))
    guard case .provedInWindows(0, of: 5, longestChunk: 16, _) = report.certainty else {
      Issue.record("\(report.certainty)")
      return
    }
    let none = ParserCheck.check([makeBody(text)], options: CheckOptions(plans: [], proofBudget: 0))
    guard case .sampled = none.certainty else { Issue.record("\(none.certainty)"); return }
  }

  @Test("a parser that is no Sendable value is proved as well, on one core")
  func notSendable() {
    final class Shared {}
    struct Parser: EventStreamParsing, Equatable {
      private var parser = EventStreamParser()
      private let shared = Shared()
      mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] { parser.append(chunk).events }
      static func == (a: Parser, b: Parser) -> Bool { a.parser == b.parser }
    }
    #expect(ParserCheck.check([makeBody("data: a\n\n")]) { Parser() }.certainty.isProof)
  }

  @Test("a failure that does not show again is told as it was seen")
  func notRepeatable() throws {
    final class Count { var streams = 0 }
    struct Parser: EventStreamParsing {
      let count: Count
      private var parser = EventStreamParser()
      init(_ count: Count) {
        self.count = count
        count.streams += 1
      }
      mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
        count.streams == 2 ? [ServerSentEvent(data: "out of order")] : parser.append(chunk).events
      }
    }
    let count = Count()
    let report = ParserCheck.check(
      [makeBody("data: a\n\n")], options: CheckOptions(plans: [.whole, .bytes(1)])
    ) {
      Parser(count)
    }
    let finding = try #require(report.finding)
    #expect(!finding.isRepeatable)
    #expect(finding.foundBy == .bytes(1))
    #expect(finding.split.offsets == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(finding.got?.contains("out of order") == true)
  }
}
