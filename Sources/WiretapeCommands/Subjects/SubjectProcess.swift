// Another parser, in another process: frames in, JSON lines out, as the contract of `--subject` says. It is kept running
// between streams, and started anew after it crashed, hung or answered with something else. Foundation is imported
// for Process and pipes.

import Dispatch
import EventCassettes
import Foundation
import ServerSentEvents

/// What a subject made of one stream.
enum SubjectAnswer: Equatable {
  case events([ServerSentEvent])
  /// It ended before the stream's end was answered.
  case crashed(String)
  /// It didn't answer in time.
  case hung(seconds: Double)
  /// It printed something that is no event.
  case notAnEvent(line: String)
  /// It printed more events than any stream of that length can hold.
  case endless
}

/// A command that parses streams.
///
/// `@unchecked`: what its reading thread and its caller share is used under `condition`; the rest by one caller at a
/// time, as the checks do.
final class SubjectProcess: @unchecked Sendable {
  /// A line longer than this is no event that a sane subject prints.
  private static let longestLine = 256 << 20

  private let command: String
  private var patience: Double
  private var process: Process?
  private var input: FileHandle?

  /// How often it did not answer.
  private(set) var hangs = 0

  private let condition = NSCondition()
  private var received: [UInt8] = []
  /// Up to where lines were taken from `received`.
  private var taken = 0
  private var searched = 0
  private var isAtEnd = false
  /// Which process the bytes are from: a late answer of an earlier one must not count.
  private var run = 0

  /// - Parameters:
  ///   - command: run by `sh -c`.
  ///   - patience: seconds after which a subject that doesn't answer counts as hung. Once it has, one is enough: each
  ///     further try would cost as much again.
  init(command: String, patience: Double = 10) {
    self.command = command
    self.patience = patience
  }

  deinit { stop() }

  /// Feeds a stream, each chunk a frame, and waits for its events.
  func answer(to chunks: [[UInt8]]) -> SubjectAnswer {
    do {
      if process?.isRunning != true { try start() }
    } catch {
      return .crashed("it could not be started: \(error.localizedDescription)")
    }
    var frames: [UInt8] = []
    for chunk in chunks where !chunk.isEmpty { frames += Self.frame(chunk) }
    frames += Self.frame([])
    // Apart, since a subject that prints before it has read everything must not block both sides.
    if let input { DispatchQueue.global().async { [frames] in try? input.write(contentsOf: Data(frames)) } }

    let patience = patience
    let deadline = Date(timeIntervalSinceNow: patience)
    // Generous to wrong parsers: no event takes less than a byte, but for some that a parser may make up at the end.
    let mostEvents = chunks.reduce(16) { $0 + $1.count }
    var events: [ServerSentEvent] = []
    while true {
      switch nextLine(before: deadline) {
      case .line(let line):
        switch Self.read(line) {
        case .event(let event):
          events.append(event)
          if events.count > mostEvents {
            stop()
            return .endless
          }
        case .end: return .events(events)
        case .other:
          stop()
          return .notAnEvent(line: String(String(decoding: line, as: UTF8.self).prefix(200)))
        }
      case .end:
        let how = exitText()
        stop()
        return .crashed(how)
      case .late:
        hangs += 1
        self.patience = min(patience, 1)
        stop()
        return .hung(seconds: patience)
      }
    }
  }

  /// Ends the process.
  func stop() {
    condition.lock()
    run += 1
    received = []
    taken = 0
    searched = 0
    isAtEnd = false
    condition.broadcast()
    condition.unlock()
    try? input?.close()
    if let process, process.isRunning {
      // With what the shell started, where it leads a group of its own. Not waited for: Foundation takes a process to be
      // running as long as any descendant of it is.
      let id = process.processIdentifier
      if getpgid(id) == id { kill(-id, SIGKILL) }
      kill(id, SIGKILL)
    }
    input = nil
    process = nil
  }

