// The limits of the product, judged line by line from the outside: how large the block would be after each byte of
// the line, and which byte is the first one too many.

import ServerSentEvents

/// How many bytes of each kind the lines of a block so far hold, as they came over the wire.
struct ReferenceBlockSize {
  private var data: Int?
  private var name = 0
  private var id = 0

  /// A line's field and where its value lies; `nil` for blank lines and comments.
  private static func field(
    of line: ReferenceLine
  ) -> (name: [Unicode.Scalar], valueStart: Int, valueEnd: Int, hasColon: Bool)? {
    let scalars = line.scalars
    guard let first = scalars.first, first != ":" else { return nil }
    let end = line.offset(after: scalars.count)
    guard let colon = scalars.firstIndex(of: ":") else { return (scalars, end, end, false) }
    let hasSpace = colon + 1 < scalars.count && scalars[colon + 1] == " "
    return (Array(scalars[..<colon]), line.offset(after: colon + (hasSpace ? 2 : 1)), end, true)
  }

  /// Counts a line that is within the limits.
  mutating func add(_ line: ReferenceLine) {
    guard let field = Self.field(of: line) else { return }
    let length = field.valueEnd - field.valueStart
    switch field.name {
    case ["d", "a", "t", "a"]: data = data.map { $0 + 1 + length } ?? length
    case ["e", "v", "e", "n", "t"]: name = length
    case ["i", "d"] where !line.scalars.contains("\0"): id = length
    default: break
    }
  }

  /// The first byte of the line that goes past a limit, if there is one. A line without its end counts as well, as
  /// far as it goes.
  func firstExcess(of line: ReferenceLine, _ limits: EventStreamParser.Limits) -> EventStreamLimitError? {
    var excesses: [(offset: Int, code: EventStreamLimitError.Code, limit: Int)] = []
    let lineEnd = line.offset(after: line.content.count)
    if lineEnd - line.start > limits.line {
      excesses.append((line.start + limits.line + 1, .lineTooLong, limits.line))
    }
    if let excess = eventExcess(of: line, limits.event) {
      excesses.append((excess, .eventTooLarge, limits.event))
    }
    // Where both are passed by the same byte it is the line's limit that counts: it stands first.
    return excesses.min { $0.offset < $1.offset }.map {
      EventStreamLimitError(code: $0.code, limit: $0.limit, offset: $0.offset)
    }
  }

  private func eventExcess(of line: ReferenceLine, _ limit: Int) -> Int? {
    guard let field = Self.field(of: line) else { return nil }
    let length = field.valueEnd - field.valueStart
    var others: Int
    switch field.name {
    case ["d", "a", "t", "a"]: others = name + id
    case ["e", "v", "e", "n", "t"]: others = (data ?? 0) + id
    case ["i", "d"]: others = (data ?? 0) + name
    default: return nil
    }
    guard field.hasColon || line.endsAt != nil else { return nil }
    if field.name == ["d", "a", "t", "a"], let data {
      others += data + 1
      if others > limit {
        // The LF between two data lines is the byte too many: it is known to come once the name is complete.
        return field.hasColon ? line.start + 5 : line.endsAt
      }
    }
    return length > limit - others ? field.valueStart + limit - others + 1 : nil
  }
}
