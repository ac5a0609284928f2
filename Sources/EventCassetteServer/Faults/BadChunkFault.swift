// A client must take a broken chunked coding for a broken connection, never for the end of the body.

/// The chunked coding breaks.
struct BadChunkFault: Fault {
  static let syntax = "bad-chunk@PLACE"
  static let summary = "breaks the chunked coding"

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    [.body(at: offset, [.insertRaw(Array("zz\r\n".utf8)), .cut])]
  }
}

extension BadChunkFault {
  init(_ values: inout FaultValues) {}
}

extension FaultSpec.Kind {
  /// `bad-chunk@PLACE`: the chunked coding breaks: a size line that is no number, then the end of the connection.
  public static let badChunk = Self(BadChunkFault())
}
