// A fault as a value: what goes wrong, where in the session, and how often. The kinds have a file each beside this one,
// and the list in `Fault.swift`; the text form is in `FaultSpec+Text.swift`.

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
///
/// After a cut the next answer brings the rest of the exchange. There act only faults that name the exchange (`2/4097` is
/// that place in it, whichever answer brings it) or `every` answer, this one unless the one before brought no event.
public struct FaultSpec: Hashable, Sendable {
  /// What goes wrong.
  public struct Kind: Hashable, Sendable {
    let fault: any Fault

    init(_ fault: some Fault) { self.fault = fault }

    /// Whether both do the same.
    public static func == (a: Self, b: Self) -> Bool { AnyHashable(a.fault) == AnyHashable(b.fault) }
    /// Hashes what is done.
    public func hash(into hasher: inout Hasher) { AnyHashable(fault).hash(into: &hasher) }
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
  public static var kinds: [(syntax: String, summary: String)] {
    Kind.all.map { ($0.syntax, $0.summary) }
  }
}
