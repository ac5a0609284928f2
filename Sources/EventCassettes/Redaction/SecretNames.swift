// The names that rules have, as they are looked up for every member of every event: folded once for a recording, with what
// tells of most other names that they are none of these without making a copy of them.

/// The folded names of secrets.
struct SecretNames: Sendable {
  /// Names of JSON members.
  let members: MemberNames
  /// Names of query items.
  let items: Set<[UInt8]>
  /// Names of items in a form: those of both.
  let formItems: Set<[UInt8]>

  /// No names at all.
  static let none = SecretNames(RedactionRules())

  init(_ rules: RedactionRules) {
    members = MemberNames(Set(rules.keys.map { RedactionRules.folded($0.utf8) }))
    items = Set(rules.query.map { RedactionRules.folded($0.utf8) })
    formItems = items.union(members.names)
  }
}

/// Folded names of JSON members.
struct MemberNames: Sendable {
  let names: Set<[UInt8]>
  /// Hashes that names have, and bytes that a name may begin with as it is spelled.
  private var likely = [Bool](repeating: false, count: 1 << slotBits)
  private var beginnings = [Bool](repeating: false, count: 256)
  private static let slotBits: UInt32 = 13

  init(_ names: Set<[UInt8]>) {
    self.names = names
    for name in names {
      likely[Self.slot(name.span)] = true
      guard let first = name.first else { continue }
      beginnings[Int(first)] = true
      if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) { beginnings[Int(first ^ 0x20)] = true }
    }
    // What is left out where names are compared, and what an escape begins with.
    for byte in [UInt8(ascii: "_"), UInt8(ascii: "-"), 0x0A, 0x0D, UInt8(ascii: "\\")] {
      beginnings[Int(byte)] = true
    }
  }

  /// Whether a spelled name that begins with this byte may be one of them.
  @inline(__always)
  func mayBegin(with byte: UInt8) -> Bool { beginnings[Int(byte)] }

  /// Whether a spelled name may be one of them. For most that are not it is false, without an allocation.
  func mayContain(_ spelled: Span<UInt8>) -> Bool {
    let slot = Self.slot(spelled)
    return slot < 0 || likely[slot]
  }

  /// A small hash of a name as it is folded; -1 for one with an escape in it.
  private static func slot(_ spelled: Span<UInt8>) -> Int {
    var hash: UInt32 = 2_166_136_261
    for index in 0..<spelled.count {
      let byte = spelled[index]
      switch byte {
      case UInt8(ascii: "_"), UInt8(ascii: "-"), 0x0A, 0x0D: continue
      case UInt8(ascii: "\\"): return -1
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): hash = (hash ^ UInt32(byte | 0x20)) &* 16_777_619
      default: hash = (hash ^ UInt32(byte)) &* 16_777_619
      }
    }
    return Int(hash >> (32 - slotBits))
  }
}
