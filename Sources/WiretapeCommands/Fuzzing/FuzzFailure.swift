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
  /// All of it on one line.
  var title: String
  /// What should have held, where an oracle says so.
  private var rule: String?
  /// What failed, without how.
  var headline: String { rule ?? title }
  /// In which form the input fails, such as `with CR LF line ends`, where an oracle says so.
  var form: String?
  /// The stream that failed, where an oracle made it of the input.
  var stream: [UInt8]?
  /// Equal for failures that are taken for the same fault.
  var signature: String
  /// What of the signature is about what came and should have come: not which oracle saw it.
  var difference = ""
  /// How the bytes were delivered, in the plan language, where an oracle says so.
  var split: String?
  /// What should have come, where an oracle says so.
  var expected: String?
  /// What came instead.
  var got: String?
  /// The functions that it happened in, innermost first, mangled; none for a finding.
  var functions: [String] = []

  /// `nil` where the log tells of none.
  init?(in lines: [Substring]) {
    func field(_ label: String, from start: Int) -> String? {
      for line in lines[start...].prefix(40) {
        let line = line.drop { $0 == " " }
        if line.hasPrefix(label) { return String(line.dropFirst(label.count).drop { $0 == " " }) }
      }
      return nil
    }
    if let place = lines.firstIndex(where: { $0.contains("Fatal error: finding: ") }),
      let title = lines[place].firstRange(of: "finding: ").map({ String(lines[place][$0.upperBound...]) })
    {
      kind = .finding
      rule = title
      form = field("input:", from: place + 1)
      stream = field("stream:", from: place + 1).flatMap(EscapedStream.bytes)
      split = field("split:", from: place + 1)
      expected = field("expected:", from: place + 1)
      got = field("got:", from: place + 1)
      self.title = [title, form, split, expected.map { "expected \($0)" }, got.map { "got \($0)" }]
        .compactMap { $0 }.joined(separator: " · ")
      difference = Self.difference(expected ?? "", got ?? "")
      signature = Self.signature(title, form, split, difference)
      return
    }
    guard let place = lines.firstIndex(where: { $0.contains("ERROR: ") }) else {
      // Without AddressSanitizer's report, as when a profile is taken.
      guard let trap = value(after: "Fatal error: ", in: lines) else { return nil }
      (kind, title, signature) = (.crash, trap, "trap: " + Self.shape(trap))
      return
    }
    let report = lines[place]
    functions = Self.functions(in: lines[place...])
    let innermost = functions.prefix(3).joined(separator: " < ")
    let what = report.firstRange(of: "ERROR: ").map { String(report[$0.upperBound...]) } ?? String(report)
    if what.contains("libFuzzer: timeout") {
      (kind, title, signature) = (.timeout, "no end within the time for one input", "timeout")
    } else if what.contains("libFuzzer: out-of-memory") {
      (kind, title, signature) = (.outOfMemory, "more memory than one input may take", "out of memory")
    } else if what.hasPrefix("LeakSanitizer") {
      (kind, title, signature) = (.leak, "memory is leaked", "leak: " + innermost)
    } else {
      kind = .crash
      // An optimized build says why it trapped in its stack alone.
      let trap =
        value(after: "Fatal error: ", in: lines) ?? value(after: " in Swift runtime failure: ", in: lines)
      title = trap.map { String($0.prefix { $0 != "/" }.trimming(" ")) } ?? Self.firstClause(of: what)
      signature = ["crash", Self.shape(title), innermost].filter { !$0.isEmpty }.joined(separator: ": ")
    }
  }

  /// The functions of the first stack below a report, innermost first and still mangled, as far as they are not those
  /// of libFuzzer, the sanitizers and the runtime. (AddressSanitizer's own token for telling reports apart is made of
  /// those where libFuzzer caught the signal.)
  private static func functions(in lines: ArraySlice<Substring>) -> [String] {
    var names: [String] = []
    for line in lines.dropFirst() {
      let frame = line.drop { $0 == " " }
      guard frame.hasPrefix("#") else {
        if names.isEmpty { continue } else { break }
      }
      guard let place = frame.firstRange(of: " in ") else { continue }
      let text = frame[place.upperBound...]
      if text.hasPrefix("LLVMFuzzerTestOneInput") { break }
      let name = text.hasPrefix("$") ? text.prefix { $0 != " " } : text.prefix { $0 != "/" }.trimming(" ")
      if !isMachinery(name) { names.append(String(name)) }
    }
    return names
  }

  private static func isMachinery(_ name: Substring) -> Bool {
    [
      "__", "fuzzer::", "swift_", "malloc", "free", "raise", "abort", "Swift runtime failure",
      "$ss17_assertionFailure",
    ]
    .contains { name.hasPrefix($0) }
  }

  /// The oracle, the form of the input, the kind of delivery, and what differs.
  private static func signature(
    _ title: String, _ form: String?, _ split: String?, _ difference: String
  ) -> String {
    let delivery = split.map { String($0.prefix { $0 != ":" }) } ?? ""
    return ([oracle(in: title)] + (form.map { [shape($0)] } ?? []) + [delivery, difference])
      .joined(separator: " · ")
  }

  /// The name of an oracle, which its findings begin with.
  private static func oracle(in title: String) -> String {
    let end = title.firstRange(of: " does not hold")?.lowerBound ?? title.firstIndex(of: ":")
    return shape(String(title[..<(end ?? title.endIndex)]))
  }

  /// The name of the oracle, where one says that it does not hold.
  var oracle: String { Self.oracle(in: headline) }

  /// What differs: not how the texts in it read, which no two inputs share.
  private static func difference(_ expected: String, _ got: String) -> String {
    let (want, have) = (words(of: expected), words(of: got))
    let place = zip(want, have).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    return [shape(expected), shape(got), "\(place ?? -1)"].joined(separator: " · ")
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

extension StringProtocol {
  /// Without such characters at its end.
  fileprivate func trimming(_ character: Character) -> SubSequence {
    var end = endIndex
    while end > startIndex, self[index(before: end)] == character { end = index(before: end) }
    return self[..<end]
  }
}
