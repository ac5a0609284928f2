// Reads one exchange's body beside the parser and notes what the parser rightly drops. It shares no code with the
// parser but the line-end scan, so that it sees what the parser has no reason to look at. Lines that lie in one chunk
// and are like nearly all lines are judged by their first bytes; all others are gathered and read.
//
// UNSAFE, and why: a loop over a Span that looks at every byte is fast (the compiler makes vectors of it) only through
// the buffer pointer.

public import ServerSentEvents

/// Finds what a correct parser drops without a word in one body, chunk by chunk, in constant memory.
public struct StreamInspector: Sendable {
  /// At most this many warnings of one kind are kept for a body; the last one tells how many more there were.
  public static let mostOfAKind = 10

  private var found: [StreamWarning] = []
  private var counts: [StreamWarning.Code: Int] = [:]

  private var offset = 0
  private var lineStart = 0
  /// The first bytes of a line that began in an earlier chunk; what a name, a mark or an error needs.
  private var held: [UInt8] = []
  private var lineLength = 0
  private var lineHoldsNUL = false
  /// Where the block begins that no blank line has ended yet.
  private var blockStart: Int?
  /// Whether that block has a line that counts only with its blank line. Comments and `retry` count at once.
  private var blockHoldsEvent = false
  private var endedWithCR = false
  private var sawEndMark = false
  private var sawLine = false
  private var isOtherFormat = false
  private var utf8 = UTF8Check()
  /// About how many bytes the values of the block's data lines have.
  private var dataLength = 0

  private static let longestHeld = 256
  /// What a client bears. A copy: it is asked for at each line.
  private let limits = EventStreamParser.Limits.default

  /// Creates an inspector for one exchange, whose response head is looked at as well.
  public init(response: EventStreamResponse? = nil) {
    guard let response, response.status >= 400 else { return }
    let type = response.headers["Content-Type"] ?? ""
    if String(type.prefix(17)).equalsIgnoringASCIICase("text/event-stream") {
      note(.errorStatus, at: 0, "status \(response.status) under the type text/event-stream")
    }
  }

  /// Takes the next bytes of the body.
  public mutating func append(_ chunk: Span<UInt8>) {
    var start = 0
    let origin = offset
    if endedWithCR, let first = chunk.indices.first {
      endedWithCR = false
      if chunk[first] == 0x0A { start = 1 }
      lineStart = origin + start
    }
    let isASCII = chunk.isASCII
    var scanner = LineEndScanner(from: start)
    while start < chunk.count {
      let lineEnd = scanner.next(in: chunk)
      let end = lineEnd?.offset ?? chunk.count
      if lineEnd != nil, lineLength == 0,
        isUnremarkable(chunk, start..<end, isASCII: isASCII || chunk.extracting(start..<end).isASCII)
      {
        if end > start {
          beginBlock(at: origin + start)
          if chunk[start] != 0x3A { blockHoldsEvent = true }  // no comment, so it's one of the fields
          measure(
            length: end - start, isData: chunk.word(at: start) & 0xFF_FFFF_FFFF == Self.data,
            at: origin + start)
          sawLine = true
        } else {
          endBlock()
        }
      } else {
        extendLine(with: chunk.extracting(start..<end), at: origin + start)
        guard lineEnd != nil else { break }
        endLine()
      }
      guard let lineEnd else { break }
      endedWithCR = chunk[end] == 0x0D && end + 1 == chunk.count
      start = lineEnd.nextLine
      lineStart = origin + start
    }
    offset = origin + chunk.count
  }

