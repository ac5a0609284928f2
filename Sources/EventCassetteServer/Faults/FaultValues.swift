// The values of a fault's text, and the numbers and times in them: one spelling each, so that printing is the inverse.

/// The values after the colon: one without a name, then named ones.
struct FaultValues {
  /// The fault's whole text, for messages.
  let fault: String
  /// How it is written.
  let syntax: String
  /// What is left to read.
  private var text: String?

  init(fault: String, syntax: String, text: String?) {
    self.fault = fault
    self.syntax = syntax
    self.text = text
  }

  /// Whether there is nothing to read.
  var isEmpty: Bool { text == nil }

  /// Whether the next value has this name.
  func has(_ key: String) -> Bool { text?.hasPrefix(key + "=") == true }

  /// Takes the next value as a number.
  mutating func number<N: FixedWidthInteger>(
    _ key: String? = nil, in range: ClosedRange<N>
  ) throws(FaultSpecError) -> N {
    let value = try take(key)
    guard let number: N = decimal(value), range.contains(number) else {
      throw .init(
        .invalidValue,
        "‘\(value)’ in fault ‘\(fault)’ is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Takes the next value as a time.
  mutating func seconds(_ key: String? = nil) throws(FaultSpecError) -> Duration {
    let value = try take(key)
    guard let duration = Duration(secondsText: value) else {
      throw .init(
        .invalidValue, "‘\(value)’ in fault ‘\(fault)’ is no time: write seconds, such as 5 or 0.25")
    }
    return duration
  }

  /// Takes all that is left, as the value of a header field.
  mutating func headerText(_ key: String? = nil) throws(FaultSpecError) -> String {
    guard let all = text, key.map(has) ?? true else { throw missing(key) }
    text = nil
    let value = String(all.dropFirst(key.map { $0.count + 1 } ?? 0))
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .init(.invalidValue, "‘\(value)’ in fault ‘\(fault)’ can't be sent in a header field")
    }
    return value
  }

  /// Makes sure that all was read.
  func end() throws(FaultSpecError) {
    guard let text else { return }
    throw .init(.unexpectedValue, "‘\(text)’ in fault ‘\(fault)’ is too much: write it like \(syntax)")
  }

  /// Takes the next value, up to a comma.
  private mutating func take(_ key: String?) throws(FaultSpecError) -> Substring {
    guard let text, key.map(has) ?? true else { throw missing(key) }
    let value = text.dropFirst(key.map { $0.count + 1 } ?? 0)
    let end = value.firstIndex(of: ",")
    self.text = end.map { String(value[value.index(after: $0)...]) }
    return value[..<(end ?? value.endIndex)]
  }

  private func missing(_ key: String?) -> FaultSpecError {
    .init(
      .missingValue,
      "fault ‘\(fault)’ lacks \(key.map { "‘\($0)=…’" } ?? "its value"): write it like \(syntax)")
  }
}

extension Duration {
  /// Seconds with as many decimals as needed, at most six.
  var secondsText: String {
    let (seconds, attoseconds) = components
    let micros = attoseconds / 1_000_000_000_000
    if micros == 0 { return "\(seconds)" }
    var digits = String(micros)
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(seconds).\(digits)"
  }

  /// Reads what `secondsText` prints: up to a million seconds.
  init?(secondsText text: Substring) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let seconds: Int64 = decimal(parts[0]), seconds <= 1_000_000 else { return nil }
    var micros: Int64 = 0
    if parts.count == 2 {
      guard (1...6).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
        let fraction = Int64(parts[1] + String(repeating: "0", count: 6 - parts[1].utf8.count))
      else { return nil }
      micros = fraction
    }
    self = .seconds(seconds) + .microseconds(micros)
  }
}

/// Plain digits without leading zeros; Swift's own initializers take signs.
func decimal<N: FixedWidthInteger>(_ text: Substring) -> N? {
  guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
    text.utf8.count == 1 || text.utf8.first != 0x30
  else { return nil }
  return N(text)
}
