private let path = "orders.cassette"
private let url = URL(string: "https://api.example.org/events")!
