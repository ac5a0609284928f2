// The part of a body that is not written yet: its bytes as they came, and beside each what becomes of it. Bytes are
// searched as they came and written as they are masked, so one mask can't hide the text that another looks for.

struct MaskWindow: Sendable {
  /// What becomes of a byte.
  private enum Fate {
    static let open: UInt8 = 0
    /// Becomes `*`.
    static let text: UInt8 = 1
    /// Becomes `1`.
    static let digit: UInt8 = 2
    /// Belongs to something masked and stays.
    static let settled: UInt8 = 3
    /// Belongs to the stream's structure (line ends, field names) and stays whatever is found.
    static let structure: UInt8 = 4
  }

  /// The position in the body of the first byte held.
  private(set) var base = 0
  /// The bytes held, as they came.
  private(set) var raw: [UInt8] = []
  private var fates: [UInt8] = []
  private var isTouched = false

  /// The position behind the last byte.
  var end: Int { base + raw.count }

  mutating func append(_ bytes: [UInt8]) {
    raw.append(contentsOf: bytes)
    fates.append(contentsOf: repeatElement(Fate.open, count: bytes.count))
  }

  private mutating func set(_ fate: UInt8, at position: Int) {
    let index = position - base
    if index < 0 || index >= fates.count || fates[index] != Fate.open { return }
    fates[index] = fate
    if fate == Fate.text || fate == Fate.digit { isTouched = true }
  }

  mutating func maskText(_ position: Int) { set(Fate.text, at: position) }
  mutating func maskDigit(_ position: Int) { set(Fate.digit, at: position) }
  mutating func settle(_ position: Int) { set(Fate.settled, at: position) }
  mutating func protect(_ position: Int) { set(Fate.structure, at: position) }

  /// Masks what was found at `range` of ``raw``: text by `*`, a number's digits by `1`. False if nothing of it was open, or
  /// if it only goes on with what was masked before.
  mutating func maskFound(_ range: Range<Int>) -> Bool {
    let isNumber = Self.isNumber(raw[range])
    let goesOn = fates[range.lowerBound] == Fate.text || fates[range.lowerBound] == Fate.digit
    var isNew = false
    for index in range where fates[index] == Fate.open {
      isNew = true
      let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(raw[index])
      fates[index] = !isNumber ? Fate.text : isDigit ? Fate.digit : Fate.settled
    }
    isTouched = isTouched || isNew
    return isNew && !goesOn
  }

  /// Whether bytes are a number of JSON: its mask must be one too.
  static func isNumber(_ bytes: ArraySlice<UInt8>) -> Bool {
    switch try? JSONParser.value(of: bytes) {
    case .integer?, .number?: true
    default: bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }

  /// Takes the first `count` bytes out; `nil` if all of them are as they came.
  mutating func take(_ count: Int) -> [UInt8]? {
    var masked: [UInt8]?
    if isTouched {
      var bytes = Array(raw[..<count])
      var isMasked = false
      for index in 0..<count {
        switch fates[index] {
        case Fate.text: bytes[index] = UInt8(ascii: "*")
        case Fate.digit: bytes[index] = UInt8(ascii: "1")
        default: continue
        }
        isMasked = true
      }
      if isMasked { masked = bytes }
    }
    base += count
    if count == raw.count {
      raw.removeAll(keepingCapacity: raw.capacity <= 1 << 20)
      fates.removeAll(keepingCapacity: fates.capacity <= 1 << 20)
      isTouched = false
    } else {
      raw.removeFirst(count)
      fates.removeFirst(count)
    }
    return masked
  }
}
