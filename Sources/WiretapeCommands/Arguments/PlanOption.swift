// `--boundaries PLAN`, the same for every verb that cuts a stream.

import EventCassettes

extension Option where Value == ChunkBoundaryPlan {
  /// A boundary plan.
  static func plan(_ names: String..., help: String) -> Option<ChunkBoundaryPlan> {
    Option(
      names, value: "PLAN",
      completion: .choice(ChunkBoundaryPlan.kinds.map(\.example)),
      help: help
    ) { (text: String) throws(UsageProblem) in
      do { return try ChunkBoundaryPlan(parsing: text) } catch { throw UsageProblem(": \(error)") }
    }
  }
}

extension ChunkBoundaryPlan {
  /// What to say of offsets that cut nothing in a session with so many body bytes; `nil` if all do.
  func warning(bodyBytes: Int) -> String? {
    let behind = (offsets ?? []).filter { $0 >= bodyBytes }
    guard let first = behind.first else { return nil }
    let places = behind.count == 1 ? "offset \(first)" : "\(behind.count) offsets from \(first) on"
    return "plan ‘\(self)’ cuts nothing at \(places): the session’s bodies have \(bodyBytes) bytes"
  }
}

extension Cassette {
  /// How many bytes its bodies have together, as the offsets of a plan count.
  var bodyBytes: Int { exchanges.reduce(0) { $0 + $1.chunks.reduce(0) { $0 + $1.bytes.count } } }
}

extension Verb.Note {
  /// What a plan may be.
  static let plans = Verb.Note(heading: "PLAN", text: text(of: ChunkBoundaryPlan.kinds))

  /// What a plan may be where one way to cut is wanted.
  static let singlePlans = Verb.Note(
    heading: "PLAN", text: text(of: ChunkBoundaryPlan.kinds.filter { $0.syntax != "each" }))

  private static func text(of kinds: [(syntax: String, example: String, summary: String)]) -> String {
    kinds.map { "\($0.syntax): \($0.summary)." }.joined(separator: " ")
  }
}
