// Finds the values of secret JSON members in a stream of payload bytes, one byte at a time, and says of each byte whether
// it is masked. It is a lexer and not a parser: streams hold JSON in text, cut-off JSON and JSON inside JSON strings, so it
// looks for `"name" :` anywhere, also where the quotes are escaped, and only what follows is followed exactly.
//
//   idle ──"name"──▶ afterKey ──:──▶ awaitValue ──"──▶ string ──▶ idle or container
//                                        ├──digit──▶ number ──▶ idle or container
//                                        └──{ [──▶ container (all scalars below are masked) ──▶ idle
//
// `run` is the number of backslashes that belong to a quote at the present depth of nesting: 0, 1, 3, 7, 15.
// Pure: positions and verdicts only; the bytes are somewhere else.

struct SecretLexer: Sendable {
  /// What becomes of the byte that was fed; and, before it, of backslashes that were held.
  enum Verdict: Equatable {
    case keep
    case maskText
    case maskDigit
    /// Part of a masked value, and kept: the signs of a number.
    case settle
    /// Not decided: a backslash that may belong to the closing quote.
    case hold
  }

  enum State: Equatable {
    case idle, afterKey, awaitValue, string, number, container, containerKey
  }

  /// A masked value as it was spelled; `run` is greater than 0 in JSON inside a string.
  struct Value {
    var spelling: [UInt8]
    var run: Int
    var isText: Bool
  }

  /// What a quote after some backslashes is to a string.
  private enum Quote: Equatable {
    case closes
    case content
    /// The string around this one ends; so many of the backslashes belong to that quote.
    case outerEnds(keep: Int)
  }

  static let longestKey = 160
  private static let deepest = 512
  /// No quote that is understood has more backslashes of its own.
  static let longestRun = 15

  let names: MemberNames
  private let stringsEndAtLineEnds: Bool
  private(set) var state = State.idle
  private var run = 0
  /// Backslashes right before the present byte.
  var backslashes = 0
  /// Whether what follows the last quote may still be a name, the bytes since, and the backslashes before that quote.
  var isCapturing = false
  var capture: [UInt8] = []
  var captureRun = 0
  private var value: [UInt8] = []
  private var stack: [Bool] = []  // true: an object
  private var isTooDeep = false
  private var expectsKey = false

  /// How many of the backslashes fed last are held, until the next byte decides; 0 mostly.
  private(set) var held = 0
  /// Of the backslashes held before this byte, how many are masked: the first ones. The rest is kept.
  private(set) var resolvedMask = 0
  private(set) var resolved = 0
  /// A value that ended with this byte.
  private(set) var finished: Value?
  /// The name of a member whose value began to be masked with this byte.
  private(set) var name: [UInt8]?

  /// - Parameters:
  ///   - names: names of members.
  ///   - stringsEndAtLineEnds: whether a raw line end ends a string, as it does in a body of its own; within the
  ///     joined data of an event it doesn't, so that a secret that somebody broke over lines is masked too.
  init(names: MemberNames, stringsEndAtLineEnds: Bool) {
    self.names = names
    self.stringsEndAtLineEnds = stringsEndAtLineEnds
  }

  /// Forgets everything: the payload ended.
  mutating func reset() {
    state = .idle
    backslashes = 0
    isCapturing = false
    isTooDeep = false
    held = 0
    // Mostly there is nothing to remove, and finding that out is cheaper.
    if !stack.isEmpty { stack.removeAll(keepingCapacity: true) }
    if !capture.isEmpty { capture.removeAll(keepingCapacity: true) }
    if !value.isEmpty { value.removeAll(keepingCapacity: true) }
  }

  /// Takes the next byte.
  mutating func feed(_ byte: UInt8) -> Verdict {
    finished = nil
    name = nil
    resolved = 0
    resolvedMask = 0
    if names.names.isEmpty { return .keep }
    let verdict = step(byte)
    backslashes = byte == UInt8(ascii: "\\") ? backslashes + 1 : 0
    return verdict
  }

  private mutating func step(_ byte: UInt8) -> Verdict {
    switch state {
    case .idle: return idle(byte)
    case .afterKey:
      if isSpace(byte) { return .keep }
      if byte == UInt8(ascii: ":") {
        state = .awaitValue
        return .keep
      }
      return abandon(byte)
    case .awaitValue: return awaitValue(byte)
    case .string: return string(byte)
    case .number: return number(byte)
    case .container: return container(byte)
    case .containerKey:
      if byte != UInt8(ascii: "\"") { return .keep }
      switch Self.quote(backslashes, run) {
      case .content: break
      case .closes: state = .container
      case .outerEnds: return abandon(byte)
      }
      return .keep
    }
  }

  private mutating func idle(_ byte: UInt8) -> Verdict {
    if byte == UInt8(ascii: "\"") {
      let isMember = isCapturing && backslashes == captureRun && isSecretName(capture.dropLast(backslashes))
      if isMember {
        state = .afterKey
        run = captureRun
        value = Array(capture.dropLast(backslashes))  // the name, until the value begins
      }
      isCapturing = true
      captureRun = Self.runBefore(quote: backslashes)
      capture.removeAll(keepingCapacity: true)
    } else if isCapturing {
      if capture.count < Self.longestKey { capture.append(byte) } else { isCapturing = false }
    }
    return .keep
  }

