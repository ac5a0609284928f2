// A subject as the checks take parsers: a stream's chunks are gathered, and sent when it ends. Foundation is imported to
// read the JSON of findings.

import EventCassettes
import Foundation
import ServerSentEvents

/// A stream of a subject, as the checks feed it. What goes wrong comes out as an event that no stream gives, so that
/// it is a finding like any other and is made small like any other.
struct SubjectParser: EventStreamParsing {
  private let process: SubjectProcess
  private var chunks: [[UInt8]] = []

  init(_ process: SubjectProcess) { self.process = process }

  /// The types of the events that stand for a fault of the subject.
  static let faults: Set = [
    crashed, hung, babbled, endless, wentOn, outOfNothing, interrupted,
  ]
  private static let crashed = "the subject crashed"
  private static let hung = "the subject hung"
  private static let babbled = "the subject printed no event"
  private static let endless = "the subject printed events without end"
  private static let wentOn = "the subject went on after the end of a stream"
  private static let interrupted = "the subject was interrupted"
  private static let outOfNothing = "the subject printed events for an empty stream"

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    chunks.append(chunk)
    return []
  }

  mutating func end() -> [ServerSentEvent] {
    Self.events(of: process.answer(to: chunks))
  }

  private static func events(of answer: SubjectAnswer) -> [ServerSentEvent] {
    switch answer {
    case .events(let events): events
    case .crashed(let how): [ServerSentEvent(name: crashed, data: how)]
    case .hung(let seconds): [ServerSentEvent(name: hung, data: "no answer for \(seconds) s")]
    case .notAnEvent(let line): [ServerSentEvent(name: babbled, data: line)]
    case .endless: [ServerSentEvent(name: endless, data: "more than the stream has bytes")]
    case .surplus(let line): [ServerSentEvent(name: wentOn, data: line)]
    case .interrupted: [ServerSentEvent(name: interrupted, data: "nothing was asked")]
    }
  }

  /// What is wrong with a subject before any stream comes into it: it gets an empty one, whose answer is no events, in a
  /// process of its own.
  ///
  /// - Throws: an error if it ends instead, doesn't answer or prints something that is no event: then it is most likely the
  ///   command that is wrong, and not the parser.
  static func faultOnEmptyStream(of process: SubjectProcess) throws(CommandError) -> ChunkingFinding? {
    process.startAnew(isolatingStreams: true)
    let answer = process.answer(to: [])
    let wrong: ServerSentEvent
    switch answer {
    case .crashed(let how):
      throw noSubject(
        process, "the subject didn’t answer an empty stream: \(how)", next: "Does the command run?")
    case .hung(let seconds):
      throw noSubject(
        process, "this is no subject: it didn’t answer an empty stream for \(seconds) s",
        next:
          #"Does it read frames from its standard input, print {"end": true} after each stream, and flush that?"#
      )
    case .notAnEvent(let line):
      throw noSubject(
        process, "this is no subject: it answered an empty stream with “\(printable(line))”",
        next: #"The answer is the line {"end": true}, and every event is a line of JSON before it."#)
    case .events(let events):
      guard let first = events.first else { return nil }
      wrong = ServerSentEvent(name: outOfNothing, data: first.data)
    default:
      guard let first = events(of: answer).first else { return nil }
      wrong = first
    }
    return finding(wrong)
  }

  private static func noSubject(
    _ process: SubjectProcess, _ message: String, next: String
  ) -> CommandError {
    CommandError(
      .unavailable, message,
      next: (process.lastWordsText + ["\(next) “wiretape help check” tells what a subject does."])
        .joined(separator: "\n"))
  }

  private static func finding(_ wrong: ServerSentEvent) -> ChunkingFinding {
    var got = JSONLine()
    got.add("type", wrong.type)
    got.add("data", wrong.data)
    got.add("lastEventId", wrong.lastEventID)
    return ChunkingFinding(
      split: .whole, foundBy: .whole, exchange: 1, index: 0, expected: nil, got: got.closed)
  }

  /// The check of a subject. One that is seen to print something between two streams is checked again with a process for
  /// each stream, so that the finding names the stream which makes it do so.
  static func check(
    _ process: SubjectProcess, with bodies: [ExchangeBody], options: CheckOptions
  ) -> ChunkingReport {
    process.startAnew(isolatingStreams: false)
    let report = ParserCheck.check(bodies, options: options) { SubjectParser(process) }
    process.finish()
    guard let line = process.surplus, !process.isInterrupted else { return report }
    process.startAnew(isolatingStreams: true)
    var options = options
    options.plans.removeAll { $0 == .each }  // a start for each split would take minutes
    var isolated = ParserCheck.check(bodies, options: options) { SubjectParser(process) }
    if isolated.finding == nil { isolated.finding = finding(ServerSentEvent(name: wentOn, data: line)) }
    return isolated
  }

  /// Whether a finding tells of a fault of the subject itself rather than of events that differ.
  static func isFault(_ finding: ChunkingFinding) -> Bool {
    guard let got = finding.got,
      let object = (try? JSONSerialization.jsonObject(with: Data(got.utf8))) as? [String: Any],
      let type = object["type"] as? String
    else { return false }
    return faults.contains(type)
  }
}
