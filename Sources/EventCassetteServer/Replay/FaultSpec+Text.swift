// The text form of faults. Reading is strict and printing its inverse, so a fault in a report can be pasted back.

extension FaultSpec: CustomStringConvertible {
  /// The fault's text; ``init(parsing:)`` reads it back.
  public var description: String {
    let place =
      switch answer {
      case .first: offset.text
      case .every: "every/\(offset.text)"
      case .exchange(let number): "\(number)/\(offset.text)"
      }
    return switch kind {
    case .reset: "reset@\(place)"
    case .truncate: "truncate@\(place)"
    case .stall(let pause): "stall@\(place):\(pause.secondsText)"
    case .drip(let bytes, let pause): "drip@\(place):\(bytes),every=\(pause.secondsText)"
    case .garbage(let bytes, let seed): "garbage@\(place):\(bytes)" + (seed == 0 ? "" : ",seed=\(seed)")
    case .badChunk: "bad-chunk@\(place)"
    case .contentType(let type): "type@\(place):\(type)"
    case .status(let code, let retryAfter):
      "status@\(place):\(code)" + (retryAfter.map { ",retry-after=\($0)" } ?? "")
    case .duplicateEvent: "duplicate@\(place)"
    case .splitHead(let pause): "split-head@\(place)" + (pause == .zero ? "" : ":\(pause.secondsText)")
    }
  }

  /// Reads a fault's text.
  ///
  /// Numbers are plain decimal digits, seconds may have up to six decimals.
  /// - Throws: ``FaultSpecError``, which names the part that can't be read and what may stand there.
  public init(parsing text: String) throws(FaultSpecError) {
    guard let at = text.firstIndex(of: "@") else {
      let isKind = Self.kinds.contains { $0.syntax.hasPrefix(text + "@") }
      throw isKind
        ? .init(.invalidPlace, "fault ‘\(text)’ lacks its place: write it like \(text)@0")
        : .init(.unknownKind, "‘\(text)’ is no fault: use \(Self.names)")
    }
    let name = String(text[..<at])
    let rest = text[text.index(after: at)...]
    let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    var values = Values(fault: text, name: name, text: parts.count == 2 ? String(parts[1]) : nil)
    let kind = try Self.kind(name, &values)
    try values.end()
    (answer, offset) = try Self.place(parts[0], in: text)
    self.kind = kind
    switch kind {
    case .contentType, .status:
      guard offset == .at(0) else {
        throw .init(.invalidPlace, "fault ‘\(text)’: \(name) concerns the head, so its offset is 0")
      }
    default: break
    }
  }

  private static var names: String {
    kinds.map { String($0.syntax.prefix { $0 != "@" }) }.joined(separator: ", ")
  }

  private static func kind(_ name: String, _ values: inout Values) throws(FaultSpecError) -> Kind {
    switch name {
    case "reset": return .reset
    case "truncate": return .truncate
    case "bad-chunk": return .badChunk
    case "duplicate": return .duplicateEvent
    case "stall": return .stall(try values.seconds(nil))
    case "split-head": return .splitHead(pause: values.text == nil ? .zero : try values.seconds(nil))
    case "drip":
      return .drip(bytes: try values.number(nil, in: 1...Int.max), every: try values.seconds("every"))
    case "garbage":
      let bytes = try values.number(nil, in: 1...Self.mostGarbage)
      return .garbage(
        bytes: bytes, seed: values.has("seed") ? try values.number("seed", in: 0...UInt64.max) : 0)
    case "type": return .contentType(try values.headerText(nil))
    case "status":
      let code = try values.number(nil, in: 200...999)
      return .status(code, retryAfter: values.has("retry-after") ? try values.headerText("retry-after") : nil)
    default: throw .init(.unknownKind, "‘\(name)’ in ‘\(values.fault)’ is no fault: use \(names)")
    }
  }

  /// The most bytes that one `garbage` puts in: they are made in memory.
  static let mostGarbage = 1 << 24

