// A body without its end: what came of the last event must not be dispatched.

/// The connection ends before the body does.
struct TruncateFault: Fault {
  static let syntax = "truncate@PLACE"
  static let summary = "closes the connection without the end of the body"

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    [.body(at: offset, [.cut])]
  }
}

extension TruncateFault {
  init(_ values: inout FaultValues) {}
}

extension FaultSpec.Kind {
  /// `truncate@PLACE`: the connection is closed without the end of the body.
  public static let truncate = Self(TruncateFault())
}
