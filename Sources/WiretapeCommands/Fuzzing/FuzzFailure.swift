// What made a fuzz target end, read off its log, and the signature by which two failures are taken for one fault.
// Pure: lines in, a value out.

/// A failure of a fuzz target.
struct FuzzFailure: Equatable {
  /// What kind it is.
  enum Kind: String, Codable {
    /// One of the oracles did not hold.
    case finding
    /// The program trapped or touched memory that isn't its own.
    case crash
    case leak
    case timeout
    case outOfMemory
  }

  var kind: Kind
  /// One line for people.
  var title: String
  /// Equal for failures that are taken for the same fault.
  var signature: String
  /// How the bytes were delivered, in the plan language, where an oracle says so.
  var split: String?
  /// What should have come, where an oracle says so.
  var expected: String?
  /// What came instead.
  var got: String?

  /// `nil` where the log tells of none.
  init?(in lines: [Substring]) {
    func field(_ label: String, from start: Int) -> String? {
      for line in lines[start...].prefix(40) {
        let line = line.drop { $0 == " " }
        if line.hasPrefix(label) { return String(line.dropFirst(label.count).drop { $0 == " " }) }
      }
      return nil
    }
    let token = value(after: "DEDUP_TOKEN: ", in: lines)
    if let place = lines.firstIndex(where: { $0.contains("Fatal error: finding: ") }),
      let title = lines[place].firstRange(of: "finding: ").map({ String(lines[place][$0.upperBound...]) })
    {
      kind = .finding
      self.title = title
      split = field("split:", from: place + 1)
      expected = field("expected:", from: place + 1)
      got = field("got:", from: place + 1)
      signature = Self.signature(title, split, expected ?? "", got ?? "")
      return
    }
    guard let report = lines.first(where: { $0.contains("ERROR: ") }) else {
      // Without AddressSanitizer's report, as when a profile is taken.
      guard let trap = value(after: "Fatal error: ", in: lines) else { return nil }
      (kind, title, signature) = (.crash, trap, "trap: " + Self.shape(trap))
      return
    }
    let what = report.firstRange(of: "ERROR: ").map { String(report[$0.upperBound...]) } ?? String(report)
    if what.contains("libFuzzer: timeout") {
      (kind, title, signature) = (.timeout, "no end within the time for one input", "timeout")
    } else if what.contains("libFuzzer: out-of-memory") {
      (kind, title, signature) = (.outOfMemory, "more memory than one input may take", "out of memory")
    } else if what.hasPrefix("LeakSanitizer") {
      (kind, title, signature) = (.leak, "memory is leaked", "leak: " + (token ?? ""))
    } else {
      kind = .crash
      let trap = value(after: "Fatal error: ", in: lines)
      title = trap ?? Self.firstClause(of: what)
      signature = "crash: " + (token ?? Self.shape(title))
    }
  }

  /// The names of the innermost functions, outermost last, still mangled; none unless the signature has them.
  var functions: [String] {
    guard kind == .crash || kind == .leak, let colon = signature.firstIndex(of: ":") else { return [] }
    let token = signature[signature.index(after: colon)...].drop { $0 == " " }
    guard token.contains("--") else { return [] }
    return token.split(separator: "--").map { String($0.drop { $0 == "-" }) }
  }

  /// The oracle, the kind of delivery, and what differs: not how the texts in it read, which no two inputs share.
  private static func signature(
    _ title: String, _ split: String?, _ expected: String, _ got: String
  ) -> String {
    let delivery = split.map { String($0.prefix { $0 != ":" }) } ?? ""
    let (want, have) = (words(of: expected), words(of: got))
    let place = zip(want, have).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return [shape(title), delivery, shape(expected), shape(got), "\(place ?? -1)"].joined(separator: " · ")
  }

  private static func words(of text: String) -> [Substring] { text.split { $0 == " " || $0 == "," } }

  /// The text without what is in quotation marks, and without numbers.
  static func shape(_ text: String) -> String {
    var result = ""
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if isQuoted {
        if isEscaped {
          isEscaped = false
        } else if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isQuoted = false
          result += "\""
        }
      } else if character == "\"" {
        isQuoted = true
        result += "\""
      } else if character.isASCII, character.isNumber {
        if result.last != "0" { result += "0" }
      } else {
        result.append(character)
      }
    }
    return result
  }

  private static func firstClause(of what: String) -> String {
    let end =
      what.firstRange(of: " on address ")?.lowerBound ?? what.firstRange(of: " on unknown")?.lowerBound
    return String(what[..<(end ?? what.endIndex)])
  }
}

/// What follows a label in the first line that has it.
private func value(after label: String, in lines: [Substring]) -> String? {
  for line in lines {
    if let place = line.firstRange(of: label) { return String(line[place.upperBound...]) }
  }
  return nil
}
