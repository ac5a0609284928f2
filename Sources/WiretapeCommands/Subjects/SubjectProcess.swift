// Another parser, in another process: frames in, JSON lines out, as the contract of `--subject` says. It is kept running
// between streams, and started anew after it crashed, hung or answered with something else. Foundation is imported
// for pipes.

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
  /// It went on after the line that ends a stream, before it was given another one.
  case surplus(line: String)
  /// Nothing was asked: we were told to come to an end.
  case interrupted
}

/// A command that parses streams.
///
/// `@unchecked`: what its reading thread and its caller share is used under `condition`; the rest by one caller at a
/// time, as the checks do.
final class SubjectProcess: @unchecked Sendable {
  /// A line longer than this for each byte of the stream is no event that a sane subject prints: JSON takes six at most.
  private static let longestLineForByte = 12

  private let command: String
  private var patience: Double
  private var process: SpawnedProcess?
  private var input: FileHandle?

  /// Whether each stream gets a process of its own, whose input ends with it. Then what comes after the stream's end is known
  /// to belong to it, however late it comes; but each stream costs a start.
  var isolatesStreams = false
  /// What it printed between two streams, once it did. From then on nobody knows which answer is whose, and it gets no more
  /// streams, unless each is isolated.
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
  var streams: Int {
    condition.lock()
    defer { condition.unlock() }
    return streamCount
  }

  /// Whether ``interrupt()`` was called.
  var isInterrupted: Bool {
    condition.lock()
    defer { condition.unlock() }
    return interrupted
  }

