// The standard's text as directly as it can be written, over a whole stream at once: decode, cut into lines, go
// through them. Slow and obvious is its purpose; it shares nothing with the parser but the type of the events.
// The limits, which the standard doesn't have, are judged apart, in ReferenceLimits.swift.

public import ServerSentEvents

/// Interprets a whole event stream step by step as the HTML Living Standard, section 9.2.6, says.
public struct ReferenceParser: Sendable {
  /// What one line of the stream led to.
  public struct Item: Hashable, Sendable {
    /// What came out.
    public var output: EventStreamParser.Output
    /// Bytes consumed at that moment: a byte order mark counts, of a CR LF only the CR.
    public var offset: Int
  }

  /// Everything that came out, in order.
  public private(set) var items: [Item] = []
  /// The last event ID string after the stream.
  public private(set) var lastEventID: String
  /// The reconnection time after the stream, if a `retry` field set one. What overflows is `Int64.max`.
  public private(set) var retry: Int64?
  /// The limit that ended the parsing.
  public private(set) var failure: EventStreamLimitError?
  /// How many bytes belong to an unfinished block, which is discarded. Meaningless after a failure.
  public private(set) var unfinishedBytes = 0

  /// The events alone.
  public var events: [ServerSentEvent] {
    items.compactMap { if case .event(let event) = $0.output { event } else { nil } }
  }

  // The buffers of the standard.
  private var dataBuffer: [Unicode.Scalar] = []
  private var eventTypeBuffer: [Unicode.Scalar] = []
  private var lastEventIDBuffer: [Unicode.Scalar]
  // What only tools ask for: the block's own fields, where it began, how large it is, whether it is being skipped.
  private var blockID: [Unicode.Scalar]?
  private var blockRetry: Int64?
  private var blockStart = 0
  private var size = ReferenceBlockSize()
  private var isSkipping = false

  /// Interprets a stream from its first byte to its end, without limits unless some are given.
  public init(_ stream: [UInt8], limits: EventStreamParser.Limits? = nil, lastEventID: String = "") {
    self.lastEventID = lastEventID
    lastEventIDBuffer = Array(lastEventID.unicodeScalars)
    if stream.count < 3, EventStreamEncoder.byteOrderMark.starts(with: stream) {
      // It may still become a byte order mark: no line has begun.
      unfinishedBytes = stream.count
      return
    }
    var scalars = ReferenceDecoder.decode(stream)
    if scalars.first?.scalar == "\u{FEFF}" { blockStart = scalars.removeFirst().end }
    for line in ReferenceLine.lines(of: scalars, from: blockStart) {
      if let limits, !isSkipping, let error = size.firstExcess(of: line, limits) {
        forgetBlock()
        lastEventIDBuffer = Array(self.lastEventID.unicodeScalars)
        switch limits.policy {
        case .fail:
          failure = error
          items.append(Item(output: .failed(error), offset: error.offset))
          return
        case .skipEvent:
          isSkipping = true
        }
      }
      guard let end = line.endsAt else { break }
      process(line, endingAt: end)
    }
    unfinishedBytes = stream.count - blockStart
  }

  private mutating func process(_ line: ReferenceLine, endingAt offset: Int) {
    let scalars = line.scalars
    if scalars.isEmpty {
      if isSkipping {
        items.append(Item(output: .dropped(bytes: offset - blockStart), offset: offset))
        isSkipping = false
      } else {
        dispatch(at: offset)
      }
      blockStart = line.nextAt
    } else if isSkipping {
      return
    } else if scalars.first == ":" {
      items.append(Item(output: .comment(Self.text(scalars.dropFirst())), offset: offset))
    } else if let colon = scalars.firstIndex(of: ":") {
      var value = Array(scalars[(colon + 1)...])
      if value.first == " " { value.removeFirst() }
      process(field: Array(scalars[..<colon]), value: value, at: offset)
    } else {
      process(field: scalars, value: [], at: offset)
    }
    if !isSkipping { size.add(line) }
  }

  private mutating func process(field: [Unicode.Scalar], value: [Unicode.Scalar], at offset: Int) {
    if field == ["e", "v", "e", "n", "t"] {
      eventTypeBuffer = value
    } else if field == ["d", "a", "t", "a"] {
      dataBuffer += value
      dataBuffer.append("\n")
    } else if field == ["i", "d"] {
      if !value.contains("\0") {
        lastEventIDBuffer = value
        blockID = value
      }
    } else if field == ["r", "e", "t", "r", "y"] {
      let digits: [Unicode.Scalar] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
      guard !value.isEmpty, value.allSatisfy({ digits.contains($0) }) else { return }
      let significant = value.drop { $0 == "0" }
      let milliseconds = significant.isEmpty ? 0 : Int64(Self.text(significant)) ?? Int64.max
      retry = milliseconds
      blockRetry = milliseconds
      items.append(Item(output: .retry(milliseconds: milliseconds), offset: offset))
    }
  }

  private mutating func dispatch(at offset: Int) {
    lastEventID = Self.text(lastEventIDBuffer)
    if !dataBuffer.isEmpty {
      dataBuffer.removeLast()  // every data line ended with LF
      let event = ServerSentEvent(
        name: eventTypeBuffer.isEmpty ? nil : Self.text(eventTypeBuffer), data: Self.text(dataBuffer),
        id: blockID.map { Self.text($0) }, lastEventID: lastEventID, retry: blockRetry)
      items.append(Item(output: .event(event), offset: offset))
    }
    forgetBlock()
  }

  private mutating func forgetBlock() {
    dataBuffer = []
    eventTypeBuffer = []
    blockID = nil
    blockRetry = nil
    size = ReferenceBlockSize()
  }

  private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }
}
