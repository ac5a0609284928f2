// The end that a crashed server or a proxy gives.

/// The connection breaks with a TCP RST.
struct ResetFault: Fault {
  static let syntax = "reset@PLACE"
  static let summary = "resets the connection"

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    [.body(at: offset, [.reset])]
  }
}

extension ResetFault {
  init(_ values: inout FaultValues) {}
}

extension FaultSpec.Kind {
  /// `reset@PLACE`: the connection is reset (TCP RST).
  public static let reset = Self(ResetFault())
}
