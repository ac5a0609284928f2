// The fields an event stream knows, and how a line's name is recognised: as bytes, never as Characters, so that a
// combining mark after the colon is not taken for part of the name.

/// What a line carries. Unknown fields are `nil` where one of these is looked for.
enum EventStreamField: Equatable, Sendable {
  case data, event, id, retry, comment

  /// The field that a line starts with, judged by the line's first eight bytes (lowest first; what follows a line end
  /// among them doesn't count, as no name holds one); `nil` where they don't begin with a known name and a colon.
  @inline(__always)
  init?(line word: UInt64) {
    let first = UInt32(truncatingIfNeeded: word)
    let next = UInt16(truncatingIfNeeded: word &>> 32)
    switch first {
    case Part.data where UInt8(truncatingIfNeeded: next) == colon: self = .data
    case Part.even where next == Part.tColon: self = .event
    case Part.retr where next == Part.yColon: self = .retry
    case _ where UInt8(truncatingIfNeeded: first) == colon: self = .comment
    case _ where first & 0xFF_FFFF == Part.idColon: self = .id
    default: return nil
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

  /// The names in the parts that are compared, as numbers whose lowest byte is the first.
  private enum Part {
    static let data: UInt32 = 0x6174_6164
    static let even: UInt32 = 0x6E65_7665
    static let retr: UInt32 = 0x7274_6572
    static let tColon: UInt16 = 0x3A74
    static let yColon: UInt16 = 0x3A79
    static let idColon: UInt32 = 0x3A_6469
  }
}

/// A field's name read byte by byte, as long as it may be that of a known field.
struct FieldName: Equatable, Sendable {
  /// The bytes, first one lowest.
  private var word: UInt64 = 0
  private(set) var count = 0

  private static let longest = 5

  /// Takes the next byte. Says whether it was one of the name's first five: no known name is longer.
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < Self.longest else { return false }
    word |= UInt64(byte) &<< UInt64(truncatingIfNeeded: count &* 8)
    count &+= 1
    return true
  }

  /// The field with exactly this name, `nil` for an unknown one; a line with an empty name is a comment. Names are
  /// case-sensitive (section 9.2.6).
  var field: EventStreamField? {
    // With a colon after it, a name is a known one exactly where a line would be told to start with it.
    let line = word | UInt64(colon) &<< UInt64(truncatingIfNeeded: count &* 8)
    guard let field = EventStreamField(line: line), field.prefixLength == count + 1 else { return nil }
    return field
  }
}

/// A `retry` value read digit by digit: ASCII digits alone, at least one; what overflows saturates.
struct RetryDigits: Equatable, Sendable {
  private var milliseconds: Int64 = 0
  private var isValid = true
  private var isEmpty = true

  /// The value, if all so far are digits and there is one.
  var value: Int64? { isValid && !isEmpty ? milliseconds : nil }

  /// The value of the digits that lie in a range of the bytes.
  @inline(__always)
  static func value(of digits: Range<Int>, in bytes: Span<UInt8>) -> Int64? {
    if (1...8).contains(digits.count) {
      return value(ofFew: bytes.word(at: digits.lowerBound), count: digits.count)
    }
    return value(ofAny: bytes.extracting(digits))
  }

  /// The value of one to eight digits, the first one lowest in the word: neighbours become a number below 100, two of those
  /// one below 10,000, and those the value.
  @inline(__always)
  private static func value(ofFew word: UInt64, count: Int) -> Int64? {
    // The last digit is shifted up to the highest byte: what follows it falls out, and zeros lead.
    let digits = (word ^ 0x3030_3030_3030_3030) &<< UInt64(truncatingIfNeeded: (8 &- count) &* 8)
    // A byte above 9 has its highest bit set, or gets it.
    guard (digits | (digits &+ 0x7676_7676_7676_7676)) & 0x8080_8080_8080_8080 == 0 else { return nil }
    let pairs = (digits &* 10 &+ digits &>> 8) & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 100 &+ pairs &>> 16) & 0x0000_FFFF_0000_FFFF
    return Int64((fours &* 10_000 &+ fours &>> 32) & 0xFFFF_FFFF)
  }

  @inline(never)
  private static func value(ofAny digits: Span<UInt8>) -> Int64? {
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
