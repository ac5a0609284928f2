// Everything a verb touches of the outside world, as values: its streams, its clock, signals, the network. The tool
// brings the real ones (`SystemContext.swift`), tests bring their own, and verbs can't tell the difference.

public import ServerSentEvents

/// What a verb runs in.
public struct CommandContext: Sendable {
  /// Results go here.
  public var output: CommandOutput
  /// Progress, warnings and errors go here.
  public var diagnostics: CommandOutput
  /// Standard input.
  public var input: ByteReader
  /// Monotonic time.
  public var clock: any EventStreamClock
  /// Seconds since 1970, for the date on a cassette.
  public var wallClock: @Sendable () -> Int64
  /// SIGINT, SIGTERM, SIGHUP and SIGQUIT as they arrive. From the first call on they no longer end the program by themselves.
  public var signals: @Sendable () -> AsyncStream<StopSignal>
  /// Makes what opens connections.
  public var transport: @Sendable () -> any EventStreamTransport
  /// Real time that a subject has for an answer, unless an option says otherwise.
  public var subjectTimeout = Duration.seconds(10)

  /// Creates a context from its parts.
  public init(
    output: CommandOutput, diagnostics: CommandOutput, input: ByteReader, clock: any EventStreamClock,
    wallClock: @escaping @Sendable () -> Int64, signals: @escaping @Sendable () -> AsyncStream<StopSignal>,
    transport: @escaping @Sendable () -> any EventStreamTransport
  ) {
    self.output = output
    self.diagnostics = diagnostics
    self.input = input
    self.clock = clock
    self.wallClock = wallClock
    self.signals = signals
    self.transport = transport
  }
}

/// A signal that asks the tool to come to an end.
public enum StopSignal: Hashable, Sendable {
  /// SIGINT, Ctrl-C.
  case interrupt
  /// SIGTERM.
  case terminate
  /// SIGHUP: the terminal is gone.
  case hangUp
  /// SIGQUIT, Ctrl-\.
  case quit
}

/// Where bytes come from.
public struct ByteReader: Sendable {
  /// Returns at most so many bytes as soon as there are any, and none at the end. Blocks.
  public var read: @Sendable (_ upTo: Int) throws -> [UInt8]

  /// Creates a reader.
  public init(read: @escaping @Sendable (_ upTo: Int) throws -> [UInt8]) { self.read = read }
}

/// Where text goes.
public struct CommandOutput: Sendable {
  /// Writes all of the bytes at once, unbuffered.
  public var write: @Sendable ([UInt8]) throws -> Void
  /// The terminal's width, or `nil` where this is no terminal.
  public var columns: Int?

  /// Creates an output.
  public init(columns: Int? = nil, write: @escaping @Sendable ([UInt8]) throws -> Void) {
    self.columns = columns
    self.write = write
  }

  /// Writes text and a line end in one go, so that a reader at the other end of a pipe has it now.
  func line(_ text: String) throws { try write(Array(text.utf8) + [0x0A]) }

  /// Writes lines in one go; nothing for none.
  func lines(_ lines: [String]) throws {
    guard !lines.isEmpty else { return }
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line.utf8
      bytes.append(0x0A)
    }
    try write(bytes)
  }
}
