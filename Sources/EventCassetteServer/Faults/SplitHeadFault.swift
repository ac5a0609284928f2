// A head in two packets, as a slow network delivers it: a client must wait for the rest.

/// The head comes in two pieces.
struct SplitHeadFault: Fault {
  static let syntax = "split-head@PLACE[:SECONDS]"
  static let summary = "sends the response head in two pieces"
  static let extent = FaultExtent.head

  let pause: Duration

  var values: String { pause == .zero ? "" : pause.secondsText }

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    [.splitHead(at: offset, pause: pause)]
  }
}

extension SplitHeadFault {
  init(_ values: inout FaultValues) throws(FaultSpecError) {
    pause = values.isEmpty ? .zero : try values.seconds()
  }
}

extension FaultSpec.Kind {
  /// `split-head@PLACE[:SECONDS]`: the response head is sent in two pieces with a pause between; here the place's offset
  /// counts bytes of the head.
  public static func splitHead(pause: Duration) -> Self { Self(SplitHeadFault(pause: pause)) }
}