  /// Ends the body and returns all that was found, in the order of the offsets.
  public mutating func finish() -> [StreamWarning] {
    if lineLength > 0 {
      readLine(isWhole: false)
      blockHoldsEvent = true  // or would, perhaps: what has no line end is no line at all
    }
    if blockHoldsEvent, !isOtherFormat, let blockStart {
      note(.unfinishedBlock, at: blockStart, "the last block has no blank line: it is discarded")
    }
    for (code, count) in counts.sorted(by: { $0.key.name < $1.key.name }) where count > Self.mostOfAKind {
      found.append(
        StreamWarning(code, at: offset, "\(count - Self.mostOfAKind) more of the kind \(code.name)"))
    }
    return found.enumerated().sorted { ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset) }.map(
      \.element)
  }

  // MARK: Lines

  /// Whether nothing can be said about a whole line, as far as its first bytes tell; false if they don't.
  private func isUnremarkable(_ chunk: Span<UInt8>, _ line: Range<Int>, isASCII: Bool) -> Bool {
    if line.isEmpty { return true }
    guard isASCII, !sawEndMark else { return false }
    // What follows the line doesn't count: no line end is in a name.
    let word = chunk.word(at: line.lowerBound)
    if word & 0xFF_FFFF_FFFF == Self.data { return line.count > 12 }  // longer than the end mark
    if word & 0xFFFF_FFFF_FFFF == Self.event { return true }
    if word & 0xFF_FFFF == Self.id { return !chunk.extracting(line).hasNUL }
    // A comment, but for one that begins like the number of an HTTP error, or with more than one blank.
    let text = word >> 8 & 0xFF == 0x20 ? word >> 16 & 0xFF : word >> 8 & 0xFF
    return word & 0xFF == 0x3A && text != 0x20 && text != 0x34 && text != 0x35
  }

  // Names with their colons, as they lie in a word whose lowest byte comes first.
  private static let data: UInt64 = 0x3A_6174_6164
  private static let event: UInt64 = 0x3A74_6E65_7665
  private static let id: UInt64 = 0x3A_6469

  private mutating func extendLine(with part: Span<UInt8>, at partOffset: Int) {
    if lineLength == 0 {
      held.removeAll(keepingCapacity: true)
      lineHoldsNUL = false
    }
    held.append(copying: part.extracting(0..<Swift.min(part.count, Self.longestHeld - held.count)))
    lineLength += part.count
    if part.hasNUL { lineHoldsNUL = true }
    if !part.isASCII || utf8.isInside {
      for index in 0..<part.count {
        let faults = utf8.take(part[index])
        if faults.cutShort > 0 {
          note(.invalidUTF8, at: partOffset + index - faults.cutShort, "a character that is cut short")
        }
        if faults.isStray { note(.invalidUTF8, at: partOffset + index, "a byte that is not UTF-8") }
      }
    }
  }

  private mutating func endLine() {
    if utf8.isInside {
      note(.invalidUTF8, at: lineStart + lineLength - utf8.length, "a character cut off by the line end")
      utf8 = UTF8Check()
    }
    if lineLength == 0 {
      endBlock()
    } else {
      readLine(isWhole: true)
    }
    lineLength = 0
  }

  /// Notes a line or an event that is longer than a client bears, which then gives the stream up.
  @inline(__always)
  private mutating func measure(length: Int, isData: Bool, at lineStart: Int) {
    if isData { dataLength += length - 5 }  // the value, or a blank more, and the line end that joins it
    if length > limits.line || dataLength > limits.event { noteOverLimit(length: length, at: lineStart) }
  }

  private mutating func noteOverLimit(length: Int, at lineStart: Int) {
    guard counts[.overLimit] == nil else { return }
    let (what, limit) = length > limits.line ? ("a line", limits.line) : ("an event", limits.event)
    note(
      .overLimit, at: length > limits.line ? lineStart : blockStart ?? lineStart,
      "\(what) of more than \(limit) bytes: a client gives up there, and what follows is lost")
  }

  private mutating func beginBlock(at offset: Int) {
    if blockStart == nil { blockStart = offset }
  }

  private mutating func endBlock() {
    blockStart = nil
    blockHoldsEvent = false
    dataLength = 0
  }

  private mutating func readLine(isWhole: Bool) {
    beginBlock(at: lineStart)
    measure(length: lineLength, isData: held.starts(with: "data:".utf8), at: lineStart)
    var bytes = held[...]
    if lineStart == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      bytes = bytes.dropFirst(3)
      lineStart = 3
    }
    guard let first = bytes.first, !isOtherFormat else { return }
    if !sawLine, [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "<")].contains(first) {
      isOtherFormat = true
      let format = first == UInt8(ascii: "<") ? "HTML or XML" : "JSON"
      return note(.notAnEventStream, at: lineStart, "the body looks like \(format), not like an event stream")
    }
    sawLine = true
    let name = bytes.prefix { $0 != 0x3A }
    var value = bytes.dropFirst(name.count + 1)
    if name.isEmpty { return readComment(value) }
    if sawEndMark { noteAfterEndMark() }
    guard isWhole else { return }  // discarded whatever it says
    if value.first == 0x20 { value = value.dropFirst() }
    switch String(decoding: name, as: UTF8.self) {
    case "data":
      if value.elementsEqual("[DONE]".utf8) { sawEndMark = true }
      blockHoldsEvent = true
    case "event": blockHoldsEvent = true
    case "id":
      if lineHoldsNUL {
        note(.nulInID, at: lineStart, "an id that holds NUL is ignored")
      } else {
        blockHoldsEvent = true
      }
    case "retry":
      if value.isEmpty || !value.allSatisfy({ (0x30...0x39).contains($0) }) {
        note(.badRetry, at: lineStart, "a retry that is not all digits is ignored")
      }
    case let unknown:
      note(.unknownField, at: lineStart, "the unknown field \"\(Self.printable(unknown))\" is ignored")
    }
  }

  /// Proxies that give up write their error as the next line, where its leading colon makes it a comment.
  private mutating func readComment(_ text: ArraySlice<UInt8>) {
    let digits = text.drop { $0 == 0x20 }.prefix(4)
    guard digits.count >= 3, let kind = digits.first, kind == 0x34 || kind == 0x35,
      digits.dropFirst().prefix(2).allSatisfy({ (0x30...0x39).contains($0) }),
      digits.count == 3 || digits.last == 0x3A || digits.last == 0x20
    else { return }
    note(
      .errorComment, at: lineStart,
      "a comment that begins like the HTTP error \(String(decoding: digits.prefix(3), as: UTF8.self))")
  }

  private mutating func noteAfterEndMark() {
    guard counts[.afterEndMark] == nil else { return }
    note(.afterEndMark, at: lineStart, "the stream goes on after data: [DONE]")
  }

  private mutating func note(_ code: StreamWarning.Code, at offset: Int, _ what: String) {
    counts[code, default: 0] += 1
    if counts[code, default: 0] <= Self.mostOfAKind { found.append(StreamWarning(code, at: offset, what)) }
  }

  /// A field name fit for a terminal: escaped, and cut at 32 characters.
  private static func printable(_ name: String) -> String {
    let escaped = name.unicodeScalars.prefix(32).map { $0.escaped(asASCII: false) }.joined()
    return name.unicodeScalars.count > 32 ? escaped + "…" : escaped
  }
}

