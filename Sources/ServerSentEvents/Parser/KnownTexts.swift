// Texts that come again and again in a stream, decoded once for all in a row: most streams have one event name, one
// heartbeat, and an ID that many events share. They only save work and are no state: all are equal.

/// The texts a parser has decoded last.
struct KnownTexts: Equatable, Sendable {
  var id = IDText()
  var name = RepeatedText()
  var comment = RepeatedText()

  static func == (a: KnownTexts, b: KnownTexts) -> Bool { true }

  /// Makes a value of what the parser's visitor was told, and gives it away with the visit's offset and ID. In each case of its
  /// own: a value that may come from several is built in one place and copied to another before its parts have arrived.
  @inline(__always)
  mutating func decode(
    _ visit: EventStreamParser.Visit, _ payload: Span<UInt8>, _ name: Span<UInt8>, _ lastEventID: Span<UInt8>,
    _ body: (
      _ output: consuming EventStreamParser.Output, _ offset: Int, _ lastEventID: Span<UInt8>
    ) -> Void
  ) {
    switch visit {
    case .event(let hasID, let retry, let offset):
      let id = id.decoding(lastEventID, isNew: hasID, at: offset)
      let event = ServerSentEvent(
        nonemptyName: name.isEmpty ? nil : self.name.decoding(name), data: String(decoding: payload),
        ownID: hasID ? .inEffect : .none, idInEffect: id, retry: retry)
      body(.event(event), offset, lastEventID)
    case .comment(let offset): body(.comment(comment.decoding(payload)), offset, lastEventID)
    case .retry(let milliseconds, let offset): body(.retry(milliseconds: milliseconds), offset, lastEventID)
    case .dropped(let bytes, let offset): body(.dropped(bytes: bytes), offset, lastEventID)
    case .failed(let error): body(.failed(error), error.offset, lastEventID)
    }
  }

  /// A text that may be the same as the last time.
  struct RepeatedText: Sendable {
    private var text = ""
    /// The text's bytes, as far as they are compared first.
    private var count = 0
    private var ends = Span<UInt8>.Ends(first: 0, last: 0)

    /// Longer ones are not kept: nobody repeats them, and a parser shall not hold them.
    private static let longest = 64

    /// The text of these bytes.
    @inline(__always)
    mutating func decoding(_ bytes: Span<UInt8>) -> String {
      let ends = bytes.ends
      if bytes.count == count, ends == self.ends,
        count <= Span<UInt8>.Ends.mostBytes || text.hasSameBytes(as: bytes)
      {
        return text
      }
      return decodeAnother(bytes, ends)
    }

    @inline(never)
    private mutating func decodeAnother(_ bytes: Span<UInt8>, _ ends: Span<UInt8>.Ends) -> String {
      guard bytes.count <= Self.longest else { return String(decoding: bytes) }
      text = String(decoding: bytes)
      count = bytes.count
      self.ends = ends
      return text
    }
  }

  /// The last event ID of events that don't set it themselves: where each has one of its own, none comes again.
  struct IDText: Sendable {
    private var text = ""
    /// How many bytes were decoded; negative where the ID in effect is another one.
    private var byteCount = 0
    /// Where in the stream it was last the ID in effect.
    private var offset = 0

    /// The ID of the event at an offset, which is new if the event's own block has set it.
    @inline(__always)
    mutating func decoding(_ id: Span<UInt8>, isNew: Bool, at offset: Int) -> String {
      if isNew {
        byteCount = -1
        return String(decoding: id)
      }
      // A block without data may have set another ID, but none that is longer than what was read since: a long ID is
      // not compared for each of many short events.
      let mayDiffer = id.count != byteCount || (!id.isEmpty && offset - self.offset >= id.count)
      if mayDiffer, !text.hasSameBytes(as: id) { text = String(decoding: id) }
      byteCount = id.count
      self.offset = offset
      return text
    }
  }
}
