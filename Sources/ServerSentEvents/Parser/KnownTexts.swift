// Texts that come again and again in a stream, decoded once for all in a row: most streams have one event name, one
// heartbeat, and an ID that many events share. They only save work and are no state: all are equal.

/// The texts a parser has decoded last.
struct KnownTexts: Equatable, Sendable {
  var id = IDText()
  var name = RepeatedText()
  var comment = RepeatedText()

  static func == (a: KnownTexts, b: KnownTexts) -> Bool { true }

  /// What the parser's visitor was told, as a value.
  @inline(__always)
  mutating func output(
    of visit: EventStreamParser.Visit, _ payload: Span<UInt8>, _ name: Span<UInt8>, _ lastEventID: Span<UInt8>
  ) -> EventStreamParser.Output {
    switch visit {
    case .event(let hasID, let retry, let offset):
      id.update(to: lastEventID, isNew: hasID, at: offset)
      return .event(
        ServerSentEvent(
          nonemptyName: name.isEmpty ? nil : self.name.decoding(name), data: String(decoding: payload),
          id: hasID ? id.text : nil, lastEventID: id.text, retry: retry))
    case .comment: return .comment(comment.decoding(payload))
    case .retry(let milliseconds, _): return .retry(milliseconds: milliseconds)
    case .dropped(let bytes, _): return .dropped(bytes: bytes)
    case .failed(let error): return .failed(error)
    }
  }

  /// A text that may be the same as the last time.
  struct RepeatedText: Sendable {
    private var text = ""

    /// Longer ones are not kept: nobody repeats them, and a parser shall not hold them.
    private static let longest = 64

    /// The text of these bytes.
    @inline(__always)
    mutating func decoding(_ bytes: Span<UInt8>) -> String {
      if text.hasSameBytes(as: bytes) { return text }
      guard bytes.count <= Self.longest else { return String(decoding: bytes) }
      text = String(decoding: bytes)
      return text
    }
  }

  /// The last event ID.
  struct IDText: Sendable {
    private(set) var text = ""
    /// How many bytes were decoded.
    private var byteCount = 0
    /// Where in the stream it was last the ID in effect.
    private var offset = 0

    /// Takes the ID of the event at an offset, which is new if the event's own block has set it.
    @inline(__always)
    mutating func update(to id: Span<UInt8>, isNew: Bool, at offset: Int) {
      // A block without data may have set another ID, but none that is longer than what was read since: a long ID is
      // not compared for each of many short events.
      let mayDiffer = id.count != byteCount || offset - self.offset >= id.count
      if isNew || (mayDiffer && !text.hasSameBytes(as: id)) {
        text = String(decoding: id)
        byteCount = id.count
      }
      self.offset = offset
    }
  }
}
