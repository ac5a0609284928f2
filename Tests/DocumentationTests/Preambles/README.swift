private let url = URL(string: "https://api.example.org/events")!
private let chunk: [UInt8] = []
private func handle(_ event: ServerSentEvent) {}
private final class MyParser {
  func feed(_ chunk: [UInt8]) -> [(type: String, data: String, lastEventID: String)] { [] }
}
