// What an oracle says when it doesn't hold: a value, so that a fuzz target can trap with it, a test can fail with
// it and a program can print it.

/// A parser did something that one of the oracles rules out.
public struct Finding: Error, Hashable, Sendable {
  /// The name of the oracle.
  public let oracle: String
  /// How the bytes were delivered, in the plan language (`whole`, `bytes:1`, `at:3,7`).
  public let delivery: String
  /// What should have come.
  public let expected: String
  /// What came.
  public let got: String

  /// A finding of an oracle.
  public init(oracle: String, delivery: String, expected: String, got: String) {
    self.oracle = oracle
    self.delivery = delivery
    self.expected = expected
    self.got = got
  }
}

extension Finding: CustomStringConvertible {
  /// The oracle, the delivery, what should have come and what came.
  public var description: String {
    """
    \(oracle): does not hold
      split: \(delivery)
      expected: \(expected)
      got:      \(got)
    """
  }
}
