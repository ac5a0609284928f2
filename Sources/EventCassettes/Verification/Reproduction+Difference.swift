// What kind of failure a failing stream shows: how the events first differ from those that should have come. Fine enough
// that one fault is not taken for another, coarse enough that it stays the same while a stream gets smaller.

public import ServerSentEvents

extension Reproduction {
  /// How two lists of events first differ: the kind of a failure, kept while it is made small.
  public enum Difference: Hashable, Sendable {
    /// An event is missing.
    case missing
    /// An event with empty data is missing.
    case missingEmpty
    /// There is an event too many.
    case extra
    /// There is an event with empty data too many.
    case extraEmpty
    /// An event came twice.
    case repeated
    /// An event has another type.
    case type(TextDifference)
    /// An event has other data.
    case data(TextDifference)
    /// An event has another last event ID.
    case lastEventID(TextDifference)

    /// The first difference, `nil` for none.
    public init?(expected: [ServerSentEvent], got: [ServerSentEvent]) {
      let same = zip(expected, got).prefix { $0.isChecked(equalTo: $1) }.count
      guard same < expected.count else {
        guard same < got.count else { return nil }
        self = Self.extra(in: got, at: same)
        return
      }
      let want = expected[same]
      guard same < got.count else {
        self = want.data.isEmpty ? .missingEmpty : .missing
        return
      }
      let have = got[same]
      let looksSame = want.looks(like: have)
      if !looksSame, same + 1 < expected.count, expected[same + 1].looks(like: have) {
        self = want.data.isEmpty ? .missingEmpty : .missing
      } else if !looksSame, same + 1 < got.count, want.looks(like: got[same + 1]) {
        self = Self.extra(in: got, at: same)
      } else if let text = TextDifference(expected: want.type, got: have.type) {
        self = .type(text)
      } else if let text = TextDifference(expected: want.data, got: have.data) {
        self = .data(text)
      } else if let text = TextDifference(expected: want.lastEventID, got: have.lastEventID) {
        self = .lastEventID(text)
      } else {
        return nil
      }
    }

    private static func extra(in got: [ServerSentEvent], at index: Int) -> Difference {
      if index > 0, got[index].looks(like: got[index - 1]) { return .repeated }
      return got[index].data.isEmpty ? .extraEmpty : .extra
    }
  }

  /// How one text differs from another.
  public enum TextDifference: Hashable, Sendable {
    /// It is empty.
    case empty
    /// A byte order mark stands before it.
    case byteOrderMarkKept
    /// Its byte order mark is gone.
    case byteOrderMarkLost
    /// The space after the colon stands before it.
    case spaceKept
    /// A space of its own is gone from its beginning.
    case spaceLost
    /// Only CRs and LFs differ.
    case lineEnds
    /// Characters were replaced by U+FFFD.
    case brokenCharacters
    /// Only its beginning is there.
    case endLost
    /// Only its end is there.
    case beginningLost
    /// More comes after it.
    case moreAfter
    /// More comes before it.
    case moreBefore
    /// It is another one.
    case other

    /// The difference, `nil` for none.
    public init?(expected: String, got: String) {
      let want = Array(expected.utf8)
      let have = Array(got.utf8)
      let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
      func replacements(_ text: String) -> Int { text.unicodeScalars.count { $0 == "\u{FFFD}" } }
      func withoutLineEnds(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { $0 != 0x0A && $0 != 0x0D } }
      if want == have { return nil }
      self =
        if have.isEmpty {
          .empty
        } else if have == mark + want {
          .byteOrderMarkKept
        } else if want == mark + have {
          .byteOrderMarkLost
        } else if have == [0x20] + want {
          .spaceKept
        } else if want == [0x20] + have {
          .spaceLost
        } else if withoutLineEnds(want) == withoutLineEnds(have) {
          .lineEnds
        } else if replacements(got) > replacements(expected) {
          .brokenCharacters
        } else if want.starts(with: have) {
          .endLost
        } else if want.reversed().starts(with: have.reversed()) {
          .beginningLost
        } else if have.starts(with: want) {
          .moreAfter
        } else if have.reversed().starts(with: want.reversed()) {
          .moreBefore
        } else {
          .other
        }
    }
  }
}

extension Reproduction.Difference: CustomStringConvertible {
  /// The difference in a few words, such as “data: its end is lost”.
  public var description: String {
    switch self {
    case .missing: "an event is missing"
    case .missingEmpty: "an event with empty data is missing"
    case .extra: "there is an event too many"
    case .extraEmpty: "there is an event with empty data too many"
    case .repeated: "an event comes twice"
    case .type(let text): "type: \(text)"
    case .data(let text): "data: \(text)"
    case .lastEventID(let text): "last event ID: \(text)"
    }
  }
}

extension Reproduction.TextDifference: CustomStringConvertible {
  /// The difference in a few words.
  public var description: String {
    switch self {
    case .empty: "it is empty"
    case .byteOrderMarkKept: "a byte order mark is kept"
    case .byteOrderMarkLost: "its byte order mark is lost"
    case .spaceKept: "the space after the colon is kept"
    case .spaceLost: "its first space is lost"
    case .lineEnds: "its line ends differ"
    case .brokenCharacters: "characters are broken"
    case .endLost: "its end is lost"
    case .beginningLost: "its beginning is lost"
    case .moreAfter: "there is more after it"
    case .moreBefore: "there is more before it"
    case .other: "it is another one"
    }
  }
}

extension ServerSentEvent {
  /// Whether type and data are the same bytes.
  fileprivate func looks(like other: ServerSentEvent) -> Bool {
    type.utf8.elementsEqual(other.type.utf8) && data.utf8.elementsEqual(other.data.utf8)
  }

  /// Whether all that is compared is the same bytes.
  fileprivate func isChecked(equalTo other: ServerSentEvent) -> Bool {
    looks(like: other) && lastEventID.utf8.elementsEqual(other.lastEventID.utf8)
  }
}
