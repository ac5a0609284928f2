// Silence in the middle of a body: what an idle timeout is for.

/// The body falls silent for a time.
struct StallFault: Fault {
  static let syntax = "stall@PLACE:SECONDS"
  static let summary = "sends nothing for so long"

  let pause: Duration

  var values: String { pause.secondsText }

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    [.body(at: offset, [.pause(pause)])]
  }
}

extension StallFault {
  init(_ values: inout FaultValues) throws(FaultSpecError) { pause = try values.seconds() }
}

extension FaultSpec.Kind {
  /// `stall@PLACE:SECONDS`: nothing is sent for so long.
  public static func stall(_ pause: Duration) -> Self { Self(StallFault(pause: pause)) }
}
