private final class MyParser {
  func feed(_ data: Data) -> [(event: String?, data: String)] { [] }
}
