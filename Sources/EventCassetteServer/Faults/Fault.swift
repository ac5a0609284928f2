// What a kind of fault is. Each has a file of its own here, and all stand in one list; what their effects come to in an
// answer is `AnswerScript`'s business.

import ServerSentEvents

/// A way to go wrong on purpose: how it is written, and what it does to an answer.
protocol Fault: Hashable, Sendable {
  /// How it is written, such as `stall@PLACE:SECONDS`.
  static var syntax: String { get }
  /// What it does, in a few words, for help texts.
  static var summary: String { get }
  /// What the offset of its place counts.
  static var extent: FaultExtent { get }

  /// Reads the values behind the place.
  init(_ values: inout FaultValues) throws(FaultSpecError)
  /// The values as ``init(_:)`` reads them; empty where there are none.
  var values: String { get }

  /// What it does to the answer with an exchange; nothing where the place doesn't hold what it needs.
  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect]
}

/// What the offset of a fault's place counts.
enum FaultExtent {
  /// Bytes of the body.
  case body
  /// Bytes of the head.
  case head
  /// Nothing: it concerns the head as a whole, and the offset is 0.
  case wholeHead
}

/// The changes that faults are made of.
enum FaultEffect {
  /// This head without a body is the answer, and the exchange stays for the next request.
  case answer(PreparedExchange.Head)
  /// The head has this field instead of its own.
  case setHeader(HeaderField)
  /// The head is sent in two pieces, with a pause between.
  case splitHead(at: Int, pause: Duration)
  /// Something happens after so many bytes of the body.
  case body(at: Int, [BodyEffect])

  enum BodyEffect {
    /// Nothing is sent for so long.
    case pause(Duration)
    /// Bytes are put in.
    case insert([UInt8])
    /// Bytes are put in without framing.
    case insertRaw([UInt8])
    /// All that follows comes in pieces of so many bytes, a pause before each.
    case drip(bytes: Int, every: Duration)
    /// The connection is closed here.
    case cut
    /// The connection is reset here.
    case reset
  }
}

extension FaultSpec.Kind {
  /// Every kind of fault, in the order of help texts.
  static let all: [any Fault.Type] = [
    ResetFault.self, TruncateFault.self, StallFault.self, DripFault.self, GarbageFault.self,
    BadChunkFault.self, ContentTypeFault.self, StatusFault.self, DuplicateEventFault.self,
    SplitHeadFault.self,
  ]
}

extension Fault {
  static var extent: FaultExtent { .body }
  static var name: String { String(syntax.prefix { $0 != "@" }) }

  var values: String { "" }
}
