import EventSourceURLSession
// The stores: what one keeps another finds, also after something went wrong in between.
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@Suite("Last event ID stores") struct LastEventIDStoreTests {
  @Test(
    "what is stored is loaded, by every store",
    arguments: ["1", "0", " a ", "日本-\u{1F600}", "e\u{301}", String(repeating: "x", count: 300)])
  func roundTrip(id: String) async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appendingPathComponent("new/folder/last-event-id")
    let suite = "wiretape-\(UUID().uuidString)"
    defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
    let stores: [(any LastEventIDStore, again: any LastEventIDStore)] = [
      (FileLastEventIDStore(url: file), FileLastEventIDStore(url: file)),
      (
        UserDefaultsLastEventIDStore(key: "orders", suiteName: suite),
        UserDefaultsLastEventIDStore(key: "orders", suiteName: suite)
      ),
    ]
    let memory = MemoryLastEventIDStore()
    for (store, again) in stores + [(memory, memory)] {
      #expect(try await store.load() == nil)
      try await store.store("before")
      try await store.store(id)
      let loaded = try #require(await again.load())
      #expect(Array(loaded.utf8) == Array(id.utf8))
      try await store.store("")
      #expect(try await again.load() ?? "" == "")
      try await store.store("")  // there's nothing to remove any more
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path) == [])
  }

  @Test("two keys and two files don't meet")
  func apart() async throws {
    let suite = "wiretape-\(UUID().uuidString)"
    defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
    let a = UserDefaultsLastEventIDStore(key: "a", suiteName: suite)
    let b = UserDefaultsLastEventIDStore(key: "b", suiteName: suite)
    await a.store("1")
    await b.store("2")
    #expect(await a.load() == "1")
    #expect(await b.load() == "2")
  }

  @Test(
    "a file that holds no last event ID is an error, not an ID",
    arguments: [
      ("a\nb", .damaged), ("a\r", .damaged), ("a\0", .damaged),
      ("", .tooLong),
    ] as [(String, LastEventIDStoreError.Code)])
  func damaged(content: String, code: LastEventIDStoreError.Code) async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appendingPathComponent("id")
    let bytes =
      code == .tooLong ? Data(repeating: 0x78, count: FileLastEventIDStore.longestID + 1) : Data(content.utf8)
    try bytes.write(to: file)
    let store = FileLastEventIDStore(url: file)
    await #expect(throws: LastEventIDStoreError(code, place: file.path)) { try await store.load() }
    try await store.store("5")
    #expect(try await store.load() == "5")
  }

  @Test("bytes that are no UTF-8 are an error; an ID too long is refused and the old one stays")
  func refused() async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appendingPathComponent("id")
    try Data([0xC3, 0x28]).write(to: file)
    let store = FileLastEventIDStore(url: file)
    await #expect(throws: LastEventIDStoreError.self) { try await store.load() }
    try await store.store("5")
    await #expect(throws: LastEventIDStoreError.self) {
      try await store.store(String(repeating: "x", count: FileLastEventIDStore.longestID + 1))
    }
    #expect(try await store.load() == "5")
  }

  @Test("a place that can't be written is an error")
  func unwritable() async throws {
    let folder = try ScratchFolder()
    let store = FileLastEventIDStore(url: folder.url)  // a folder stands there
    await #expect(throws: (any Error).self) { try await store.store("5") }
    await #expect(throws: (any Error).self) { try await store.load() }
    let below = FileLastEventIDStore(url: URL(fileURLWithPath: "/dev/null/id"))
    await #expect(throws: (any Error).self) { try await below.store("5") }
  }

  @Test("storing replaces the file as a whole: a reader sees the old ID or the new one, never a part")
  func atomic() async throws {
    let folder = try ScratchFolder()
    let file = folder.url.appendingPathComponent("id")
    let (a, b) = (String(repeating: "a", count: 60_000), String(repeating: "b", count: 50_000))
    let writer = FileLastEventIDStore(url: file)
    let reader = FileLastEventIDStore(url: file)
    try await writer.store(a)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { for round in 0..<10 { try await writer.store(round.isMultiple(of: 2) ? b : a) } }
      group.addTask {
        for _ in 0..<50 {
          let id = try #require(await reader.load())
          #expect(id == a || id == b)
        }
      }
      try await group.waitForAll()
    }
  }
}
