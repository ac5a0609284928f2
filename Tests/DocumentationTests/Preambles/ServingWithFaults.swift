private let cassette: Cassette = { fatalError("nothing here is ever run") }()
