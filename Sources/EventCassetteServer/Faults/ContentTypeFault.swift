// A client must refuse what is no event stream, whatever the body says.

import ServerSentEvents

/// The head names another content type.
struct ContentTypeFault: Fault {
  static let syntax = "type@PLACE:TYPE"
  static let summary = "answers with another content type"
  static let extent = FaultExtent.wholeHead

  let type: String

  var values: String { type }

  func effects(on exchange: PreparedExchange, at offset: Int) -> [FaultEffect] {
    [.setHeader(HeaderField("Content-Type", type))]
  }
}

extension ContentTypeFault {
  init(_ values: inout FaultValues) throws(FaultSpecError) { type = try values.headerText() }
}

extension FaultSpec.Kind {
  /// `type@PLACE:TYPE`: the answer has another content type, with its body as it is. The place's offset is 0.
  public static func contentType(_ type: String) -> Self { Self(ContentTypeFault(type: type)) }
}
