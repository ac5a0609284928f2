// The test that holds what was found. Pure: a stream, where it is cut and what must come; source text out.

import EventCassettes
import ServerSentEvents

/// A finding as a test for XCTest.
struct RegressionTest {
  /// The fault's name, such as `split-crlf`.
  var name: String
  /// The stream and its cuts, with the events of a right parser.
  var reproduction: Reproduction
  /// What did not hold, on one line.
  private var reason: String
  /// Whether the stream fails by itself. If not, the oracles make what fails of it, and the test leaves that to them.
  private var isPlain: Bool
  /// Whether the parsers differ in the last event ID. If not, it isn't compared: a subject need not tell it.
  var comparesLastEventID: Bool

  /// The stream, cut, with the events that must come of it.
  init(name: String, stream: [UInt8], failure: FuzzFailure) {
    self.name = name
    reason = printable([failure.headline, failure.form].compactMap { $0 }.joined(separator: " · "))
    isPlain = failure.stream == nil
    // Those of a stream that an oracle made are no offsets of this one.
    let split = failure.stream == nil ? failure.split : nil
    let cuts = split.flatMap { try? ChunkBoundaryPlan(parsing: $0) }?.cuts(in: stream) ?? []
    reproduction = Reproduction(
      chunks: StreamMinimizer<Bool>.Candidate(bytes: stream, cuts: cuts).chunks,
      expected: EventStreamParser.events(in: stream), got: [])
    // As EventStreamFuzzing writes it, last in the line, where the subject tells it.
    func id(_ text: String?) -> Substring? {
      // Where nothing follows, the event has no ID, and its data ends in these very words.
      guard let text, let place = text.ranges(of: #"", last event ID ""#).last,
        place.upperBound < text.endIndex
      else { return nil }
      return text[place.upperBound...]
    }
    let (want, have) = (id(failure.expected), id(failure.got))
    comparesLastEventID = want != nil && have != nil && want != have
  }

  /// `SplitCrlf`: the name as a part of Swift names.
  var swiftName: String {
    let words = name.split { !$0.isLetter && !$0.isNumber }
    return words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// The function.
  ///
  /// - Parameter subject: whether the package has one, as `fuzz init` makes it. Otherwise the function is about a
  ///   `MyParser` that is fed chunks.
  func function(forSubject subject: Bool) -> String {
    guard subject else { return reproduction.xctest(named: swiftName) }
    let cuts = reproduction.chunks.dropLast().reduce(into: [Int]()) { $0.append(($0.last ?? 0) + $1.count) }
    let delivery = cuts.isEmpty ? "" : ", .at(\(cuts))"
    func quoted(_ event: ServerSentEvent) -> String {
      let texts = [event.type, event.data] + (comparesLastEventID ? [event.lastEventID] : [])
      return "[" + texts.map(Reproduction.literal).joined(separator: ", ") + "]"
    }
    let fields = comparesLastEventID ? "[$0.type, $0.data, $0.lastEventID]" : "[$0.type, $0.data]"
    let expected = reproduction.expected.map(quoted).joined(separator: ", ")
    let check =
      isPlain
      ? """
      let events = subject.events(in: stream\(delivery))
          XCTAssertEqual(events.map { \(fields) }, [\(expected)])
      """ : "XCTAssertNil(subject.check(stream))"
    return """
        func test\(swiftName)() {
          // \(reason)
          // \(reproduction.escaped)
          let stream: [UInt8] = \(Reproduction.literal(reproduction.chunks.flatMap { $0 }))
          \(check)
        }

      """
  }

  /// A file with the function, for the tests of the fuzz package.
  var file: String {
    """
    import EventStreamFuzzing
    import FuzzSubject
    import XCTest

    final class \(swiftName)Tests: XCTestCase {
    \(function(forSubject: true))}

    """
  }
}