  /// The run that a quote after some backslashes has; 0 where none has so many.
  static func runBefore(quote backslashes: Int) -> Int {
    backslashes & (backslashes + 1) == 0 && backslashes <= longestRun ? backslashes : 0
  }

  private func isSecretName(_ spelled: ArraySlice<UInt8>) -> Bool {
    if spelled.isEmpty { return false }
    guard names.mayContain(spelled.span) else { return false }
    var folded = RedactionRules.folded(spelled)
    folded.removeAll { $0 == 0x0A || $0 == 0x0D }
    if folded.contains(UInt8(ascii: "\\")) { folded = RedactionRules.folded(Self.unescaped(folded)) }
    return names.names.contains(folded)
  }

  /// Back to idle; the byte may be the beginning of something else.
  private mutating func abandon(_ byte: UInt8) -> Verdict {
    state = .idle
    stack.removeAll(keepingCapacity: true)
    isTooDeep = false
    return idle(byte)
  }

  /// White space, also as an escape where the JSON stands inside a string.
  private func isSpace(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0A, 0x0D: true
    case UInt8(ascii: "\\"): run > 0
    case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): run > 0 && backslashes > 0
    default: false
    }
  }

  private mutating func awaitValue(_ byte: UInt8) -> Verdict {
    if isSpace(byte) { return .keep }
    switch byte {
    case UInt8(ascii: "\"") where backslashes == run:
      begin(.string)
      return .keep
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      begin(.number)
      return number(byte)
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      begin(.container)
      return container(byte)
    default: return abandon(byte)
    }
  }

  /// A member's value begins.
  private mutating func begin(_ next: State) {
    name = value
    value.removeAll(keepingCapacity: true)
    stack.removeAll(keepingCapacity: true)
    isTooDeep = false
    state = next
  }

  private mutating func add(_ byte: UInt8) { if value.count < SecretSet.longest { value.append(byte) } }

  private mutating func string(_ byte: UInt8) -> Verdict {
    let before = held
    held = 0
    switch byte {
    case UInt8(ascii: "\""):
      let quote = Self.quote(backslashes, run)
      switch quote {
      case .content: break
      case .closes, .outerEnds:
        var kept = run
        if case .outerEnds(let keep) = quote { kept = keep }
        kept = min(kept, before)
        resolve(before, mask: before - kept)
        value.removeLast(min(kept, value.count))
        finish(isText: true)
        if quote != .closes || state == .idle { return abandon(byte) }
        return .keep
      }
    case 0x0A where stringsEndAtLineEnds, 0x0D where stringsEndAtLineEnds:
      resolve(before, mask: before)
      finish(isText: true)
      return abandon(byte)
    case UInt8(ascii: "\\") where run > 0:
      add(byte)
      // Only the last ones can belong to a quote; the others are content already.
      held = min(before + 1, Self.longestRun)
      if before == Self.longestRun { resolve(1, mask: 1) }
      return .hold
    default: break
    }
    resolve(before, mask: before)
    add(byte)
    return .maskText
  }

  private mutating func resolve(_ count: Int, mask: Int) {
    resolved = count
    resolvedMask = mask
  }

  private mutating func finish(isText: Bool) {
    finished = Value(spelling: value, run: run, isText: isText)
    value.removeAll(keepingCapacity: true)
    state = stack.isEmpty ? .idle : .container
  }

  private mutating func number(_ byte: UInt8) -> Verdict {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      add(byte)
      return .maskDigit
    case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      add(byte)
      return .settle
    default:
      finish(isText: false)
      return state == .idle ? abandon(byte) : container(byte)
    }
  }

  private mutating func container(_ byte: UInt8) -> Verdict {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      // Deeper than anybody nests: nothing is left out, but the end isn't found any more.
      if stack.count < Self.deepest { stack.append(byte == UInt8(ascii: "{")) } else { isTooDeep = true }
      expectsKey = byte == UInt8(ascii: "{")
    case UInt8(ascii: "}"), UInt8(ascii: "]"):
      if !isTooDeep { stack.removeLast() }
      expectsKey = false
      if stack.isEmpty { state = .idle }
    case UInt8(ascii: ","): expectsKey = stack.last ?? false
    case UInt8(ascii: ":"): expectsKey = false
    case UInt8(ascii: "\""):
      if backslashes == run {
        state = expectsKey ? .containerKey : .string
      } else if case .outerEnds = Self.quote(backslashes, run) {
        return abandon(byte)
      }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      if !expectsKey {
        state = .number
        return number(byte)
      }
    default: break
    }
    return .keep
  }

  /// What a quote after `count` backslashes is to a string whose own quotes have `run` of them.
  private static func quote(_ count: Int, _ run: Int) -> Quote {
    var count = count
    var run = run
    var depth = 0
    while run > 0 {
      if count % 2 == 0 { return .outerEnds(keep: (1 << depth) - 1) }
      count = (count - 1) / 2
      run = (run - 1) / 2
      depth += 1
    }
    return count % 2 == 0 ? .closes : .content
  }

  /// Undoes the escapes of a JSON string; what is no escape stays.
  static func unescaped(_ spelled: [UInt8]) -> [UInt8] {
    let quoted = [UInt8(ascii: "\"")] + spelled + [UInt8(ascii: "\"")]
    guard let text = try? JSONParser.value(of: quoted[...]).text else { return spelled }
    return Array(text.utf8)
  }
}
