// The part of a plan's text behind the colon.

/// The argument of a plan, with the plan's text for messages.
struct PlanArgument {
  /// What stands behind the colon.
  let text: Substring
  /// The plan's whole text.
  let plan: String

  /// A number as a plan spells it: plain decimal digits without leading zeros. (Swift's own initializers take signs; a
  /// plan has one spelling only.)
  static func number<N: FixedWidthInteger>(_ text: Substring) -> N? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      text.utf8.count == 1 || text.utf8.first != 0x30
    else { return nil }
    return N(text)
  }
}
