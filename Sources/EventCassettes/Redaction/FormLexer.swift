// Finds the values of secret items in a form body (`name=value&…`, WHATWG URL standard, section 5). Names compare as
// those of query items and of JSON members do.

struct FormLexer: Sendable {
  static let longestName = 160

  private let names: Set<[UInt8]>
  private(set) var name: [UInt8] = []
  private var value: [UInt8] = []
  private(set) var inValue = false
  private(set) var isSecret = false

  init(names: Set<[UInt8]>) { self.names = names }

  /// Takes the next byte; true if it is masked.
  ///
  /// - Parameter finished: gets the name and the spelled value of a secret item that ended.
  mutating func feed(_ byte: UInt8, finished: (_ name: [UInt8], _ value: [UInt8]) -> Void) -> Bool {
    switch byte {
    case UInt8(ascii: "&"):
      finish(finished)
      return false
    case UInt8(ascii: "=") where !inValue:
      inValue = true
      name = Percent.decoded(name)
      isSecret = names.contains(RedactionRules.folded(name))
      return false
    default:
      if !inValue {
        if name.count <= Self.longestName { name.append(byte) }
        return false
      }
      if isSecret, value.count < SecretSet.longest { value.append(byte) }
      return isSecret
    }
  }

  /// The body ends.
  mutating func finish(_ finished: (_ name: [UInt8], _ value: [UInt8]) -> Void) {
    if isSecret, !value.isEmpty { finished(name, value) }
    name.removeAll(keepingCapacity: true)
    value.removeAll(keepingCapacity: true)
    inValue = false
    isSecret = false
  }
}
