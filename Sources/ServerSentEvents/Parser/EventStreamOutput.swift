// What comes out of the parser: as values to keep (Output), or as notices beside borrowed bytes (Visit).

extension EventStreamParser {
  /// One output of the parser, in stream order.
  ///
  /// Equality compares the UTF-8 bytes of texts, as ``ServerSentEvent``'s does.
  public enum Output: Hashable, Sendable {
    /// A block ended and holds data.
    case event(ServerSentEvent)
    /// A comment line: what follows its colon, nothing stripped.
    case comment(String)
    /// A valid `retry` field: the new reconnection time. Values above `Int64.max` become that.
    case retry(milliseconds: Int64)
    /// A block was over a limit and was skipped: its bytes from its first to its blank line's first line end.
    case dropped(bytes: Int)
    /// A limit was passed; nothing more comes until the parser is reset.
    case failed(EventStreamLimitError)
  }

  /// What a visitor is told about the bytes it is lent. `offset` is the number of bytes consumed at that moment:
  /// the first byte of the line end that completed it included, a BOM counted.
  public enum Visit: Hashable, Sendable {
    /// An event: the payload is its data, `hasID` whether its block set the last event ID, `retry` the block's own.
    case event(hasID: Bool, retry: Int64?, offset: Int)
    /// A comment: the payload is what follows the colon.
    case comment(offset: Int)
    /// A new reconnection time.
    case retry(milliseconds: Int64, offset: Int)
    /// A block that was skipped.
    case dropped(bytes: Int, offset: Int)
    /// The end of parsing until a reset; the error holds its offset.
    case failed(EventStreamLimitError)

    /// The number of bytes consumed when this came out.
    public var offset: Int {
      switch self {
      case .event(_, _, let offset), .comment(let offset), .retry(_, let offset), .dropped(_, let offset):
        offset
      case .failed(let error): error.offset
      }
    }
  }
}

extension EventStreamParser.Output {
  /// Compares the bytes of every text.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.event(let a), .event(let b)): a == b
    case (.comment(let a), .comment(let b)): a.hasSameBytes(as: b)
    case (.retry(let a), .retry(let b)): a == b
    case (.dropped(let a), .dropped(let b)): a == b
    case (.failed(let a), .failed(let b)): a == b
    case (.event, _), (.comment, _), (.retry, _), (.dropped, _), (.failed, _): false
    }
  }
}
