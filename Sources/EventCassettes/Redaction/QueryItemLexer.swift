// Finds the values of secret items in the query or the fragment of URLs that stand in text (`https://h/cb?access_token=…`),
// one byte at a time. A URL has no sure beginning in text, so it is told by what can't be in one: within a run of such
// bytes, what follows the first `?` or `#` is items, divided by `&`, also where that is escaped as HTML's `&amp;` or JSON's
// `\u0026`. Names compare as those of query items do. What is masked is known at once: nothing has to wait.

struct QueryItemLexer: Sendable {
  private enum State { case outside, name, value, secret }

  private static let longestName = 160
  private static let escapedAmpersand = Array("u0026".utf8)

  private let names: Set<[UInt8]>
  private var state = State.outside
  private var name: [UInt8] = []
  private var value: [UInt8] = []

  init(names: Set<[UInt8]>) { self.names = names }

  /// Whether a byte that doesn't begin a query matters.
  var isInQuery: Bool { state != .outside }

  /// Whether a byte begins one.
  static func begins(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") }

  /// Takes the next byte; true if it is masked.
  ///
  /// - Parameter finished: gets the name and the spelled value of a secret item that ended.
  mutating func feed(_ byte: UInt8, finished: (_ name: [UInt8], _ value: [UInt8]) -> Void) -> Bool {
    if state == .outside {
      if Self.begins(byte) { state = .name }
      return false
    }
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: ";"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"):
      finish(finished)
      state = .name
    case 0...0x20, 0x7F, UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "<"), UInt8(ascii: ">"),
      UInt8(ascii: "`"), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "{"), UInt8(ascii: "}"),
      UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "|"):
      finish(finished)
    case UInt8(ascii: "=") where state == .name:
      if name.starts(with: Self.escapedAmpersand) { name.removeFirst(Self.escapedAmpersand.count) }
      name = Percent.decoded(name)
      state = names.contains(RedactionRules.folded(name)) ? .secret : .value
    default:
      switch state {
      case .name: if name.count <= Self.longestName { name.append(byte) }
      case .secret:
        if value.count < SecretSet.longest { value.append(byte) }
        return true
      case .value, .outside: break
      }
    }
    return false
  }

  /// The text ends.
  mutating func finish(_ finished: (_ name: [UInt8], _ value: [UInt8]) -> Void) {
    if state == .secret, !value.isEmpty { finished(name, value) }
    name.removeAll(keepingCapacity: true)
    value.removeAll(keepingCapacity: true)
    state = .outside
  }
}
