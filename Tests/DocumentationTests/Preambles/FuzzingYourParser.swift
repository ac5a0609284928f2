private final class MyParser {
  func feed(_ data: Data) -> [(event: String?, data: String, lastEventID: String)] { [] }
}
private let subject = ParserSubject.wiretape