  private static func place(_ text: Substring, in fault: String) throws(FaultSpecError) -> (Answer, Offset) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let invalid = FaultSpecError(
      .invalidPlace,
      "‘\(text)’ in fault ‘\(fault)’ is no place: write OFFSET, EXCHANGE/OFFSET or every/OFFSET, where OFFSET is a "
        + "number or random-SEED and EXCHANGE counts from 1")
    guard let last = parts.last, parts.count <= 2 else { throw invalid }
    let offset: Offset
    if let number: Int = decimal(last) {
      offset = .at(number)
    } else if last.hasPrefix("random-"), let seed: UInt64 = decimal(last.dropFirst(7)) {
      offset = .random(seed: seed)
    } else {
      throw invalid
    }
    if parts.count == 1 { return (.first, offset) }
    if parts[0] == "every" { return (.every, offset) }
    guard let number: Int = decimal(parts[0]), number >= 1 else { throw invalid }
    return (.exchange(number), offset)
  }
}

/// The values after the colon: one without a name, then named ones.
private struct Values {
  let fault: String
  let name: String
  var text: String?

  private func missing(_ key: String?) -> FaultSpecError {
    let syntax = FaultSpec.kinds.first { $0.syntax.hasPrefix(name + "@") }?.syntax ?? name
    return .init(
      .missingValue,
      "fault ‘\(fault)’ lacks \(key.map { "‘\($0)=…’" } ?? "its value"): write it like \(syntax)")
  }

  /// Whether the next value has this name.
  func has(_ key: String) -> Bool { text?.hasPrefix(key + "=") == true }

  /// Takes the next value, up to a comma.
  private mutating func take(_ key: String?) throws(FaultSpecError) -> Substring {
    guard let text, key.map(has) ?? true else { throw missing(key) }
    let value = text.dropFirst(key.map { $0.count + 1 } ?? 0)
    let end = value.firstIndex(of: ",")
    self.text = end.map { String(value[value.index(after: $0)...]) }
    return value[..<(end ?? value.endIndex)]
  }

  mutating func number<N: FixedWidthInteger>(
    _ key: String?, in range: ClosedRange<N>
  ) throws(FaultSpecError) -> N {
    let value = try take(key)
    guard let number: N = decimal(value), range.contains(number) else {
      throw .init(
        .invalidValue,
        "‘\(value)’ in fault ‘\(fault)’ is no number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  mutating func seconds(_ key: String?) throws(FaultSpecError) -> Duration {
    let value = try take(key)
    guard let duration = Duration(secondsText: value) else {
      throw .init(
        .invalidValue, "‘\(value)’ in fault ‘\(fault)’ is no time: write seconds, such as 5 or 0.25")
    }
    return duration
  }

  /// All that is left, as the value of a header field.
  mutating func headerText(_ key: String?) throws(FaultSpecError) -> String {
    guard let all = text, key.map(has) ?? true else { throw missing(key) }
    text = nil
    let value = String(all.dropFirst(key.map { $0.count + 1 } ?? 0))
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .init(.invalidValue, "‘\(value)’ in fault ‘\(fault)’ can't be sent in a header field")
    }
    return value
  }

  func end() throws(FaultSpecError) {
    guard let text else { return }
    let syntax = FaultSpec.kinds.first { $0.syntax.hasPrefix(name + "@") }?.syntax ?? name
    throw .init(.unexpectedValue, "‘\(text)’ in fault ‘\(fault)’ is too much: write it like \(syntax)")
  }
}

extension FaultSpec.Offset {
  fileprivate var text: String {
    switch self {
    case .at(let offset): "\(offset)"
    case .random(let seed): "random-\(seed)"
    }
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
private func decimal<N: FixedWidthInteger>(_ text: Substring) -> N? {
  guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
    text.utf8.count == 1 || text.utf8.first != 0x30
  else { return nil }
  return N(text)
}
