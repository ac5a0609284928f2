// Another parser, in another process: frames in, JSON lines out, as the contract of `--subject` says. It is kept running
// between streams, and started anew after it crashed, hung or answered with something else. Foundation is imported
// for pipes.

import ChildProcesses
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
  /// It went on after the line that ends a stream, before it was given another one.
  case surplus(line: String)
  /// Nothing was asked: we were told to come to an end.
  case interrupted
}

/// A command that parses streams.
///
/// `@unchecked`: what may be asked for and told at any time is in `state`; the rest is used by one caller at a time, as the
/// checks do.
final class SubjectProcess: @unchecked Sendable {
  /// A line longer than this for each byte of the stream is no event that a sane subject prints: JSON takes six at most.
  private static let longestLineForByte = 12

  /// What others than the caller look at or end.
  private struct State {
    var process: SpawnedProcess?
    var output: SubjectOutput?
    var streams = 0
    var isInterrupted = false
  }

  private let command: String
  private var patience: Double
  private let state = Locked(State())
  private var input: SubjectInput?
  private var leavesErrorsOpen = false
  private var outlivesInput = false
  private var outlivesOutput = false

  /// Whether each stream gets a process of its own, whose input ends with it. Then what comes after the stream's end is known
  /// to belong to it, however late it comes; but each stream costs a start.
  private(set) var isolatesStreams = false
  /// What it printed between two streams, once it did. From then on nobody knows which answer is whose, and it gets no more
  /// streams before it is started anew.
  private(set) var surplus: String?
  /// How often it did not answer.
  private(set) var hangs = 0
  /// What it last wrote to its standard error before it crashed, hung or babbled: its last lines, where there are any. All
  /// else that it writes there is dropped, for it is run thousands of times.
  private(set) var lastWords: [String] = []

  /// The same as lines for people.
  var lastWordsText: [String] {
    lastWords.isEmpty ? [] : ["Its last words:"] + lastWords.map { "  " + printable($0) }
  }

  /// How many streams it was given so far. May be asked for by anyone at any time.
  var streams: Int { state.withLock { $0.streams } }
  /// Whether ``interrupt()`` was called.
  var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

  /// - Parameters:
  ///   - command: run by `sh -c`.
  ///   - patience: seconds after which a subject that doesn't answer counts as hung. Once it has, one is enough: each
  ///     further try would cost as much again.
  init(command: String, patience: Double = 10) {
    self.command = command
    self.patience = patience
  }

  deinit { stop() }

  /// Forgets what it printed so far.
  func startAnew(isolatingStreams: Bool) {
    stop()
    surplus = nil
    isolatesStreams = isolatingStreams
  }

  /// Feeds a stream, each chunk a frame, and waits for its events.
  func answer(to chunks: [[UInt8]]) -> SubjectAnswer {
    if isInterrupted { return .interrupted }
    if isolatesStreams { stop() }
    let (running, before) = state.withLock { ($0.process, $0.output) }
    if let line = surplus ?? before?.leftover.map(Self.text) { return noted(surplus: line) }
    let output: SubjectOutput
    do throws(CommandError) {
      if let before, let running, running.end == nil { output = before } else { output = try start() }
    } catch {
      return .crashed("it could not be started: \(error.message)")
    }
    if isInterrupted { return .interrupted }
    var frames: [UInt8] = []
    for chunk in chunks where !chunk.isEmpty { frames += Self.frame(chunk) }
    frames += Self.frame([])
    state.withLock { $0.streams += 1 }
    output.allowLines(of: Self.longestLineForByte * frames.count + 1 << 20)
    input?.write(frames)
    if isolatesStreams { input?.end() }

    let patience = patience
    let deadline = Date(timeIntervalSinceNow: patience)
    // Generous to wrong parsers: no event takes less than a byte, but for some that a parser may make up at the end.
    let mostEvents = chunks.reduce(16) { $0 + $1.count }
    var events: [ServerSentEvent] = []
    while true {
      switch output.next(before: deadline) {
      case .line(let line):
        switch Self.read(line) {
        case .event(let event):
          events.append(event)
          if events.count > mostEvents {
            stop()
            return .endless
          }
        case .end:
          let line = isolatesStreams ? lastSurplus(of: output) : output.leftover.map(Self.text)
          if isolatesStreams { stop() }
          return line.map { noted(surplus: $0) } ?? .events(events)
        case .other:
          lastWords = errorLines(of: output)
          stop()
          return .notAnEvent(line: Self.text(line))
        }
      case .tooLong(let beginning):
        lastWords = errorLines(of: output)
        stop()
        return .notAnEvent(line: Self.text(beginning))
      case .end where isInterrupted, .late where isInterrupted:
        stop()
        return .interrupted
      case .end:
        let how = exitText()
        lastWords = errorLines(of: output)
        stop()
        return .crashed(how)
      case .late:
        hangs += 1
        self.patience = min(patience, 1)
        lastWords = errorLines(of: output)
        stop()
        return .hung(seconds: patience)
      }
    }
  }

