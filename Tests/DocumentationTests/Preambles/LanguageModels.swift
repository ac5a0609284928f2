private let url = URL(string: "https://api.example.org/v1/chat")!
private let key = "a key"
private let prompt = ["prompt": "hello"]
private struct APIError: Decodable {}
private nonisolated(unsafe) var text = ""
private func show(_ title: String, _ text: String) {}
private let event = ServerSentEvent(data: "")
