private let path = "orders.cassette"
private struct App {
  let session: URLSession
  func load() async throws -> [ServerSentEvent] { [] }
}
private func handle(_ data: Data) {}