  /// Lets the process come to its end, as one does whose input has ended, and takes notice of what it prints on the way.
  func finish() {
    input?.end()
    if let output = state.withLock({ $0.output }), surplus == nil { surplus = lastSurplus(of: output) }
    stop()
  }

  /// Ends the process for good: no stream is answered any more. May be called by anyone at any time.
  func interrupt() {
    let (process, output) = state.withLock {
      $0.isInterrupted = true
      return ($0.process, $0.output)
    }
    process?.signal(SIGKILL)
    output?.giveUp()
  }

  /// What comes yet, after its input has ended. A process that does not end then is waited for once, and given a moment
  /// from then on.
  private func lastSurplus(of output: SubjectOutput) -> String? {
    let patience = outlivesInput ? min(patience, 1) : patience
    // Its input has not ended before all of it was written.
    if input?.isClosed(before: Date(timeIntervalSinceNow: patience)) == false { outlivesInput = true }
    let next = output.next(before: Date(timeIntervalSinceNow: patience))
    switch next {
    case .line(let line), .tooLong(let line): return Self.text(line)
    case .end: break
    case .late: outlivesInput = true
    }
    return output.leftover.map(Self.text)
  }

  private func noted(surplus line: String) -> SubjectAnswer {
    lastWords = []
    stop()
    if !isolatesStreams { surplus = line }
    return .surplus(line: line)
  }

  private static func text(_ line: some Sequence<UInt8>) -> String {
    String(String(decoding: Array(line), as: UTF8.self).prefix(200))
  }

  /// Ends the process.
  func stop() {
    let (process, output) = state.withLock { state in
      defer { (state.process, state.output) = (nil, nil) }
      return (state.process, state.output)
    }
    output?.giveUp()
    input?.giveUp()
    input = nil
    process?.signal(SIGKILL)
  }

  private func start() throws(CommandError) -> SubjectOutput {
    stop()
    let (input, output, errorOutput) = (Pipe(), Pipe(), Pipe())
    let process: SpawnedProcess
    do {
      process = try SpawnedProcess(
        "/bin/sh", ["-c", command], environment: ProcessInfo.processInfo.environment, folder: nil,
        input: input.fileHandleForReading, output: output.fileHandleForWriting,
        errors: errorOutput.fileHandleForWriting)
    } catch {
      throw CommandError(explaining: error)
    }
    let printed = SubjectOutput(output.fileHandleForReading, errors: errorOutput.fileHandleForReading)
    // What the process has, only it is to hold open.
    for end in [input.fileHandleForReading, output.fileHandleForWriting, errorOutput.fileHandleForWriting] {
      try? end.close()
    }
    self.input = SubjectInput(input.fileHandleForWriting)
    state.withLock { ($0.process, $0.output) = (process, printed) }
    if isInterrupted { stop() }  // it came while the process was being made
    return printed
  }

  /// Its last words. Where it has ended all is read, however slowly it comes; but where it leaves a process behind, silent or
  /// not, that end never comes, and waiting once is enough.
  private func errorLines(of output: SubjectOutput) -> [String] {
    let (lines, isOpen) = output.lastErrorLines(before: Date(timeIntervalSinceNow: leavesErrorsOpen ? 0 : 60))
    leavesErrorsOpen = isOpen
    return lines
  }

  private func exitText() -> String {
    // Its output has ended; it itself may go on, which is waited for once.
    let patience = outlivesOutput ? min(patience, 1) : patience
    let end = state.withLock { $0.process }?.end(before: Date(timeIntervalSinceNow: patience))
    if end == nil { outlivesOutput = true }
    return switch end {
    case .signalled(let number): "it was ended by signal \(number)"
    case .exited(127): "it exited with 127: the shell found no such command"
    case .exited(let code): "it exited with \(code)"
    case nil: "it closed its output"
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
