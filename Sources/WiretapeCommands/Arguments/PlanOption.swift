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
