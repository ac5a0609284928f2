// A body that something on the way has damaged: a client must neither trap nor lose more than what was hit.

import EventCassettes

/// Random bytes stand in the body.
struct GarbageFault: Fault {
  static let syntax = "garbage@PLACE:BYTES[,seed=N]"
  static let summary = "puts random bytes in"

  let bytes: Int
  let seed: UInt64

  /// The most bytes that one fault puts in: they are made in memory.
  static let mostBytes = 1 << 24

  var values: String { "\(bytes)" + (seed == 0 ? "" : ",seed=\(seed)") }

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    var generator = SplitMix64(seed: seed)
    let garbage = (0..<bytes).map { _ in UInt8(truncatingIfNeeded: generator.next() >> 56) }
    return [.body(at: offset, [.insert(garbage)])]
  }
}

extension GarbageFault {
  init(_ values: inout FaultValues) throws(FaultSpecError) {
    bytes = try values.number(in: 1...Self.mostBytes)
    seed = values.has("seed") ? try values.number("seed", in: 0...UInt64.max) : 0
  }
}

extension FaultSpec.Kind {
  /// `garbage@PLACE:BYTES[,seed=N]`: so many random bytes are put into the body.
  public static func garbage(bytes: Int, seed: UInt64) -> Self {
    Self(GarbageFault(bytes: bytes, seed: seed))
  }
}
