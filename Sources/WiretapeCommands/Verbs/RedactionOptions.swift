// What is masked on a cassette: the same options for every verb that writes one.

import EventCassettes

enum RedactionOptions {
  static let off = Option.flag(
    "--no-redact", help: "Masks nothing. Secrets then stand on the cassette as they came.")
  static let headers = Option.text(
    "--redact-header", value: "NAME", repeats: true,
    help:
      "Masks this header’s value too; where it is sent, no redirect takes it to another origin. Repeatable.")
  static let query = Option.text(
    "--redact-query", value: "NAME", repeats: true, help: "Masks this query item of URLs too. Repeatable.")
  static let keys = Option.text(
    "--redact-key", value: "NAME", repeats: true,
    help: "Masks this member of JSON bodies and payloads too. Repeatable.")
  static let patterns = Option<String>(
    ["--redact-regex"], value: "REGEX", repeats: true,
    help: """
      Masks what matches within one event’s data (at most 64 KiB of it), and all data from where that took longer than 2 s. \
      Repeatable.
      """
  ) { (text: String) throws(UsageProblem) in
    do { _ = try Regex(text) } catch { throw UsageProblem(": “\(text)” is no regular expression: \(error)") }
    return text
  }

  static let all: [OptionRow] = [off.row, headers.row, query.row, keys.row, patterns.row]

  /// The rules that the arguments ask for; `nil` for none.
  static func rules(_ arguments: Arguments, of verb: String) throws -> RedactionRules? {
    let additions =
      arguments.all(headers) + arguments.all(query) + arguments.all(keys) + arguments.all(patterns)
    guard !arguments.has(off) else {
      guard additions.isEmpty else {
        throw CommandError.usage(
          of: verb, "--no-redact masks nothing: it can’t stand beside another --redact option")
      }
      return nil
    }
    var rules = RedactionRules.standard
    rules.headers.formUnion(arguments.all(headers))
    rules.query.formUnion(arguments.all(query))
    rules.keys.formUnion(arguments.all(keys))
    rules.patterns += arguments.all(patterns)
    return rules
  }

  /// What to tell of data that was masked since a pattern took too long; `nil` if that didn't happen.
  static func warning(of redaction: Cassette.Redaction?) -> String? {
    warning(ofUnsearched: redaction?.unsearched ?? 0)
  }

  /// The same for a number of places.
  static func warning(ofUnsearched places: Int64) -> String? {
    places == 0
      ? nil
      : "--redact-regex took too long, so data is masked whole in \(counted(Int(clamping: places), "place")); "
        + "repeat nothing in it that repeats, such as (a+)+"
  }
}

extension Verb.Note {
  /// What redaction does where it can be turned off.
  static let redaction = redaction("Masked, unless --no-redact")

  /// What redaction does.
  static func redaction(_ beginning: String) -> Verb.Note {
    Verb.Note(
      heading: "Redaction",
      text: """
        \(beginning): header values such as Authorization, cookies and API keys; user info and query items \
        such as token and signature in URLs; JSON members such as password and access_token in bodies and data; and every \
        place where a value masked that way turns up again. The mask keeps the length in bodies, so that no offset moves.
        """)
  }
}
