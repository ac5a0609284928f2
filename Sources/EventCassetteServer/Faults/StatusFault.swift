// A server that is not ready: a client comes back, and keeps to Retry-After.

import ServerSentEvents

/// A status instead of the answer.
struct StatusFault: Fault {
  static let syntax = "status@PLACE:CODE[,retry-after=VALUE]"
  static let summary = "answers with a status first"
  static let extent = FaultExtent.wholeHead

  let code: Int
  let retryAfter: String?

  var values: String { "\(code)" + (retryAfter.map { ",retry-after=\($0)" } ?? "") }

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    var headers: [HeaderField] = []
    if HTTPStatus.hasBody(code, method: "GET") { headers.append(HeaderField("Content-Length", "0")) }
    if let retryAfter { headers.append(HeaderField("Retry-After", retryAfter)) }
    return [.answer(PreparedExchange.Head(status: code, headers: headers))]
  }
}

extension StatusFault {
  init(_ values: inout FaultValues) throws(FaultSpecError) {
    code = try values.number(in: 200...999)
    retryAfter = values.has("retry-after") ? try values.headerText("retry-after") : nil
  }
}

extension FaultSpec.Kind {
  /// `status@PLACE:CODE[,retry-after=VALUE]`: instead of the answer, this status without a body; the session stays where
  /// it is, so the next request gets the answer. The place's offset is 0.
  public static func status(_ code: Int, retryAfter: String?) -> Self {
    Self(StatusFault(code: code, retryAfter: retryAfter))
  }
}
