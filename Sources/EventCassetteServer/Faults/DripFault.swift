// A slow server: a client must show what is there, and must not take it for an idle one.

/// The rest of the body comes slowly, a few bytes at a time.
struct DripFault: Fault {
  static let syntax = "drip@PLACE:BYTES,every=SECONDS"
  static let summary = "sends the rest so many bytes at a time"

  let bytes: Int
  let every: Duration

  var values: String { "\(bytes),every=\(every.secondsText)" }

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    [.body(at: offset, [.drip(bytes: bytes, every: every)])]
  }
}

extension DripFault {
  init(_ values: inout FaultValues) throws(FaultSpecError) {
    bytes = try values.number(in: 1...Int.max)
    every = try values.seconds("every")
  }
}

extension FaultSpec.Kind {
  /// `drip@PLACE:BYTES,every=SECONDS`: the rest of the body comes in pieces of so many bytes, a pause before each.
  public static func drip(bytes: Int, every: Duration) -> Self {
    Self(DripFault(bytes: bytes, every: every))
  }
}
