// What is wrong with the text of a plan, for programs by its code and for people in words.

/// A boundary plan that can't be read. Errors are equal when their codes are.
public struct ChunkBoundaryPlanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// No plan has this name.
    public static let unknownPlan = Code(name: "unknownPlan")
    /// The plan needs a number or a list after a colon.
    public static let missingArgument = Code(name: "missingArgument")
    /// The plan takes nothing after its name.
    public static let unexpectedArgument = Code(name: "unexpectedArgument")
    /// A number is malformed or out of range.
    public static let invalidNumber = Code(name: "invalidNumber")
    /// The offsets are not in increasing order.
    public static let unorderedOffsets = Code(name: "unorderedOffsets")
  }

  /// What kind of mistake it is.
  public let code: Code
  /// The part that can't be read and what may stand there, for people.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }

  /// Whether both have the same code.
  public static func == (a: Self, b: Self) -> Bool { a.code == b.code }
  /// Hashes the code.
  public func hash(into hasher: inout Hasher) { hasher.combine(code) }
}
