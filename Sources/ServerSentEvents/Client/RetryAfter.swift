// The Retry-After field's grammar and nothing else: seconds, or any of HTTP's three date forms, turned into a delay.
// No Foundation, no clock: "now" is given. What the client makes of a delay (caps, jitter) is its policy's business.

/// The value of a `Retry-After` header field: how long the server asks the client to wait.
///
/// See RFC 9110, sections 10.2.3 (Retry-After) and 5.6.7 (the three date forms).
///
/// Reading is strict about the shape and forgiving where servers are known to err: letter case is ignored, and so is
/// a day name that doesn't fit its date. Anything else (signs, fractions, other zones, `31 Feb`) is not a Retry-After.
public enum RetryAfter: Hashable, Sendable {
  /// So many seconds after the response. A number past ``longestDelay`` counts as that.
  case delay(seconds: Int64)
  /// At a time in seconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  case date(unixSeconds: Int64)

  /// The delay in seconds that a longer one counts as: 2³¹, which RFC 9111, section 1.2.2, takes for numbers too large.
  public static let longestDelay: Int64 = 1 << 31

  /// Reads a field value, or gives `nil` if it's neither seconds nor a date.
  ///
  /// - Parameters:
  ///   - fieldValue: the value as received; spaces and tabs around it are ignored.
  ///   - now: the present in Unix seconds. Only the two-digit year of the RFC 850 form needs it: a date more than
  ///     fifty years ahead is taken for the last year past that ends in the same digits.
  public init?(_ fieldValue: String, now: Int64) {
    var bytes = Array(fieldValue.utf8)[...]
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    if let first = bytes.first, isDigit(first) {
      guard let seconds = Self.saturatedSeconds(bytes) else { return nil }
      self = .delay(seconds: seconds)
    } else {
      var reader = HTTPDateReader(rest: bytes)
      guard let seconds = reader.read(now: now) else { return nil }
      self = .date(unixSeconds: seconds)
    }
  }

  /// The seconds to wait from `now` (Unix seconds), between 0 and ``longestDelay``. A date that has passed gives 0.
  public func delay(now: Int64) -> Int64 {
    switch self {
    case .delay(let seconds):
      return min(max(seconds, 0), Self.longestDelay)
    case .date(let date):
      let (difference, overflow) = date.subtractingReportingOverflow(now)
      if overflow { return date < now ? 0 : Self.longestDelay }
      return min(max(difference, 0), Self.longestDelay)
    }
  }

  private static func saturatedSeconds(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for byte in digits {
      guard isDigit(byte) else { return nil }
      // Capped at every step, so that it can't overflow.
      value = min(value * 10 + Int64(byte - UInt8(ascii: "0")), longestDelay)
    }
    return value
  }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// Reads `IMF-fixdate`, `rfc850-date` and `asctime-date`, which their fourth to seventh bytes tell apart.
private struct HTTPDateReader {
  var rest: ArraySlice<UInt8>

  mutating func read(now: Int64) -> Int64? {
    guard let dayNameLength = dayName() else { return nil }
    if skip(", ") {
      return dayNameLength == 3 ? fixdate() : rfc850(now: now)
    }
    return dayNameLength == 3 && skip(" ") ? asctime() : nil
  }

  /// `06 Nov 1994 08:49:37 GMT`
  private mutating func fixdate() -> Int64? {
    guard let day = number(digits: 2), skip(" "), let month = month(), skip(" "),
      let year = number(digits: 4), skip(" "), let time = timeOfDay(), skip(" GMT"), rest.isEmpty
    else { return nil }
    return unixSeconds(year: year, month: month, day: day, time: time)
  }

