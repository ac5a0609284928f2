// JSON as cassettes need it and Foundation's coders can't give it: keys sorted and compared by their bytes, numbers
// kept as they were written, no white space, one spelling for each value. Values and their canonical text live here;
// the strict parser is beside it.

/// A JSON value.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number without fraction and exponent that fits 64 bits.
  case integer(Int64)
  /// Any other number, as it was written.
  case number(String)
  /// A text.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

/// A JSON object: its members sorted by the bytes of their keys, each key once.
public struct JSONObject: Sendable, ExpressibleByDictionaryLiteral {
  /// A member.
  public typealias Member = (key: String, value: JSONValue)

  /// The members in order.
  public private(set) var members: [Member] = []

  /// Creates an empty object.
  public init() {}

  /// Creates an object; of a key that is given twice the last one counts.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }

  /// The value of a key; setting `nil` removes the member. Keys compare by their bytes.
  public subscript(key: String) -> JSONValue? {
    get {
      let place = firstIndex(notBefore: key)
      return holds(key, at: place) ? members[place].value : nil
    }
    set {
      let place = firstIndex(notBefore: key)
      switch (holds(key, at: place), newValue) {
      case (true, let value?): members[place].value = value
      case (true, nil): members.remove(at: place)
      case (false, let value?): members.insert((key, value), at: place)
      case (false, nil): break
      }
    }
  }

  /// Takes a member out.
  mutating func remove(_ key: String) -> JSONValue? {
    let value = self[key]
    self[key] = nil
    return value
  }

  /// Makes an object of members in any order; `nil` if a key is there twice.
  init?(unsorted: [Member]) {
    members = unsorted.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    for (a, b) in zip(members, members.dropFirst()) where a.key.utf8.elementsEqual(b.key.utf8) { return nil }
  }

  private func firstIndex(notBefore key: String) -> Int {
    var low = 0
    var high = members.count
    while low < high {
      let middle = (low + high) / 2
      if members[middle].key.utf8.lexicographicallyPrecedes(key.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }

  private func holds(_ key: String, at place: Int) -> Bool {
    place < members.count && members[place].key.utf8.elementsEqual(key.utf8)
  }
}

extension JSONValue: Hashable {
  /// Whether both are the same value; texts compare by their bytes.
  public static func == (a: JSONValue, b: JSONValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.number(let a), .number(let b)), (.string(let a), .string(let b)):
      a.utf8.elementsEqual(b.utf8)
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    default: false  // two different cases are different values; listing all pairs would say no more
    }
  }

  /// Hashes the canonical bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(canonicalBytes) }
}

extension JSONObject: Hashable {
  /// Whether both have the same members; keys compare by their bytes.
  public static func == (a: JSONObject, b: JSONObject) -> Bool {
    a.members.count == b.members.count
      && zip(a.members, b.members).allSatisfy {
        $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value
      }
  }

  /// Hashes the canonical bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(canonicalBytes) }
}

extension JSONValue {
  /// The one spelling of this value: sorted keys, no white space, only what must be escaped is.
  public var canonicalBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendCanonical(to: &bytes)
    return bytes
  }

  /// The string's text, or `nil` for anything else.
  public var text: String? { if case .string(let text) = self { text } else { nil } }
  /// The object, or `nil` for anything else.
  public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }
  /// The array's values, or `nil` for anything else.
  public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

  func appendCanonical(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(contentsOf: "null".utf8)
    case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
    case .integer(let value): bytes.append(contentsOf: String(value).utf8)
    case .number(let text): bytes.append(contentsOf: text.utf8)
    case .string(let text): Self.appendCanonical(text, to: &bytes)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (index, value) in values.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        value.appendCanonical(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let object): object.appendCanonical(to: &bytes)
    }
  }

  static func appendCanonical(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x08: bytes.append(contentsOf: "\\b".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0C: bytes.append(contentsOf: "\\f".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00".utf8)
        let digits = String(byte, radix: 16)
        if digits.utf8.count == 1 { bytes.append(UInt8(ascii: "0")) }
        bytes.append(contentsOf: digits.utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension JSONObject {
  /// The one spelling of this object.
  public var canonicalBytes: [UInt8] {
    var bytes: [UInt8] = []
    appendCanonical(to: &bytes)
    return bytes
  }

  func appendCanonical(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONValue.appendCanonical(member.key, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      member.value.appendCanonical(to: &bytes)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
