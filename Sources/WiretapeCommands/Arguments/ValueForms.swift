// The forms that values of options take: whole numbers, seconds, choices, pairs. Each reads strictly and says what it
// would have taken. Forms that belong to one library (plans, faults) are read by that library.

extension Option where Value == Int {
  /// A whole number within a range, in decimal digits.
  static func number(
    _ names: String..., value placeholder: String = "N", in range: ClosedRange<Int> = 1...Int.max,
    help: String
  ) -> Option<Int> {
    Option(names, value: placeholder, help: help) { (text: String) throws(UsageProblem) in
      guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      else {
        throw UsageProblem(
          "takes a whole number, such as \(max(range.lowerBound, min(10, range.upperBound)))")
      }
      guard let number = Int(text), range.contains(number) else {
        let upper = range.upperBound == .max ? "" : " to \(range.upperBound)"
        throw UsageProblem(
          upper.isEmpty
            ? "takes a whole number from \(range.lowerBound) up" : "takes \(range.lowerBound)\(upper)")
      }
      return number
    }
  }
}

extension Option where Value == UInt64 {
  /// A seed: any unsigned 64-bit number.
  static func seed(_ names: String..., help: String) -> Option<UInt64> {
    Option(names, value: "SEED", help: help) { (text: String) throws(UsageProblem) in
      guard let seed = UInt64(text), !text.hasPrefix("+") else {
        throw UsageProblem("takes a whole number from 0 to \(UInt64.max)")
      }
      return seed
    }
  }
}

extension Option where Value == Duration {
  /// Seconds, fractions allowed; more than zero.
  static func seconds(_ names: String..., help: String) -> Option<Duration> {
    Option(names, value: "S", help: help) { (text: String) throws(UsageProblem) in
      let duration = try readSeconds(text)
      guard duration > .zero else { throw UsageProblem("takes seconds above 0, such as 30 or 2.5") }
      return duration
    }
  }

  /// Seconds, fractions allowed; zero too.
  static func moment(_ names: String..., help: String) -> Option<Duration> {
    Option(names, value: "S", help: help, read: readSeconds)
  }

  /// Milliseconds, a whole number.
  static func milliseconds(_ names: String..., help: String) -> Option<Duration> {
    Option(names, value: "MS", help: help) { (text: String) throws(UsageProblem) in
      guard text.utf8.count <= 12, let number = wholeNumber(text) else {
        throw UsageProblem("takes milliseconds as a whole number, such as 3000")
      }
      return .milliseconds(number)
    }
  }

  /// A number with a unit: `90s`, `15m`, `8h`.
  static func duration(_ names: String..., help: String) -> Option<Duration> {
    Option(names, value: "D", help: help) { (text: String) throws(UsageProblem) in
      let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
      guard let unit = text.last.flatMap({ units[$0] }), text.utf8.count <= 9,
        let number = wholeNumber(text.dropLast()), number > 0
      else { throw UsageProblem("takes a number with its unit, such as 90s, 15m or 8h") }
      return .seconds(number * unit)
    }
  }
}

extension Option where Value == String {
  /// Any text.
  static func text(
    _ names: String..., value placeholder: String, repeats: Bool = false, help: String
  ) -> Option<String> {
    Option(names, value: placeholder, repeats: repeats, help: help) { (text: String) throws(UsageProblem) in
      text
    }
  }

  /// A path.
  static func file(_ names: String..., value placeholder: String = "FILE", help: String) -> Option<String> {
    Option(names, value: placeholder, completion: .file, help: help) { (text: String) throws(UsageProblem) in
      guard !text.isEmpty else { throw UsageProblem("takes a file's name, and got an empty one") }
      return text
    }
  }
}

extension Option where Value == String {
  /// One of some words that a library lists.
  static func word(_ names: String..., value placeholder: String, of words: [String], help: String) -> Option<
    String
  > {
    Option(names, value: placeholder, completion: .choice(words), help: help) {
      (text: String) throws(UsageProblem) in
      guard words.contains(text) else {
        throw UsageProblem("takes \(alternatives(words)), not “\(text)”")
      }
      return text
    }
  }
}

/// “a, b or c”.
private func alternatives(_ words: [String]) -> String {
  guard words.count > 1, let last = words.last else { return words.joined() }
  return words.dropLast().joined(separator: ", ") + " or " + last
}

extension Option where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of a few words.
  static func choice(_ names: String..., value placeholder: String, help: String) -> Option<Value> {
    let words = Value.allCases.map(\.rawValue)
    return Option(names, value: placeholder, completion: .choice(words), help: help) {
      (text: String) throws(UsageProblem) in
      guard let value = Value(rawValue: text) else {
        throw UsageProblem("takes \(alternatives(words)), not “\(text)”")
      }
      return value
    }
  }
}

extension Option where Value == NamedText {
  /// A label, `K=V`.
  static func pair(_ names: String..., repeats: Bool, help: String) -> Option<NamedText> {
    Option(names, value: "K=V", repeats: repeats, help: help) { (text: String) throws(UsageProblem) in
      guard let equals = text.firstIndex(of: "="), equals != text.startIndex else {
        throw UsageProblem("takes NAME=VALUE, such as build=42")
      }
      return NamedText(name: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
    }
  }
}

/// A name with its value.
struct NamedText: Hashable, Sendable {
  var name: String
  var value: String
}

/// Decimal digits only; `nil` for anything else or too large.
func wholeNumber(_ text: some StringProtocol) -> Int64? {
  guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
    return nil
  }
  return Int64(text)
}

/// Reads `90`, `2.5` or `.5` to the microsecond. No exponent, no sign: a typing mistake must not become a year.
@Sendable func readSeconds(_ text: String) throws(UsageProblem) -> Duration {
  let problem = UsageProblem("takes seconds, such as 30 or 2.5")
  let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
  guard let whole = parts.first, whole.utf8.count <= 10, !text.isEmpty, text != "." else { throw problem }
  var seconds: Int64 = 0
  if !whole.isEmpty {
    guard let number = wholeNumber(whole) else { throw problem }
    seconds = number
  }
  var microseconds: Int64 = 0
  if parts.count == 2, !parts[1].isEmpty {
    guard wholeNumber(parts[1].prefix(18)) != nil, parts[1].utf8.count <= 18 else { throw problem }
    let digits = String(parts[1].prefix(6))
    microseconds = wholeNumber(digits + String(repeating: "0", count: 6 - digits.utf8.count)) ?? 0
  }
  return .seconds(seconds) + .microseconds(microseconds)
}
