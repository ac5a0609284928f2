// A client's way through a pass of a resume sweep: which part of the stream each connection gets, and what the client's
// requests tell; and which request begins a pass. Pure.

import EventCassettes
import ServerSentEvents

struct SweepSession: Sendable {
  /// What a connection gets.
  struct Turn: Hashable, Sendable {
    var part: Range<Int>
    /// Whether the stream ends properly after it.
    var isLast: Bool
    var finding: ResumeFinding?
  }

  let number: Int
  private let stream: ResumableStream
  /// Where connections are cut, ascending; the last is the stream's end.
  private let places: [Int]
  /// The index in `places` of the next connection's cut.
  private var next = 0
  /// Events that the client has.
  private var given = 0

  init(number: Int, stream: ResumableStream, places: [Int]) {
    self.number = number
    self.stream = stream
    self.places = places
  }

  /// After how many cuts the client has come back.
  var breaks: Int { max(next - 1, 0) }

  /// A connection begins; `nil` once the sweep is over.
  mutating func begin(lastEventID: [UInt8]) -> Turn? {
    guard next < places.count else { return nil }
    let known = lastEventID.isEmpty ? 0 : stream.start(after: lastEventID)
    let start = known ?? 0
    var finding: ResumeFinding?
    let first = stream.ends.prefix { $0 <= start }.count
    if first != given || known == nil {
      finding = ResumeFinding(
        pass: number, offset: next == 0 ? 0 : places[next - 1],
        expected: given == 0 ? "" : stream.events[given - 1].lastEventID,
        sent: String(decoding: lastEventID, as: UTF8.self), isUnknown: known == nil,
        lost: first > given ? given + 1..<first + 1 : 0..<0,
        repeated: first < given ? first + 1..<given + 1 : 0..<0)
    }
    let end = max(places[next], start)
    next += 1
    given = stream.eventCount(in: end)
    return Turn(part: start..<end, isLast: next == places.count, finding: finding)
  }
}

/// The passes of a sweep and who makes them.
struct SweepSessions: Sendable {
  private(set) var report: ResumeSweepServer.Report
  private let stream: ResumableStream
  private let passes: [[Int]]
  /// How many passes have begun.
  private var begun = 0
  private var finished = 0
  /// The session of each client that is in the middle of a pass, or was not yet told that it is over.
  private var sessions: [String: SweepSession] = [:]

  init(stream: ResumableStream, passes: [[Int]]) {
    self.stream = stream
    self.passes = passes
    report = ResumeSweepServer.Report(
      possible: passes.reduce(0) { $0 + $1.count - 1 }, events: stream.events.count)
  }

  /// What a request gets; `nil` where the client has come to the end of its pass, or there is none left.
  mutating func begin(_ request: ReplayRequest) -> SweepSession.Turn? {
    // Who knows an ID belongs to a pass that is over, and asks once more.
    guard sessions[request.key] != nil || (request.lastEventID.isEmpty && begun < passes.count) else {
      return nil
    }
    var session: SweepSession
    if let known = sessions[request.key] {
      session = known
    } else {
      session = SweepSession(number: begun + 1, stream: stream, places: passes[begun])
      begun += 1
    }
    let before = session.breaks
    let turn = session.begin(lastEventID: request.lastEventID)
    report.breaks += session.breaks - before
    sessions[request.key] = turn == nil ? nil : session
    if turn == nil { finished += 1 }
    report.isComplete = finished == passes.count
    if let finding = turn?.finding { report.findings.append(finding) }
    return turn
  }
}
