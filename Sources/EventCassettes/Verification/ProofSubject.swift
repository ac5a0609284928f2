// What is run from state to state: a parser as a value, and what it gives in the form that is compared at the least cost.
// Any parser's outputs are made and compared; ours tells its visitor, and the bytes that it lends are compared where
// they lie.

import ServerSentEvents

/// A parser that is run from its states. They are lent everywhere: to copy one, with all that it refers to, costs as much as
/// to run a short piece.
protocol ProofSubject {
  /// What it gave.
  associatedtype Record: ProofRecord
  /// Becomes equal to another; at less cost than by assignment, where there is a way.
  mutating func become(_ other: borrowing Self)
  /// Whether both go on equally.
  borrowing func isEqual(to other: borrowing Self) -> Bool
  /// Takes a chunk, and adds what came out to the record.
  mutating func append(_ chunk: Span<UInt8>, to record: inout Record)
  /// Takes a chunk, and says whether just this part of the record came out.
  mutating func append(_ chunk: Span<UInt8>, gives record: borrowing Record, _ part: Range<Int>) -> Bool
}

/// Outputs in order.
protocol ProofRecord {
  init()
  var count: Int { get }
}

extension Array: ProofRecord {}

/// A parser whose outputs are compared as they are.
struct OutputSubject<Parser: EventStreamParsing & Equatable>: ProofSubject {
  var parser: Parser

  mutating func become(_ other: borrowing Self) { parser = other.parser }

  borrowing func isEqual(to other: borrowing Self) -> Bool { parser == other.parser }

  mutating func append(_ chunk: Span<UInt8>, to record: inout [Parser.Output]) {
    record += parser.append(chunk.indices.map { chunk[$0] })
  }

  mutating func append(
    _ chunk: Span<UInt8>, gives record: borrowing [Parser.Output], _ part: Range<Int>
  ) -> Bool {
    parser.append(chunk, gives: record[part])
  }
}

extension OutputSubject: Sendable where Parser: Sendable {}

/// Our parser, whose outputs are kept as it lends them.
struct TranscriptSubject: ProofSubject, Sendable {
  var parser: EventStreamParser

  mutating func become(_ other: borrowing Self) { parser.assign(other.parser) }

  borrowing func isEqual(to other: borrowing Self) -> Bool { parser == other.parser }

  mutating func append(_ chunk: Span<UInt8>, to record: inout Transcript) {
    parser.visit(chunk) { visit, payload, name, lastEventID in
      record.append(visit, payload, name, lastEventID)
    }
  }

  mutating func append(
    _ chunk: Span<UInt8>, gives record: borrowing Transcript, _ part: Range<Int>
  ) -> Bool {
    var next = part.lowerBound
    let entries = record.entries.span
    let bytes = record.bytes.span
    parser.visit(chunk) { visit, payload, name, lastEventID in
      // Once something differs it stays so.
      guard next >= 0, next < part.upperBound else { return next = -1 }
      let isSame = entries[next].stands(for: visit, payload, name, lastEventID, in: bytes)
      next = isSame ? next &+ 1 : -1
    }
    return next == part.upperBound
  }
}

/// What our parser's visitor was told, and the bytes that it was lent.
struct Transcript: ProofRecord, Sendable {
  fileprivate private(set) var entries: [Entry] = []
  fileprivate private(set) var bytes: [UInt8] = []

  var count: Int { entries.count }

  mutating func append(
    _ visit: EventStreamParser.Visit, _ payload: Span<UInt8>, _ name: Span<UInt8>, _ id: Span<UInt8>
  ) {
    entries.append(
      Entry(head: Head(visit), start: bytes.count, payload: payload.count, name: name.count, id: id.count))
    for index in payload.indices { bytes.append(payload[index]) }
    for index in name.indices { bytes.append(name[index]) }
    for index in id.indices { bytes.append(id[index]) }
  }

  /// One output.
  fileprivate struct Entry {
    let head: Head
    /// Where its bytes begin: payload, name and last event ID as they came off the wire.
    let start: Int
    let payload: Int
    let name: Int
    let id: Int

    func stands(
      for visit: EventStreamParser.Visit, _ payload: Span<UInt8>, _ name: Span<UInt8>, _ id: Span<UInt8>,
      in bytes: Span<UInt8>
    ) -> Bool {
      guard head == Head(visit), payload.count == self.payload, name.count == self.name, id.count == self.id
      else { return false }
      let nameStart = start &+ self.payload
      let idStart = nameStart &+ self.name
      return isSame(payload, bytes, start) && isSame(name, bytes, nameStart) && isSame(id, bytes, idStart)
    }

    @inline(__always)
    private func isSame(_ part: Span<UInt8>, _ bytes: Span<UInt8>, _ offset: Int) -> Bool {
      part.isEmpty || part.hasSameBytes(as: bytes.extracting(offset..<offset &+ part.count))
    }
  }

  /// What is said of an output beside its bytes.
  fileprivate struct Head: Equatable {
    /// What it is.
    let what: Int
    /// The number that belongs to it.
    let number: Int64
    let offset: Int

    init(_ visit: EventStreamParser.Visit) {
      switch visit {
      case .event(let hasID, let retry, let offset):
        (what, number, self.offset) = ((hasID ? 0x100 : 0) | (retry == nil ? 0 : 0x200), retry ?? 0, offset)
      case .comment(let offset): (what, number, self.offset) = (1, 0, offset)
      case .retry(let milliseconds, let offset): (what, number, self.offset) = (2, milliseconds, offset)
      case .dropped(let bytes, let offset): (what, number, self.offset) = (3, Int64(bytes), offset)
      case .failed(let error):
        (what, number, offset) = (error.code == .lineTooLong ? 4 : 5, Int64(error.limit), error.offset)
      }
    }
  }
}
