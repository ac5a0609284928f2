// The fields an event stream knows, and how a line's name is recognised: as bytes, never as Characters, so that a
// combining mark after the colon is not taken for part of the name.

/// What a line carries. Unknown fields are `nil` where one of these is looked for.
enum EventStreamField: Equatable, Sendable {
  case data, event, id, retry, comment

  /// The longest name, in bytes.
  static let longestName = 5

  /// The field with exactly this name, `nil` for an unknown one; a line with an empty name is a comment. Names are
  /// case-sensitive (section 9.2.6).
  init?(name: Span<UInt8>) {
    guard name.count <= Self.longestName else { return nil }
    // With a colon after it, a name is a known one exactly where a line would be told to start with it.
    let colon: UInt64 = 0x3A
    let word = name.word(at: 0) | colon << UInt64(name.count * 8)
    guard let field = Self(line: word), field.prefixLength == name.count + 1 else { return nil }
    self = field
  }

  /// The field that a line starts with, judged by the line's first eight bytes (lowest first); `nil` where they don't
  /// hold a known name with a colon.
  @inline(__always)
  init?(line word: UInt64) {
    if Self.data.begins(line: word) {
      self = .data
    } else if Self.comment.begins(line: word) {
      self = .comment
    } else if Self.id.begins(line: word) {
      self = .id
    } else if Self.event.begins(line: word) {
      self = .event
    } else if Self.retry.begins(line: word) {
      self = .retry
    } else {
      return nil
    }
  }

  /// Whether a line with these first eight bytes has this field's name and a colon. No byte of them is a line end.
  @inline(__always)
  func begins(line word: UInt64) -> Bool {
    switch self {
    case .data: word & 0xFF_FFFF_FFFF == Self.dataColon
    case .event: word & 0xFFFF_FFFF_FFFF == Self.eventColon
    case .id: word & 0xFF_FFFF == Self.idColon
    case .retry: word & 0xFFFF_FFFF_FFFF == Self.retryColon
    case .comment: word & 0xFF == 0x3A
    }
  }

  /// How many bytes the name and its colon have.
  @inline(__always)
  var prefixLength: Int {
    switch self {
    case .data: 5
    case .event, .retry: 6
    case .id: 3
    case .comment: 1
    }
  }

  // The names with their colons, first byte lowest.
  private static let dataColon: UInt64 = 0x3A_6174_6164
  private static let eventColon: UInt64 = 0x3A74_6E65_7665
  private static let idColon: UInt64 = 0x3A_6469
  private static let retryColon: UInt64 = 0x3A79_7274_6572
}

/// A `retry` value read digit by digit: ASCII digits alone, at least one; what overflows saturates.
struct RetryDigits: Equatable, Sendable {
  private var milliseconds: Int64 = 0
  private var isValid = true
  private var isEmpty = true

  /// The value, if all so far are digits and there is one.
  var value: Int64? { isValid && !isEmpty ? milliseconds : nil }

  /// The value of digits that are all at hand.
  static func value(of digits: Span<UInt8>) -> Int64? {
    if digits.count <= 18, !digits.isEmpty {  // can't overflow
      var milliseconds: Int64 = 0
      for index in digits.indices {
        let digit = digits[index] &- 0x30
        guard digit <= 9 else { return nil }
        milliseconds = milliseconds &* 10 &+ Int64(digit)
      }
      return milliseconds
    }
    var read = RetryDigits()
    for index in digits.indices { read.append(digits[index]) }
    return read.value
  }

  mutating func append(_ byte: UInt8) {
    isEmpty = false
    guard (0x30...0x39).contains(byte) else { isValid = false; return }
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 10)
    let (sum, carry) = product.addingReportingOverflow(Int64(byte - 0x30))
    milliseconds = overflow || carry ? .max : sum
  }
}
