// A parser made equal to another in the storage that it has. What runs millions of short chunks from the same states,
// as a proof does, would otherwise allocate for each and count references for all that is shared.

extension EventStreamParser {
  /// Becomes equal to a parser with the same limits, as by assignment.
  package mutating func assign(_ other: borrowing EventStreamParser) {
    committedID.assign(other.committedID)
    texts = KnownTexts()  // is no state
    retry = other.retry
    bytesConsumed = other.bytesConsumed
    failure = other.failure
    byteOrderMarkMatched = other.byteOrderMarkMatched
    endedWithCR = other.endedWithCR
    block.assign(other.block)
    line.assign(other.line)
  }
}

extension EventStreamParser.Block {
  fileprivate mutating func assign(_ other: borrowing Self) {
    start = other.start
    hasData = other.hasData
    data.assign(other.data)
    name.assign(other.name)
    hasID = other.hasID
    id.assign(other.id)
    retry = other.retry
    isSkipped = other.isSkipped
  }
}

extension EventStreamParser.Line {
  fileprivate mutating func assign(_ other: borrowing Self) {
    phase = other.phase
    length = other.length
    name = other.name
    held.assign(other.held)
    retry = other.retry
  }
}

// As derived, but for bytes that are compared many at a time: nearly all that there is to do.

extension EventStreamParser.Block {
  static func == (a: Self, b: Self) -> Bool {
    a.start == b.start && a.hasData == b.hasData && a.hasID == b.hasID && a.retry == b.retry
      && a.isSkipped == b.isSkipped && a.data.hasSameBytes(as: b.data) && a.name.hasSameBytes(as: b.name)
      && a.id.hasSameBytes(as: b.id)
  }
}

extension EventStreamParser.Line {
  static func == (a: Self, b: Self) -> Bool {
    a.phase == b.phase && a.length == b.length && a.name == b.name && a.retry == b.retry
      && a.held.hasSameBytes(as: b.held)
  }
}

extension Array<UInt8> {
  @inline(__always)
  fileprivate borrowing func hasSameBytes(as other: borrowing Self) -> Bool {
    span.hasSameBytes(as: other.span)
  }

  @inline(__always)
  fileprivate mutating func assign(_ other: borrowing Self) {
    if !isEmpty { removeAll(keepingCapacity: true) }
    if !other.isEmpty { append(copying: other.span) }
  }
}
