private struct Session: Sendable {
  func token() async throws -> String { "" }
  func refreshToken() async throws {}
}
private let session = Session()
private nonisolated(unsafe) var environment = EventSourceEnvironment.urlSession()
private let updates = EventStreamCoordinator(url: URL(string: "https://api.example.org/events")!)
