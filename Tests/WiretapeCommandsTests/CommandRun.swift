// Runs a verb inside the test: its own streams, no process, no terminal. What the built tool adds (descriptors,
// signals, exit codes) is tested in EndToEndTests.

import Foundation
import ServerSentEvents
import WiretapeCommands

/// What a run of the tool left behind.
struct CommandRun {
  let code: ExitCode
  let output: String
  let diagnostics: String

  /// The lines of standard output.
  var lines: [String] { output.split(separator: "\n", omittingEmptySubsequences: true).map(String.init) }

  /// The lines of standard output as JSON objects.
  func objects() throws -> [[String: any Sendable]] {
    try lines.map { line in
      guard let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: any Sendable]
      else {
        throw NotAnObject(line: line)
      }
      return object
    }
  }

  struct NotAnObject: Error { let line: String }
}

/// Runs `wiretape WORDS` with these bytes as standard input, one read for each of `pieces`.
func wiretape(
  _ words: String..., input pieces: [[UInt8]] = [], clock: any EventStreamClock = SystemEventStreamClock(),
  signals: AsyncStream<StopSignal> = AsyncStream { _ in }, columns: Int? = nil,
  transport: (any EventStreamTransport)? = nil
) async -> CommandRun {
  await wiretape(
    words, input: pieces, clock: clock, signals: signals, columns: columns, transport: transport)
}

/// Runs `wiretape WORDS` with these bytes as standard input, one read for each of `pieces`.
func wiretape(
  _ words: [String], input pieces: [[UInt8]] = [], clock: any EventStreamClock = SystemEventStreamClock(),
  signals: AsyncStream<StopSignal> = AsyncStream { _ in }, columns: Int? = nil,
  transport: (any EventStreamTransport)? = nil
) async -> CommandRun {
  let output = Collected()
  let diagnostics = Collected()
  let input = Pieces(pieces)
  var context = CommandContext(
    output: CommandOutput(columns: columns) { output.append($0) },
    diagnostics: CommandOutput(columns: columns) { diagnostics.append($0) },
    input: ByteReader { input.next(upTo: $0) }, clock: clock, wallClock: { 1_700_000_000 },
    signals: { signals }, transport: { transport ?? systemTransport() })
  context.subjectTimeout = .forTests
  let code = await Wiretape.run(words, in: context)
  return CommandRun(code: code, output: output.text, diagnostics: diagnostics.text)
}

extension CommandContext {
  /// Nothing to read, nowhere to write, real time and a real network.
  static var forTests: CommandContext {
    var context = CommandContext(
      output: CommandOutput { _ in }, diagnostics: CommandOutput { _ in }, input: ByteReader { _ in [] },
      clock: SystemEventStreamClock(), wallClock: { 1_700_000_000 }, signals: { AsyncStream { _ in } },
      transport: systemTransport)
    context.subjectTimeout = .forTests
    return context
  }
}

extension Duration {
  /// What a good subject never takes, however busy the machine is.
  static let forTests = Duration.seconds(600)
}

/// Bytes written by a verb. `@unchecked`: every access holds the lock.
final class Collected: @unchecked Sendable {
  private let lock = NSLock()
  private var bytes: [UInt8] = []
  private let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  func append(_ more: [UInt8]) {
    lock.withLock { bytes += more }
    changed.yield()
  }

  var text: String { lock.withLock { String(decoding: bytes, as: UTF8.self) } }

  /// Waits until the text holds this. One waiter at a time.
  func wait(for part: String) async {
    if text.contains(part) { return }
    for await _ in changes where text.contains(part) { return }
  }
}

/// Standard input in given pieces. `@unchecked`: every access holds the lock.
private final class Pieces: @unchecked Sendable {
  private let lock = NSLock()
  private var pieces: [[UInt8]]

  init(_ pieces: [[UInt8]]) { self.pieces = pieces.filter { !$0.isEmpty } }

  func next(upTo count: Int) -> [UInt8] {
    lock.withLock {
      guard let first = pieces.first else { return [] }
      let taken = Array(first.prefix(count))
      if taken.count == first.count {
        pieces.removeFirst()
      } else {
        pieces[0] = Array(first.dropFirst(count))
      }
      return taken
    }
  }
}

/// The repository's root.
let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()
