// `--boundaries PLAN`, the same for every verb that cuts a stream.

import EventCassettes

extension Option where Value == ChunkBoundaryPlan {
  /// A boundary plan.
  static func plan(_ names: String..., help: String) -> Option<ChunkBoundaryPlan> {
    Option(
      names, value: "PLAN",
      completion: .choice(["recorded", "whole", "bytes:1", "random:1", "hostile", "each"]),
      help: help
    ) { (text: String) throws(UsageProblem) in
      do { return try ChunkBoundaryPlan(parsing: text) } catch { throw UsageProblem(": \(error)") }
    }
  }
}

extension Verb.Note {
  /// What a plan may be.
  static let plans = Verb.Note(
    heading: "PLAN", text: singlePlans.text + " each: every single split point, one run each.")

  /// What a plan may be where one way to cut is wanted.
  static let singlePlans = Verb.Note(
    heading: "PLAN",
    text: """
      recorded: the chunks as they came. whole: one chunk for each exchange. bytes:N: chunks of N bytes. random:SEED: \
      chunks of random lengths, the same for the same seed. at:OFFSET,…: cuts at these offsets into the body bytes. \
      hostile: a cut at every place where parsers go wrong, such as inside CRLF, blank lines, UTF-8 sequences and \
      field names, with empty chunks between.
      """)
}
