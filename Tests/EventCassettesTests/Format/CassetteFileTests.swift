import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import EventCassettes

@Suite struct CassetteFileTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func path(_ name: String) -> String { folder.path(name) }

  private func code(_ body: () throws -> Void) -> CassetteError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CassetteError)?.code
    }
  }

  @Test("a file is written with mode 0600 and read back")
  func roundTrip() throws {
    var writer = try CassetteWriter(creating: path("a"))
    for record in Samples.records { try writer.write(record) }
    try writer.close()
    let mode = try FileManager.default.attributesOfItem(atPath: path("a"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try Cassette(contentsOf: path("a")).records == Samples.records)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path("a"))) == Data(Samples.bytes()))
  }

  @Test("an existing file is kept unless overwriting is asked for; then its content is gone")
  func existing() throws {
    try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: path("a")))
    #expect(code { _ = try CassetteWriter(creating: path("a")) } == .exists)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path("a"))).count == 100_000)
    var writer = try CassetteWriter(creating: path("a"), overwriting: true)
    try writer.write(Samples.records[0])
    try writer.close()
    #expect(try Cassette(contentsOf: path("a")).records.count == 1)
  }

  @Test("overwriting begins with the first byte that is written: what fails before leaves the old file")
  func overwritingLate() throws {
    let old = Data(repeating: 1, count: 1_000)
    let url = URL(fileURLWithPath: path("a"))
    try old.write(to: url)
    do {
      var writer = try CassetteWriter(creating: path("a"), overwriting: true)
      try writer.write(Samples.records[0])
      writer.discard()
      #expect(try Data(contentsOf: url) == old)
      var new = try CassetteWriter(creating: path("b"), overwriting: true)
      new.discard()
      #expect(!FileManager.default.fileExists(atPath: path("b")))
    }
    do {
      // Held back, also what is flushed waits.
      var writer = try CassetteWriter(creating: path("a"), overwriting: true)
      writer.isHeld = true
      try writer.write(Samples.records[0])
      try writer.flush()
      #expect(try Data(contentsOf: url) == old)
      try writer.release()
      #expect(try Cassette(contentsOf: path("a")).records == Array(Samples.records.prefix(1)))
      let mode = try FileManager.default.attributesOfItem(atPath: path("a"))[.posixPermissions] as? Int
      #expect(mode == 0o600)
      writer.discard()
      #expect(!FileManager.default.fileExists(atPath: path("a")))
    }
    // Nothing is a content, too.
    try old.write(to: url)
    var empty = try CassetteWriter(creating: path("a"), overwriting: true)
    try empty.close()
    #expect(try Data(contentsOf: url).isEmpty)
  }

  @Test("a second writer on one file gets an error and harms nothing")
  func locked() throws {
    var writer = try CassetteWriter(creating: path("a"))
    try writer.write(Samples.records[0])
    try writer.flush()
    #expect(code { _ = try CassetteWriter(creating: path("a"), overwriting: true) } == .inUse)
    try writer.write(Samples.records[1])
    try writer.close()
    #expect(try Cassette(contentsOf: path("a")).records.count == 2)
  }

  @Test("a file that is removed while it is written is an error, not a silent loss")
  func removed() throws {
    var writer = try CassetteWriter(creating: path("a"))
    try writer.write(Samples.records[0])
    try writer.flush()
    try FileManager.default.removeItem(at: folder.url)
    try writer.write(Samples.records[1])
    var found: CassetteError.Code?
    do { try writer.flush() } catch { found = error.code }
    #expect(found == .removed)
  }

  @Test("what can't be opened says why")
  func cannotOpen() throws {
    #expect(code { _ = try CassetteReader(contentsOf: path("none")) } == .noSuchFile)
    #expect(code { _ = try CassetteReader(contentsOf: path("none/x")) } == .noSuchFile)
    #expect(code { _ = try CassetteReader(contentsOf: "") } == .noSuchFile)
    #expect(code { _ = try CassetteReader(contentsOf: folder.url.path) } == .isFolder)
    #expect(code { _ = try CassetteWriter(creating: path("none/x")) } == .cannotOpen)
    #expect(code { _ = try CassetteWriter(creating: folder.url.path) } == .exists)
    #expect(code { _ = try CassetteWriter(creating: folder.url.path, overwriting: true) } == .cannotOpen)
    #expect(code { _ = try CassetteWriter(creating: "a\0b") } == .cannotOpen)
  }

  #if os(Linux)
    @Test("a full disk is told as such, and the writer stays failed")
    func fullDisk() throws {
      var writer = try CassetteWriter(creating: "/dev/full", overwriting: true)
      try writer.write(Samples.records[0])
      var codes: [CassetteError.Code?] = []
      for _ in 0..<2 { codes.append(code { try writer.flush() }) }
      codes.append(code { try writer.write(Samples.records[1]) })
      #expect(codes == [.noSpace, .closed, .closed])
    }
  #endif

  @Test("a discarded recording leaves no file, and never removes another one")
  func discard() throws {
    var writer = try CassetteWriter(creating: path("a"))
    writer.discard()
    #expect(!FileManager.default.fileExists(atPath: path("a")))
    var other = try CassetteWriter(creating: path("b"))
    try FileManager.default.moveItem(atPath: path("b"), toPath: path("c"))
    try Data([1]).write(to: URL(fileURLWithPath: path("b")))
    other.discard()
    #expect(
      FileManager.default.fileExists(atPath: path("b")) && FileManager.default.fileExists(atPath: path("c")))
    #expect(code { try other.write(Samples.records[0]) } == .closed)
  }
}
