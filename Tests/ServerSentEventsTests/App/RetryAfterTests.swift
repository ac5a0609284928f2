// The Retry-After table: every form of RFC 9110, the two-digit-year rule, and what must be refused.
import ServerSentEvents
import Testing

@Suite("Retry-After") struct RetryAfterTests {
  /// 2026-11-30T12:00:00Z
  static let now: Int64 = 1_796_040_000

  @Test(
    "seconds are read as they stand and saturate",
    arguments: [
      ("0", 0), ("1", 1), ("120", 120), ("  120\t", 120), ("0000000000000000000000000007", 7),
      ("2147483648", 1 << 31), ("2147483649", 1 << 31), ("9223372036854775807", 1 << 31),
      ("9223372036854775808", 1 << 31), (String(repeating: "9", count: 40), 1 << 31),
    ] as [(String, Int64)])
  func seconds(text: String, delay: Int64) {
    #expect(RetryAfter(text, now: Self.now) == .delay(seconds: delay))
    #expect(RetryAfter(text, now: Self.now)?.delay(now: Self.now) == delay)
  }

  @Test(
    "all three date forms are read",
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777),
      ("Mon, 30 Nov 2026 12:02:00 GMT", 1_796_040_120),
      ("Monday, 30-Nov-26 12:02:00 GMT", 1_796_040_120),
      ("Mon Nov 30 12:02:00 2026", 1_796_040_120),
      ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Wed, 31 Dec 1969 23:59:59 GMT", -1),
      ("Thu, 29 Feb 2024 00:00:00 GMT", 1_709_164_800),
      ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799),
      ("Sat, 01 Jan 0000 00:00:00 GMT", -62_167_219_200),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
      ("Sat, 31 Dec 2016 23:59:60 GMT", 1_483_228_800),  // a leap second
      ("Tue, 06 Nov 1994 08:49:37 GMT", 784_111_777),  // the wrong day name
      ("sun, 06 nov 1994 08:49:37 gmt", 784_111_777),
    ] as [(String, Int64)])
  func dates(text: String, unixSeconds: Int64) {
    #expect(RetryAfter(text, now: Self.now) == .date(unixSeconds: unixSeconds))
  }

  @Test(
    "a two-digit year is at most fifty years ahead",
    arguments: [
      // (text, now, the year meant)
      ("Monday, 30-Nov-76 12:00:00 GMT", now, "Mon, 30 Nov 2076 12:00:00 GMT"),  // fifty years to the second
      ("Monday, 30-Nov-76 12:00:01 GMT", now, "Tue, 30 Nov 1976 12:00:01 GMT"),
      ("Monday, 01-Jan-77 00:00:00 GMT", now, "Sat, 01 Jan 1977 00:00:00 GMT"),
      ("Monday, 01-Jan-99 00:00:00 GMT", now, "Fri, 01 Jan 1999 00:00:00 GMT"),
      ("Monday, 01-Jan-00 00:00:00 GMT", now, "Sat, 01 Jan 2000 00:00:00 GMT"),
      // shortly before a century ends, small years are the next one's
      ("Monday, 01-Jan-01 00:00:00 GMT", 946_598_400, "Mon, 01 Jan 2001 00:00:00 GMT"),
      ("Friday, 01-Jan-01 00:00:00 GMT", 4_070_908_800, "Sat, 01 Jan 2101 00:00:00 GMT"),
      ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
    ] as [(String, Int64, String)])
  func twoDigitYears(text: String, now: Int64, meant: String) {
    let date = RetryAfter(text, now: now)
    #expect(date != nil)
    #expect(date == RetryAfter(meant, now: now))
  }

  @Test(
    "anything else is no Retry-After",
    arguments: [
      "", " ", "-1", "+1", "1.5", "1e3", "0x10", "12 0", "120s", "１２", "soon", "120, 240",
      "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0000",
      "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06-Nov-94 08:49:37 GMT",
      "Sunday, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
      "Sun, 06 Nov 1994 08:49:61 GMT", "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT",
      "Wed, 29 Feb 2023 00:00:00 GMT", "Mon, 29 Feb 2100 00:00:00 GMT", "Sun, 06 Abc 1994 08:49:37 GMT",
      "Sun Nov 6 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Sunday Nov  6 08:49:37 1994", "Sun,",
      "Sun, 06 Nov 1994 08:49:37 GMT x", "1994-11-06T08:49:37Z", "S\u{FC}n, 06 Nov 1994 08:49:37 GMT",
    ])
  func refused(text: String) {
    #expect(RetryAfter(text, now: Self.now) == nil)
  }

  @Test("a date that has passed gives no delay, a far one the longest")
  func delays() {
    #expect(RetryAfter.date(unixSeconds: 90).delay(now: 100) == 0)
    #expect(RetryAfter.date(unixSeconds: 100).delay(now: 100) == 0)
    #expect(RetryAfter.date(unixSeconds: 130).delay(now: 100) == 30)
    #expect(RetryAfter.date(unixSeconds: .max).delay(now: .min) == RetryAfter.longestDelay)
    #expect(RetryAfter.date(unixSeconds: .min).delay(now: .max) == 0)
    #expect(RetryAfter.delay(seconds: .max).delay(now: .max) == RetryAfter.longestDelay)
    #expect(RetryAfter.delay(seconds: -1).delay(now: 0) == 0)
  }

  @Test("no clock reading traps", arguments: [Int64.min, -1, 0, 253_402_300_799, .max])
  func extremeNow(now: Int64) {
    #expect(RetryAfter("Sunday, 06-Nov-94 08:49:37 GMT", now: now) != nil)
  }

  @Test("every day of a century has its own second")
  func everyDay() throws {
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    var expected: Int64 = 820_454_400  // 1996-01-01
    for year in 1996..<2105 {
      for month in months {
        for day in 1...31 {
          let text = "Sun, \(day < 10 ? "0" : "")\(day) \(month) \(year) 00:00:00 GMT"
          guard let date = RetryAfter(text, now: 0) else {
            try #require(day > 28)
            continue
          }
          try #require(date == .date(unixSeconds: expected), "\(text)")
          expected += 86_400
        }
      }
    }
    #expect(expected == 4_260_211_200)  // 2105-01-01
  }
}