  private func start() throws {
    stop()
    _ = signal(SIGPIPE, SIG_IGN)  // writing to a subject that died must be an error, not our end
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    let (input, output) = (Pipe(), Pipe())
    process.standardInput = input
    process.standardOutput = output
    condition.lock()
    let run = self.run
    condition.unlock()
    output.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let bytes = handle.availableData
      if bytes.isEmpty { handle.readabilityHandler = nil }
      self?.receive(bytes, of: run)
    }
    try process.run()
    try? input.fileHandleForReading.close()
    self.process = process
    self.input = input.fileHandleForWriting
  }

  private func receive(_ bytes: Data, of run: Int) {
    condition.lock()
    defer { condition.unlock() }
    // Who prints faster than is read must wait: its output is not ours to keep.
    while run == self.run, received.count - taken > Self.longestLine { condition.wait() }
    guard run == self.run else { return }
    if bytes.isEmpty { isAtEnd = true } else { received += bytes }
    condition.broadcast()
  }

  private enum Line {
    case line([UInt8])
    case end
    case late
  }

  private func nextLine(before deadline: Date) -> Line {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let end = received[searched...].firstIndex(of: 0x0A) {
        let line = Array(received[taken..<end])
        taken = end + 1
        searched = taken
        // Now and then, for moving what is left at each line would cost the square of it.
        if taken == received.count || taken > max(1 << 20, received.count / 2) {
          received.removeSubrange(..<taken)
          taken = 0
          searched = 0
          condition.broadcast()
        }
        return .line(line)
      }
      searched = received.count
      if isAtEnd { return .end }
      if received.count - taken > Self.longestLine { return .late }
      if !condition.wait(until: deadline) { return .late }
    }
  }

  private func exitText() -> String {
    guard let process else { return "it ended" }
    // Its output has ended; it itself may go on.
    let deadline = Date(timeIntervalSinceNow: 1)
    while process.isRunning, Date() < deadline { usleep(1000) }
    guard !process.isRunning else { return "it closed its output" }
    switch process.terminationReason {
    case .uncaughtSignal: return "it was ended by signal \(process.terminationStatus)"
    case .exit where process.terminationStatus == 127:
      return "it exited with 127: the shell found no such command"
    case .exit: return "it exited with \(process.terminationStatus)"
    @unknown default: return "it ended"
    }
  }

  /// Four bytes of length, the highest first, then the bytes.
  private static func frame(_ bytes: [UInt8]) -> [UInt8] {
    let length = UInt32(bytes.count)
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) } + bytes
  }

  private enum Content {
    case event(ServerSentEvent)
    case end
    case other
  }

  private static func read(_ line: [UInt8]) -> Content {
    guard let object = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any] else {
      return .other
    }
    if object["end"] as? Bool == true { return .end }
    guard let type = object["type"] as? String, let data = object["data"] as? String,
      let id = object["lastEventId"] as? String
    else { return .other }
    return .event(ServerSentEvent(name: type == "message" ? nil : type, data: data, lastEventID: id))
  }
}

/// A stream of a subject, as the checks feed it. What goes wrong comes out as an event that no stream gives, so that
/// it is a finding like any other and is made small like any other.
struct SubjectParser: EventStreamParsing {
  private let process: SubjectProcess
  private var chunks: [[UInt8]] = []

  init(_ process: SubjectProcess) { self.process = process }

  /// The types of the events that stand for a fault of the subject.
  static let faults: Set = [crashed, hung, babbled, endless, outOfNothing]
  private static let crashed = "the subject crashed"
  private static let hung = "the subject hung"
  private static let babbled = "the subject printed no event"
  private static let endless = "the subject printed events without end"
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
    }
  }

  /// What is wrong with a subject before any stream comes into it: it gets an empty one, whose answer is no events.
  ///
  /// - Throws: an error if it ends instead: then it is most likely the command that is wrong, and not the parser.
  static func faultOnEmptyStream(of process: SubjectProcess) throws(CommandError) -> ChunkingFinding? {
    let answer = process.answer(to: [])
    let wrong: ServerSentEvent
    switch answer {
    case .crashed(let how):
      throw CommandError(
        .unavailable, "the subject didn’t answer an empty stream: \(how)",
        next: "Does the command run? “wiretape help check” tells what a subject does.")
    case .events(let events):
      guard let first = events.first else { return nil }
      wrong = ServerSentEvent(name: outOfNothing, data: first.data)
    default:
      guard let first = events(of: answer).first else { return nil }
      wrong = first
    }
    var got = JSONLine()
    got.add("type", wrong.type)
    got.add("data", wrong.data)
    got.add("lastEventId", wrong.lastEventID)
    return ChunkingFinding(
      split: .whole, foundBy: .whole, exchange: 1, index: 0, expected: nil, got: got.closed)
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
