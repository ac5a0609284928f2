// What a proof runs: a parser as a value, and what it gives in the form that is compared at the least cost. Any parser's
// outputs are made and compared; ours tells its visitor, and the bytes that it lends are compared where they lie.

import ServerSentEvents

/// A parser under proof.
protocol ProofSubject: Equatable {
  /// What a record of its outputs is made of.
  associatedtype Element
  /// Takes a chunk, and adds what came out to the record.
  mutating func append(_ chunk: Span<UInt8>, to record: inout [Element])
  /// Takes a chunk, and says whether just this part of the record came out.
  mutating func append(_ chunk: Span<UInt8>, gives record: [Element], _ part: Range<Int>) -> Bool
}

/// A parser whose outputs are compared as they are.
struct OutputSubject<Parser: EventStreamParsing & Equatable>: ProofSubject {
  var parser: Parser

  mutating func append(_ chunk: Span<UInt8>, to record: inout [Parser.Output]) {
    record += parser.append(chunk.indices.map { chunk[$0] })
  }

  mutating func append(_ chunk: Span<UInt8>, gives record: [Parser.Output], _ part: Range<Int>) -> Bool {
    parser.append(chunk, gives: record[part])
  }
}

extension OutputSubject: Sendable where Parser: Sendable {}

/// Our parser, whose outputs are kept as one run of bytes: for each five words (what it is, its number, the offset at
/// which it came, the lengths) and then payload, name and last event ID as they came off the wire.
struct TranscriptSubject: ProofSubject, Sendable {
  var parser: EventStreamParser

  private static let headLength = 40

  mutating func append(_ chunk: Span<UInt8>, to record: inout [UInt8]) {
    parser.visit(chunk) { visit, payload, name, lastEventID in
      for word in Head(visit, payload.count, name.count, lastEventID.count).words {
        for shift in stride(from: 0, to: 64, by: 8) {
          record.append(UInt8(truncatingIfNeeded: word >> shift))
        }
      }
      for index in payload.indices { record.append(payload[index]) }
      for index in name.indices { record.append(name[index]) }
      for index in lastEventID.indices { record.append(lastEventID[index]) }
    }
  }

  mutating func append(_ chunk: Span<UInt8>, gives record: [UInt8], _ part: Range<Int>) -> Bool {
    var start = part.lowerBound
    let transcript = record.span
    parser.visit(chunk) { visit, payload, name, lastEventID in
      let head = Head(visit, payload.count, name.count, lastEventID.count)
      let payloadStart = start &+ Self.headLength
      let nameStart = payloadStart &+ payload.count
      let idStart = nameStart &+ name.count
      let end = idStart &+ lastEventID.count
      // Once something differs it stays so.
      guard start >= 0, end <= part.upperBound else { return start = -1 }
      guard head.stands(at: start, in: transcript),
        payload.hasSameBytes(as: transcript.extracting(payloadStart..<nameStart)),
        name.hasSameBytes(as: transcript.extracting(nameStart..<idStart)),
        lastEventID.hasSameBytes(as: transcript.extracting(idStart..<end))
      else { return start = -1 }
      start = end
    }
    return start == part.upperBound
  }

  /// What stands before the bytes of an output.
  private struct Head {
    /// What it is.
    let what: UInt64
    /// The number that belongs to it.
    let number: UInt64
    let offset: UInt64
    let payload: UInt64
    /// Bodies of 4 GiB are never proved, so two lengths fit a word.
    let nameAndID: UInt64

    var words: [UInt64] { [what, number, offset, payload, nameAndID] }

    init(_ visit: EventStreamParser.Visit, _ payload: Int, _ name: Int, _ id: Int) {
      let (what, number): (UInt64, Int64) =
        switch visit {
        case .event(let hasID, let retry, _): ((hasID ? 0x100 : 0) | (retry == nil ? 0 : 0x200), retry ?? 0)
        case .comment: (1, 0)
        case .retry(let milliseconds, _): (2, milliseconds)
        case .dropped(let bytes, _): (3, Int64(bytes))
        case .failed(let error): (error.code == .lineTooLong ? 4 : 5, Int64(error.limit))
        }
      self.what = what
      self.number = UInt64(bitPattern: number)
      offset = UInt64(visit.offset)
      self.payload = UInt64(payload)
      nameAndID = UInt64(name) << 32 | UInt64(id)
    }

    func stands(at start: Int, in transcript: Span<UInt8>) -> Bool {
      transcript.word(at: start) == what && transcript.word(at: start &+ 8) == number
        && transcript.word(at: start &+ 16) == offset && transcript.word(at: start &+ 24) == payload
        && transcript.word(at: start &+ 32) == nameAndID
    }
  }
}
