// A fault that was asked for and did not happen: whoever relies on it should know.

/// A fault of a replay server that no client has met.
public struct UnusedFault: Hashable, Sendable, CustomStringConvertible {
  /// The fault.
  public let fault: FaultSpec
  /// Why none ever will, by what the cassette holds; `nil` where one may still come to it.
  public let obstacle: String?

  /// The fault and why it did not happen, in a sentence.
  public var description: String {
    let name = "fault ‘\(fault)’"
    guard let obstacle else { return "\(name) did not happen: no answer got so far" }
    return "\(name) can't happen: \(obstacle)"
  }
}
