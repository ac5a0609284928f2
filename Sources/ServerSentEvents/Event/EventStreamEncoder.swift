// Events back into bytes: the inverse of the parser, for servers, fixtures and tests. It works on UTF-8 bytes
// throughout, because a combining mark at the beginning of a value would merge with the colon as a Character.

/// Writes events as an event stream (`text/event-stream`).
///
/// Each call gives one whole block with its blank line, so blocks can be sent as they are or joined in any order.
/// Nothing that a value holds can begin a field of its own: a line end in a name or an ID is refused, one in data or
/// a comment begins another line of the same field.
///
/// Reading back what was written gives the same events, with one exception that the format imposes: `data` cannot
/// carry CR. CR LF and CR within data are line ends like LF and come back as LF.
///
/// See the HTML Living Standard, sections 9.2.5 (*Parsing an event stream*) and 9.2.6 (*Interpreting an event stream*).
public struct EventStreamEncoder: Hashable, Sendable {
  /// The three line ends of the format.
  public enum LineEnd: String, Hashable, Sendable, CaseIterable {
    /// LF (U+000A), which nearly every server writes.
    case lf = "\n"
    /// CR LF, as HTTP's own lines end.
    case crlf = "\r\n"
    /// CR (U+000D) alone.
    case cr = "\r"
  }

  /// The bytes of U+FEFF, which a reader drops once, at the beginning of a stream.
  public static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// What ends each line. LF unless said otherwise.
  public var lineEnd: LineEnd
  /// Whether ``encode(contentsOf:)`` begins with a byte order mark.
  public var writesByteOrderMark: Bool

  /// Creates an encoder.
  public init(lineEnd: LineEnd = .lf, writesByteOrderMark: Bool = false) {
    self.lineEnd = lineEnd
    self.writesByteOrderMark = writesByteOrderMark
  }

  /// One event as a block: its `event`, `id` and `retry` fields where it has them, its `data` lines, a blank line.
  ///
  /// An empty name is left out (the format can't tell it from none). ``ServerSentEvent/lastEventID`` is not written:
  /// it follows from the IDs sent so far. For events whose ID came earlier see ``encode(contentsOf:)``.
  public func encode(_ event: ServerSentEvent) throws(EventStreamEncodingError) -> [UInt8] {
    var block: [UInt8] = []
    block.reserveCapacity(event.data.utf8.count + 32)
    if let name = event.name, !name.isEmpty {
      try Self.refuseLineEnds(in: name, .lineEndInName)
      append("event", name.utf8, to: &block)
    }
    if let id = event.id { try append(id: id, to: &block) }
    if let retry = event.retry { try append(retry: retry, to: &block) }
    for line in Self.lines(of: event.data) { append("data", line, to: &block) }
    endLine(&block)
    return block
  }

  /// A whole stream: a byte order mark if asked for, then every event in order.
  ///
  /// Where an event has no ID of its own and its ``ServerSentEvent/lastEventID`` isn't the one in effect, a block with
  /// nothing but that ID comes first (readers take the ID and dispatch nothing). A reader that starts with an
  /// empty last event ID so gets equal events.
  public func encode(
    contentsOf events: some Sequence<ServerSentEvent>
  ) throws(EventStreamEncodingError) -> [UInt8] {
    var stream = writesByteOrderMark ? Self.byteOrderMark : []
    var inEffect = ""
    for event in events {
      if let id = event.id {
        inEffect = id
      } else if !event.lastEventID.utf8.elementsEqual(inEffect.utf8) {
        try append(id: event.lastEventID, to: &stream)
        endLine(&stream)
        inEffect = event.lastEventID
      }
      stream += try encode(event)
    }
    return stream
  }

  /// A comment as a block of its own, as servers send to keep a connection open. Nothing is put between the colon
  /// and the text: begin it with a space if there should be one. Each line of the text is a comment line.
  public func encode(comment: String) -> [UInt8] {
    var block: [UInt8] = []
    for line in Self.lines(of: comment) {
      block.append(0x3A)
      block += line
      endLine(&block)
    }
    endLine(&block)
    return block
  }

  /// A block with nothing but the reconnection time, in milliseconds: no event is dispatched for it.
  public func encode(retry: Int64) throws(EventStreamEncodingError) -> [UInt8] {
    var block: [UInt8] = []
    try append(retry: retry, to: &block)
    endLine(&block)
    return block
  }

  private func append(id: String, to block: inout [UInt8]) throws(EventStreamEncodingError) {
    try Self.refuseLineEnds(in: id, .lineEndInID)
    for (offset, byte) in id.utf8.enumerated() where byte == 0 {
      throw EventStreamEncodingError(.nulInID, offset: offset)
    }
    append("id", id.utf8, to: &block)
  }

  private func append(retry: Int64, to block: inout [UInt8]) throws(EventStreamEncodingError) {
    guard retry >= 0 else { throw EventStreamEncodingError(.negativeRetry) }
    append("retry", String(retry).utf8, to: &block)
  }

  /// The space after the colon is always written before a value: a reader strips exactly one, so a value that itself
  /// begins with a space survives.
  private func append(_ field: String, _ value: some Collection<UInt8>, to block: inout [UInt8]) {
    block += field.utf8
    block.append(0x3A)
    if !value.isEmpty {
      block.append(0x20)
      block += value
    }
    endLine(&block)
  }

  private func endLine(_ block: inout [UInt8]) {
    switch lineEnd {
    case .lf: block.append(0x0A)
    case .cr: block.append(0x0D)
    case .crlf: block += [0x0D, 0x0A]
    }
  }

  private static func refuseLineEnds(
    in value: String, _ code: EventStreamEncodingError.Code
  ) throws(EventStreamEncodingError) {
    for (offset, byte) in value.utf8.enumerated() where byte == 0x0A || byte == 0x0D {
      throw EventStreamEncodingError(code, offset: offset)
    }
  }

  /// Splits at LF, CR LF and CR. There is always at least one line: `""` is one empty line.
  private static func lines(of text: String) -> [Substring.UTF8View] {
    let bytes = text.utf8
    var lines: [Substring.UTF8View] = []
    var start = bytes.startIndex
    var index = start
    while index != bytes.endIndex {
      let byte = bytes[index]
      let next = bytes.index(after: index)
      guard byte == 0x0A || byte == 0x0D else { index = next; continue }
      lines.append(Substring(text).utf8[start..<index])
      index = next
      if byte == 0x0D, index != bytes.endIndex, bytes[index] == 0x0A { index = bytes.index(after: index) }
      start = index
    }
    lines.append(Substring(text).utf8[start..<bytes.endIndex])
    return lines
  }
}
