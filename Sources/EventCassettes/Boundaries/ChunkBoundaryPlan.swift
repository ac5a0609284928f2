// The plan as a value and as text: what `--boundaries` takes and what a finding prints. The ways to cut have a file each
// beside this one, and the list in `BoundaryRule.swift`. Parsing is strict and printing is its exact inverse, so a
// split that a check printed can always be pasted back.

/// Where a replay cuts the body bytes of a session into chunks.
///
/// A plan says nothing about time: a piece is delivered when its last byte was. Each exchange is cut by itself: a
/// chunk never spans two of them, nor, in a replay, a note.
///
/// As text: `recorded`, `whole`, `bytes:N`, `random:SEED`, `at:OFFSET,OFFSET,…`, `hostile` or `each`.
public struct ChunkBoundaryPlan: Hashable, Sendable {
  let rule: any BoundaryRule

  init(_ rule: some BoundaryRule) { self.rule = rule }

  /// Whether both cut the same way.
  public static func == (a: Self, b: Self) -> Bool { AnyHashable(a.rule) == AnyHashable(b.rule) }
  /// Hashes the way to cut.
  public func hash(into hasher: inout Hasher) { AnyHashable(rule).hash(into: &hasher) }
}

extension ChunkBoundaryPlan: CustomStringConvertible {
  /// The plan's text; ``init(parsing:)`` reads it back.
  public var description: String {
    let rule = type(of: rule)
    return rule.takesArgument ? "\(rule.name):\(self.rule.argument)" : rule.name
  }

  /// Reads a plan's text: `recorded`, `whole`, `bytes:N`, `random:SEED`, `at:OFFSET,OFFSET,…`, `hostile` or `each`.
  ///
  /// Numbers are plain decimal digits without leading zeros.
  /// - Throws: ``ChunkBoundaryPlanError``, which names the part that can't be read and what may stand there.
  public init(parsing text: String) throws(ChunkBoundaryPlanError) {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let rule = Self.rules.first(where: { $0.name == parts[0] }) else {
      throw .init(.unknownPlan, "‘\(text)’ is no boundary plan: use \(Self.syntax)")
    }
    if rule.takesArgument, parts.count == 1 {
      throw .init(
        .missingArgument, "plan ‘\(text)’ lacks its number: write it like \(rule.example)")
    }
    if !rule.takesArgument, parts.count == 2 {
      throw .init(
        .unexpectedArgument, "plan ‘\(text)’: ‘\(rule.name)’ takes nothing after it; write \(rule.name)")
    }
    self.init(try rule.init(PlanArgument(text: parts.count == 2 ? parts[1] : "", plan: text)))
  }

  /// What a plan may look like, for messages and help.
  public static var syntax: String {
    let all = rules.map { $0.syntax }
    return all.dropLast().joined(separator: ", ") + " or " + (all.last ?? "")
  }

  /// Every way to cut: how it is written, one that can be tried at once, and where it cuts, for help texts.
  public static var kinds: [(syntax: String, example: String, summary: String)] {
    rules.map { ($0.syntax, $0.example, $0.summary) }
  }
}
