// A fault as a value: what goes wrong, where in the session, and how often. All kinds stand in one list here; their text
// form is in `FaultSpec+Text.swift`, what they do to an answer in `ReplayScript.swift`.

/// Something that a replay server does wrong on purpose, at a place that is the same in every run.
///
/// As text: `KIND@PLACE` and, for kinds that want more, `:` and their values. ``kinds`` lists them all.
///
/// | place | which answer | where in it |
/// | --- | --- | --- |
/// | `4097` | the first of each client session that gets so far | after 4,097 bytes of its body |
/// | `2/0` | the answer with the session's second exchange | before its body |
/// | `every/100` | every answer that gets so far | after 100 bytes of its body |
/// | `random-7` | the first of each session | somewhere in its body, by seed 7 |
public struct FaultSpec: Hashable, Sendable {
  /// What goes wrong.
  public enum Kind: Hashable, Sendable {
    /// `reset@PLACE`: the connection is reset (TCP RST).
    case reset
    /// `truncate@PLACE`: the connection is closed without the end of the body.
    case truncate
    /// `stall@PLACE:SECONDS`: nothing is sent for so long.
    case stall(Duration)
    /// `drip@PLACE:BYTES,every=SECONDS`: the rest of the body comes in pieces of so many bytes, a pause before each.
    case drip(bytes: Int, every: Duration)
    /// `garbage@PLACE:BYTES[,seed=N]`: so many random bytes are put into the body.
    case garbage(bytes: Int, seed: UInt64)
    /// `bad-chunk@PLACE`: the chunked coding breaks: a size line that is no number, then the end of the connection.
    case badChunk
    /// `type@PLACE:TYPE`: the answer has another content type, with its body as it is. The place's offset is 0.
    case contentType(String)
    /// `status@PLACE:CODE[,retry-after=VALUE]`: instead of the answer, this status without a body; the session stays
    /// where it is, so the next request gets the answer. The place's offset is 0.
    case status(Int, retryAfter: String?)
    /// `duplicate@PLACE`: the event block that holds the place is sent a second time right after itself.
    case duplicateEvent
    /// `split-head@PLACE[:SECONDS]`: the response head is sent in two pieces with a pause between; here the place's
    /// offset counts bytes of the head.
    case splitHead(pause: Duration)
  }

  /// Which answer of a client session.
  public enum Answer: Hashable, Sendable {
    /// The first one that the fault's offset lies in.
    case first
    /// Those that the offset lies in, each time.
    case every
    /// The one with this exchange of the cassette, from 1; once.
    case exchange(Int)
  }

  /// Where in the answer.
  public enum Offset: Hashable, Sendable {
    /// After so many bytes.
    case at(Int)
    /// At an offset that the seed chooses.
    case random(seed: UInt64)
  }

  /// What goes wrong.
  public var kind: Kind
  /// In which answer.
  public var answer: Answer
  /// Where in it.
  public var offset: Offset

  /// Creates a fault.
  public init(_ kind: Kind, in answer: Answer = .first, at offset: Offset = .at(0)) {
    self.kind = kind
    self.answer = answer
    self.offset = offset
  }

  /// Every kind of fault: how it is written, and what it does, for help texts.
  public static let kinds: [(syntax: String, summary: String)] = [
    ("reset@PLACE", "resets the connection"),
    ("truncate@PLACE", "closes the connection without the end of the body"),
    ("stall@PLACE:SECONDS", "sends nothing for so long"),
    ("drip@PLACE:BYTES,every=SECONDS", "sends the rest so many bytes at a time"),
    ("garbage@PLACE:BYTES[,seed=N]", "puts random bytes in"),
    ("bad-chunk@PLACE", "breaks the chunked coding"),
    ("type@PLACE:TYPE", "answers with another content type"),
    ("status@PLACE:CODE[,retry-after=VALUE]", "answers with a status first"),
    ("duplicate@PLACE", "sends the event at that place twice"),
    ("split-head@PLACE[:SECONDS]", "sends the response head in two pieces"),
  ]
}

/// A fault that can't be read from its text. Errors are equal when their codes are.
public struct FaultSpecError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// No fault has this name.
    public static let unknownKind = Code(name: "unknownKind")
    /// The place is missing or can't be read.
    public static let invalidPlace = Code(name: "invalidPlace")
    /// A value that the kind needs is missing.
    public static let missingValue = Code(name: "missingValue")
    /// A value can't be read or is out of range.
    public static let invalidValue = Code(name: "invalidValue")
    /// The kind takes no such value.
    public static let unexpectedValue = Code(name: "unexpectedValue")
  }

  /// What kind of mistake it is.
  public let code: Code
  /// What can't be read and how it is written, for people.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// Whether both have the same code.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
