private let url = URL(string: "https://api.example.org/orders")!
private let orders = EventSource(url: url)
private struct Account { var id = 1 }
private let account = Account()
private struct Order: Decodable, Sendable { var id: Int }
private struct Cache { var order: Order? }
private let cache = Cache()
private func show(_ order: Order) {}
private struct Database: Sendable {
  func value(for key: String) async throws -> String? { nil }
  func set(_ value: String, for key: String) async throws {}
}

#if !canImport(Darwin)
  extension URL {
    fileprivate static var applicationSupportDirectory: URL { FileManager.default.temporaryDirectory }
  }
#endif
