private final class MyParser {
  func feed(_ chunk: [UInt8]) -> [(type: String, data: String, lastEventID: String)] { [] }
}
private let subject = ParserSubject.wiretape