  /// `06-Nov-94 08:49:37 GMT`
  private mutating func rfc850(now: Int64) -> Int64? {
    guard let day = number(digits: 2), skip("-"), let month = month(), skip("-"),
      let twoDigits = number(digits: 2), skip(" "), let time = timeOfDay(), skip(" GMT"), rest.isEmpty
    else { return nil }
    // The newest year with these two digits that is at most fifty years ahead; 29 February has to exist in it.
    let now = min(max(now, 0), lastSecondOf9999)
    let thisYear = civilYear(unixSeconds: now)
    let century = thisYear - thisYear % 100
    for year in [century + 100 + twoDigits, century + twoDigits, century - 100 + twoDigits]
    where year <= thisYear + 50 {
      guard let seconds = unixSeconds(year: year, month: month, day: day, time: time) else { continue }
      // Fifty years ahead to the year: then the calendar's date decides, so bring it back to this year and compare.
      // 29 February is compared as 1 March where this year has none.
      if year == thisYear + 50 {
        let here = unixSeconds(year: thisYear, month: month, day: day, time: time)
        if (here ?? unixSeconds(year: thisYear, month: 3, day: 1, time: time) ?? 0) > now { continue }
      }
      return seconds
    }
    return nil
  }

  /// `Nov  6 08:49:37 1994`
  private mutating func asctime() -> Int64? {
    guard let month = month(), skip(" ") else { return nil }
    guard let day = skip(" ") ? number(digits: 1) : number(digits: 2), skip(" "), let time = timeOfDay(),
      skip(" "), let year = number(digits: 4), rest.isEmpty
    else { return nil }
    return unixSeconds(year: year, month: month, day: day, time: time)
  }

  /// Seconds since midnight; 60 is the grammar's leap second and counts as the next minute's first.
  private mutating func timeOfDay() -> Int64? {
    guard let hour = number(digits: 2), hour < 24, skip(":"), let minute = number(digits: 2), minute < 60,
      skip(":"), let second = number(digits: 2), second <= 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }

  private mutating func dayName() -> Int? {
    let days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    for day in days where skip(day) { return day.utf8.count }
    for day in days where skip(String(day.prefix(3))) { return 3 }
    return nil
  }

  private mutating func month() -> Int64? {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    for (index, month) in months.enumerated() where skip(month) { return Int64(index + 1) }
    return nil
  }

  private mutating func number(digits: Int) -> Int64? {
    guard rest.count >= digits, rest.prefix(digits).allSatisfy(isDigit) else { return nil }
    let value = rest.prefix(digits).reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    rest.removeFirst(digits)
    return value
  }

  private mutating func skip(_ text: String) -> Bool {
    let head = rest.prefix(text.utf8.count)
    guard String(decoding: head, as: UTF8.self).equalsIgnoringASCIICase(text) else { return false }
    rest.removeFirst(head.count)
    return true
  }
}

// The proleptic Gregorian calendar in integers. Years here have at most four digits, so nothing overflows.

private let lastSecondOf9999: Int64 = 253_402_300_799

private func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

/// The Unix time at which a year ≥ 0 begins. The leap days before year Y are those of the years 0 to Y − 1.
private func unixSecondsOfYear(_ year: Int64) -> Int64 {
  let last = year - 1
  let leapDays = year == 0 ? 0 : last / 4 - last / 100 + last / 400 + 1  // year 0 is a leap year
  return (year * 365 + leapDays - 719_528) * 86_400  // 719,528 days from 0000-01-01 to 1970-01-01
}

private func civilYear(unixSeconds: Int64) -> Int64 {
  var year = 1970 + unixSeconds / 31_556_952  // the mean year; off by one at most near New Year
  if unixSecondsOfYear(year) > unixSeconds { year -= 1 }
  if unixSecondsOfYear(year + 1) <= unixSeconds { year += 1 }
  return year
}

private func unixSeconds(year: Int64, month: Int64, day: Int64, time: Int64) -> Int64? {
  let lengths: [Int64] = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  let month = Int(month)
  guard day >= 1, day <= lengths[month - 1] else { return nil }
  let days = lengths.prefix(month - 1).reduce(day - 1, +)
  return unixSecondsOfYear(year) + days * 86_400 + time
}
