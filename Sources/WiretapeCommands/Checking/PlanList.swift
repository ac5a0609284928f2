// A list of boundary plans in one argument.

import EventCassettes

extension Option where Value == [ChunkBoundaryPlan] {
  /// Plans separated by commas or blanks. `at:` takes the numbers that follow it.
  static func plans(_ names: String..., help: String) -> Option<[ChunkBoundaryPlan]> {
    Option(names, value: "PLANS", help: help) { (text: String) throws(UsageProblem) in
      var words: [String] = []
      for word in text.split(whereSeparator: { $0 == "," || $0 == " " || $0 == ";" }) {
        if wholeNumber(word) != nil, let last = words.last, last.hasPrefix("at:") {
          words[words.count - 1] = last + "," + word
        } else {
          words.append(String(word))
        }
      }
      guard !words.isEmpty else { throw UsageProblem("takes plans, such as hostile,bytes:1") }
      var plans: [ChunkBoundaryPlan] = []
      for word in words {
        do { plans.append(try ChunkBoundaryPlan(parsing: word)) } catch { throw UsageProblem(": \(error)") }
      }
      return plans
    }
  }
}
