// The event-stream parser: its state, and the calls around it. The algorithm itself is in
// EventStreamParser+Lines.swift, the byte scan in LineEndScanner.swift.
//
// The rule behind the layout: after any bytes the state is a function of those bytes alone, never of how they were
// cut into chunks. Everything below is compared by `==`, so that this can be proved for a given stream.

/// An incremental parser of event streams (HTML Living Standard, section 9.2.6).
///
/// Feed it chunks as they arrive, cut anywhere; outputs come back in stream order. It never throws: malformed input
/// means what the standard says it means, and a stream that passes the ``Limits`` is reported as an output.
///
/// ```swift
/// var parser = EventStreamParser()
/// for output in parser.append(chunk) {
///   if case .event(let event) = output { handle(event) }
/// }
/// ```
public struct EventStreamParser: Equatable, Sendable {
  /// The limits that bound what the parser holds.
  public let limits: Limits

  // MARK: What outlives a stream

  var committedID: [UInt8]
  var texts = KnownTexts()
  /// The reconnection time in milliseconds, or `nil` while no valid `retry` was seen.
  public internal(set) var retry: Int64?

  // MARK: Where the stream stands

  /// How many bytes of the current stream were consumed. It stops counting at a failure.
  public internal(set) var bytesConsumed = 0
  /// The limit that ended parsing, or `nil`. It stays until ``reset()``.
  public internal(set) var failure: EventStreamLimitError?
  /// Bytes of a BOM matched at the very start of the stream; `nil` once it is known whether there is one.
  var byteOrderMarkMatched: Int? = 0
  /// The last byte was a CR, which ended its line at once: an LF right after it belongs to it.
  var endedWithCR = false
  var block = Block()
  var line = Line()

  /// What the lines of the unfinished block have said so far.
  struct Block: Equatable, Sendable {
    /// Offset of the block's first byte.
    var start = 0
    var hasData = false
    var data: [UInt8] = []
    var name: [UInt8] = []
    var hasID = false
    var id: [UInt8] = []
    var retry: Int64?
    /// A limit was passed and the policy is to skip: lines count for nothing until the blank one.
    var isSkipped = false
  }

  /// The unfinished line that earlier chunks have begun. Values go straight to where they belong, so that no byte
  /// is copied twice however a long line is cut.
  struct Line: Equatable, Sendable {
    enum Phase: Equatable, Sendable {
      /// Nothing of the line has come yet.
      case start
      /// The bytes so far may still become a known field's name.
      case name
      /// The colon was the last byte: one space may follow.
      case colon(EventStreamField)
      case value(EventStreamField)
      /// An unknown field: nothing of it is held.
      case ignored
    }

    var phase = Phase.start
    /// Bytes of the line so far.
    var length = 0
    var name = FieldName()
    /// An id or a comment that isn't complete yet.
    var held: [UInt8] = []
    var retry = RetryDigits()
  }

  /// Creates a parser at the start of a stream.
  ///
  /// - Parameters:
  ///   - limits: What bounds its memory.
  ///   - lastEventID: The last event ID to begin with, such as one kept from an earlier connection.
  ///   - retry: The reconnection time to begin with, in milliseconds.
  public init(limits: Limits = .default, lastEventID: String = "", retry: Int64? = nil) {
    self.limits = limits
    self.committedID = Array(lastEventID.utf8)
    self.retry = retry
  }

  /// The last event ID string: what the last finished block left in effect, and what a reconnection would send.
  public var lastEventID: String { String(decoding: committedID, as: UTF8.self) }

  /// How many bytes the parser holds, the last event ID left out.
  public var bufferedBytes: Int {
    block.data.count + block.name.count + block.id.count + line.held.count + line.name.count
  }

  // MARK: Feeding

  typealias Visitor = (Visit, Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Void

  /// Feeds a chunk and returns what it completed, in order.
  public mutating func append(_ chunk: Span<UInt8>) -> [Output] {
    var outputs: [Output] = []
    parse(chunk) { output, _ in outputs.append(output) }
    return outputs
  }

  /// Feeds a chunk and returns what it completed, in order.
  public mutating func append(_ chunk: some Collection<UInt8>) -> [Output] {
    chunk.withBytes { append($0) }
  }

  /// Feeds a line without its line end, which is added as LF. For fixtures that are written line by line.
  public mutating func append(line: String) -> [Output] {
    append(Array(line.utf8) + [0x0A])
  }

  /// Feeds a chunk and hands out what it completed, each with the number of bytes consumed at that moment.
  public mutating func append(_ chunk: Span<UInt8>, _ body: (_ output: Output, _ offset: Int) -> Void) {
    var texts = texts
    visit(chunk) { visit, payload, name, lastEventID in
      texts.decode(visit, payload, name, lastEventID) { output, offset, _ in body(output, offset) }
    }
    self.texts = texts
  }

  /// Feeds a chunk and gives what it completed away, each with the last event ID in effect then. Whoever keeps an output
  /// moves it on and counts no references, if it takes it apart with `consume`.
  ///
  /// - Parameter eventsAlone: comments and reconnection times are left out.
  mutating func parse(
    _ chunk: Span<UInt8>, eventsAlone: Bool = false,
    _ body: (_ output: consuming Output, _ lastEventID: Span<UInt8>) -> Void
  ) {
    var texts = texts
    visit(chunk) { visit, payload, name, lastEventID in
      if eventsAlone {
        switch visit {
        case .comment, .retry: return
        case .event, .dropped, .failed: break
        }
      }
      texts.decode(visit, payload, name, lastEventID) { output, _, lastEventID in body(output, lastEventID) }
    }
    self.texts = texts
  }

  /// Feeds a chunk and hands out what it completed, each with the number of bytes consumed at that moment.
  public mutating func append(
    _ chunk: some Collection<UInt8>, _ body: (_ output: Output, _ offset: Int) -> Void
  ) {
    chunk.withBytes { append($0, body) }
  }

  // MARK: Ending

  /// Ends the stream: the unfinished block is discarded, as the standard says, while the last event ID and the
  /// reconnection time stay for the next stream, which may begin at once. A failure stays.
  ///
  /// - Returns: How many bytes the unfinished block had; 0 where the stream ended after a blank line.
  @discardableResult
  public mutating func finish() -> Int {
    let unfinished = bytesConsumed - block.start
    let failed = failure
    self = EventStreamParser(limits: limits, committedID: committedID, retry: retry)
    failure = failed
    return unfinished
  }

  /// Makes the parser as it was created without a last event ID and a reconnection time.
  public mutating func reset() {
    self = EventStreamParser(limits: limits)
  }

  private init(limits: Limits, committedID: [UInt8], retry: Int64?) {
    self.limits = limits
    self.committedID = committedID
    self.retry = retry
  }

  /// The events of a whole stream. Like a client at its end, this discards an unfinished last block.
  public static func events(in stream: some Collection<UInt8>, limits: Limits = .default) -> [ServerSentEvent]
  {
    var parser = EventStreamParser(limits: limits)
    var events: [ServerSentEvent] = []
    parser.append(stream) { output, _ in
      if case .event(let event) = output { events.append(event) }
    }
    return events
  }
}