/// A check of UTF-8 byte by byte (Unicode 15, table 3-7), for bytes that come in chunks. It finds a fault where the
/// standard's decoder puts a replacement character.
private struct UTF8Check: Sendable {
  /// How many bytes of an unfinished character have come.
  private(set) var length = 0
  private var remaining = 0
  private var lower: UInt8 = 0x80
  private var upper: UInt8 = 0xBF

  var isInside: Bool { remaining > 0 }

  /// Takes a byte.
  ///
  /// - Returns: how many bytes right before this one are a character that it doesn't go on with, 0 for none, and whether
  ///   the byte can't stand here itself.
  mutating func take(_ byte: UInt8) -> (cutShort: Int, isStray: Bool) {
    guard remaining > 0 else { return (0, !begins(byte)) }
    let fits = (lower...upper).contains(byte)
    (lower, upper) = (0x80, 0xBF)
    if fits {
      remaining -= 1
      length = remaining > 0 ? length + 1 : 0
      return (0, false)
    }
    let cutShort = length
    (remaining, length) = (0, 0)
    return (cutShort, !begins(byte))
  }

  /// Whether a character can begin with the byte.
  private mutating func begins(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x00...0x7F: return true
    case 0xC2...0xDF: remaining = 1
    case 0xE0: (remaining, lower) = (2, 0xA0)
    case 0xED: (remaining, upper) = (2, 0x9F)
    case 0xE1...0xEF: remaining = 2
    case 0xF0: (remaining, lower) = (3, 0x90)
    case 0xF1...0xF3: remaining = 3
    case 0xF4: (remaining, upper) = (3, 0x8F)
    case _: return false
    }
    length = 1
    return true
  }
}

extension Span<UInt8> {
  /// Whether all bytes are ASCII.
  fileprivate var isASCII: Bool {
    unsafe withUnsafeBufferPointer { unsafe $0.reduce(0, |) < 0x80 }
  }

  /// Whether one of the bytes is NUL.
  fileprivate var hasNUL: Bool {
    unsafe withUnsafeBufferPointer { unsafe $0.reduce(.max, Swift.min) == 0 }
  }
}
