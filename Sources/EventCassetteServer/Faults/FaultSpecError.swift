// What is wrong with the text of a fault, for programs by its code and for people in words.

/// A fault that can't be read from its text. Errors are equal when their codes are.
public struct FaultSpecError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is. More may be added.
  public struct Code: Hashable, Sendable {
    let name: String
    /// No fault has this name.
    public static let unknownKind = Code(name: "unknownKind")
    /// The place is missing or can't be read.
    public static let invalidPlace = Code(name: "invalidPlace")
    /// A value that the kind needs is missing.
    public static let missingValue = Code(name: "missingValue")
    /// A value can't be read or is out of range.
    public static let invalidValue = Code(name: "invalidValue")
    /// The kind takes no such value.
    public static let unexpectedValue = Code(name: "unexpectedValue")
  }

  /// What kind of mistake it is.
  public let code: Code
  /// What can't be read and how it is written, for people.
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