  private let condition = NSCondition()
  private var interrupted = false
  private var received: [UInt8] = []
  /// Up to where lines were taken from `received`.
  private var taken = 0
  private var searched = 0
  private var isAtEnd = false
  private var longestLine = 0
  private var streamCount = 0
  /// The end of what it wrote to its standard error.
  private var errors: [UInt8] = []
  private var hasClosedErrors = false
  private var leavesErrorsOpen = false
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
    if isInterrupted { return .interrupted }
    if isolatesStreams {
      stop()
    } else if let line = surplus ?? leftover() {
      return noted(surplus: line)
    }
    do {
      if process == nil || process?.end != nil { try start() }
    } catch {
      return .crashed("it could not be started: \(error.message)")
    }
    var frames: [UInt8] = []
    for chunk in chunks where !chunk.isEmpty { frames += Self.frame(chunk) }
    frames += Self.frame([])
    condition.lock()
    streamCount += 1
    longestLine = Self.longestLineForByte * frames.count + 1 << 20
    condition.unlock()
    // Apart, since a subject that prints before it has read everything must not block both sides.
    if let input {
      DispatchQueue.global().async { [frames, isolatesStreams] in
        try? input.write(contentsOf: Data(frames))
        if isolatesStreams { try? input.close() }
      }
    }

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
        case .end:
          let line = isolatesStreams ? lastSurplus() : leftover()
          if isolatesStreams { stop() }
          return line.map { noted(surplus: $0) } ?? .events(events)
        case .other:
          lastWords = errorLines()
          stop()
          return .notAnEvent(line: Self.text(line))
        }
      case .tooLong(let beginning):
        lastWords = errorLines()
        stop()
        return .notAnEvent(line: Self.text(beginning))
      case .end where isInterrupted, .late where isInterrupted:
        stop()
        return .interrupted
      case .end:
        let how = exitText()
        lastWords = errorLines()
        stop()
        return .crashed(how)
      case .late:
        hangs += 1
        self.patience = min(patience, 1)
        lastWords = errorLines()
        stop()
        return .hung(seconds: patience)
      }
    }
  }

  /// Lets the process come to its end, as one does whose input has ended, and takes notice of what it prints on the way.
  func finish() {
    try? input?.close()
    if process != nil, surplus == nil { surplus = lastSurplus() }
    stop()
  }

  /// Ends the process for good: no stream is answered any more. May be called by anyone at any time.
  func interrupt() {
    condition.lock()
    interrupted = true
    let process = process
    condition.broadcast()
    condition.unlock()
    process?.signal(SIGKILL)
  }

  /// What came after the last line that was asked for.
  private func leftover() -> String? {
    condition.lock()
    defer { condition.unlock() }
    guard received.count > taken else { return nil }
    return Self.text(received[taken...].prefix { $0 != 0x0A })
  }

  /// What comes yet, after its input has ended. A process that does not end then is given a moment.
  private func lastSurplus() -> String? {
    switch nextLine(before: Date(timeIntervalSinceNow: min(patience, 1))) {
    case .line(let line), .tooLong(let line): Self.text(line)
    case .end, .late: leftover()
    }
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
    condition.lock()
    run += 1
    received = []
    taken = 0
    searched = 0
    isAtEnd = false
    errors = []
    hasClosedErrors = false
    condition.broadcast()
    condition.unlock()
    try? input?.close()
    process?.signal(SIGKILL)
    input = nil
    set(nil)
  }

  private func set(_ process: SpawnedProcess?) {
    condition.lock()
    self.process = process
    condition.unlock()
    if isInterrupted { process?.signal(SIGKILL) }  // it came while the process was being made
  }

  private func start() throws(CommandError) {
    stop()
    _ = signal(SIGPIPE, SIG_IGN)  // writing to a subject that died must be an error, not our end
    let (input, output, errorOutput) = (Pipe(), Pipe(), Pipe())
    let process = try SpawnedProcess(
      "/bin/sh", ["-c", command], environment: ProcessInfo.processInfo.environment, folder: nil,
      input: input.fileHandleForReading, output: output.fileHandleForWriting,
      errors: errorOutput.fileHandleForWriting)
    condition.lock()
    let run = self.run
    condition.unlock()
    Self.read(output.fileHandleForReading) { [weak self] in self?.receive($0, of: run) }
    Self.read(errorOutput.fileHandleForReading) { [weak self] in self?.receiveErrors($0, of: run) }
    // What the process has, only it is to hold open.
    for end in [input.fileHandleForReading, output.fileHandleForWriting, errorOutput.fileHandleForWriting] {
      try? end.close()
    }
    self.input = input.fileHandleForWriting
    set(process)
  }

  /// Hands on what comes, on a thread of its own, the end as no bytes. (A readability handler sometimes never hears of an end
  /// that comes together with the last bytes, and all of them wait while the pool is busy.)
  private static func read(_ handle: FileHandle, _ take: @escaping @Sendable (Data) -> Void) {
    Thread.detachNewThread {
      while true {
        let bytes = handle.availableData
        take(bytes)
        if bytes.isEmpty { return }
      }
    }
  }

  private func receive(_ bytes: Data, of run: Int) {
    condition.lock()
    defer { condition.unlock() }
    // Who prints faster than is read must wait: its output is not ours to keep.
    while run == self.run, received.count - taken > longestLine { condition.wait() }
    guard run == self.run else { return }
    if bytes.isEmpty { isAtEnd = true } else { received += bytes }
    condition.broadcast()
  }

  private func receiveErrors(_ bytes: Data, of run: Int) {
    condition.lock()
    defer { condition.unlock() }
    guard run == self.run else { return }
    if bytes.isEmpty { hasClosedErrors = true } else { errors += bytes.suffix(Self.keptErrors) }
    if errors.count > 2 * Self.keptErrors { errors.removeFirst(errors.count - Self.keptErrors) }
    condition.broadcast()
  }

  private static let keptErrors = 4096

  /// The last lines of what it wrote to its standard error; of a process that has ended, all that it wrote.
  private func errorLines() -> [String] {
    condition.lock()
    defer { condition.unlock() }
    // Where it has ended all is read, however slowly it comes; but where it leaves a process behind, silent or not, that
    // end never comes, and once is enough.
    let latest = Date(timeIntervalSinceNow: leavesErrorsOpen ? 0 : 60)
    while isAtEnd, !hasClosedErrors, !interrupted,
      condition.wait(until: min(latest, Date(timeIntervalSinceNow: 10)))
    {}
    leavesErrorsOpen = isAtEnd && !hasClosedErrors
    let text = String(decoding: errors.suffix(Self.keptErrors), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).suffix(8).map(String.init)
  }

  private enum Line {
    case line([UInt8])
    case tooLong([UInt8])
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
      if isAtEnd || interrupted { return .end }
      if received.count - taken > longestLine { return .tooLong(Array(received[taken...].prefix(400))) }
      if !condition.wait(until: deadline) { return .late }
    }
  }

  private func exitText() -> String {
    // Its output has ended; it itself may go on.
    switch process?.end(before: Date(timeIntervalSinceNow: 1)) {
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
