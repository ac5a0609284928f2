// The one wall-clock time of a recording, written as RFC 3339. Everything else in a cassette is monotonic.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Cassette.Header {
  /// An RFC 3339 text in UTC, such as `2026-01-31T23:59:59Z`.
  public static func timestamp(unixSeconds: Int64) -> String {
    let seconds = min(max(unixSeconds, -62_135_596_800), 253_402_300_799)  // the years 0001 to 9999
    let days = (seconds >= 0 ? seconds : seconds - 86_399) / 86_400
    let ofDay = seconds - days * 86_400
    // Days into years of 400-year cycles that begin in March, so that the leap day comes last.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let year = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * month + 2) / 5 + 1
    let calendarMonth = month < 10 ? month + 3 : month - 9
    let calendarYear = year + era * 400 + (calendarMonth <= 2 ? 1 : 0)
    return padded(calendarYear, 4) + "-" + padded(calendarMonth, 2) + "-" + padded(day, 2) + "T"
      + padded(ofDay / 3_600, 2) + ":" + padded(ofDay / 60 % 60, 2) + ":" + padded(ofDay % 60, 2) + "Z"
  }

  /// The present moment as a timestamp.
  public static func timestampNow() -> String {
    timestamp(unixSeconds: Int64(Date().timeIntervalSince1970))
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
