// What is remembered from evening to evening.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct FindingBookTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  private func failure(split: String = "at:1") throws -> FuzzFailure {
    try #require(FuzzLog(FuzzLogTests.finding(split: split)).failure)
  }

  /// Adds an input of so many bytes.
  private func add(
    _ name: String, bytes: Int, _ failure: FuzzFailure, to book: inout FindingBook
  ) throws -> (entry: FindingBook.Entry, isNew: Bool, replaced: String?) {
    try FileManager.default.createDirectory(atPath: folder.path("run"), withIntermediateDirectories: true)
    let input = try folder.write("run/" + name, Array(repeating: 0x61, count: bytes))
    let log = try folder.write("run/log", Array("log of \(name)".utf8))
    return try book.add(failure, input: input, log: log, at: "2026-01-01T00:00:00Z")
  }

  @Test("the same fault is one entry, with its smallest input")
  func smallest() throws {
    var book = try FindingBook(in: folder.url.path)
    let failure = try failure()
    #expect(try add("crash-1", bytes: 9, failure, to: &book).isNew)
    #expect(try !add("crash-2", bytes: 12, failure, to: &book).isNew)
    #expect(book.entries[0].input == "crash-1")
    let smaller = try add("crash-3", bytes: 4, failure, to: &book)
    #expect(smaller.entry.input == "crash-3")
    #expect(smaller.replaced == "crash-1", "a path that was printed and is gone")
    #expect(smaller.entry.bytes == 4)
    #expect(smaller.entry.times == 3)
    #expect(try folder.names() == ["crash-3", "crash-3.log", "findings.json", "run"])
    #expect(try String(contentsOfFile: folder.path("crash-3.log"), encoding: .utf8) == "log of crash-3")
  }

  @Test("the next evening knows the faults of the last one")
  func reopened() throws {
    var book = try FindingBook(in: folder.url.path)
    _ = try add("crash-1", bytes: 9, failure(), to: &book)
    var next = try FindingBook(in: folder.url.path)
    #expect(next.entries == book.entries)
    #expect(try !add("crash-1", bytes: 9, failure(), to: &next).isNew)
    #expect(try add("crash-4", bytes: 9, failure(split: "whole"), to: &next).isNew)
    #expect(next.entries.count == 2)
    #expect(exists(folder.path("crash-1")))
  }

  @Test("an input that was taken away comes back")
  func lost() throws {
    var book = try FindingBook(in: folder.url.path)
    _ = try add("crash-1", bytes: 9, failure(), to: &book)
    try FileManager.default.removeItem(atPath: folder.path("crash-1"))
    #expect(try add("crash-2", bytes: 30, failure(), to: &book).entry.input == "crash-2")
    #expect(exists(folder.path("crash-2")))
  }

  @Test("a damaged book is an error that names it")
  func damaged() throws {
    _ = try folder.write("findings.json", Array("[{".utf8))
    let error = #expect(throws: CommandError.self) { try FindingBook(in: folder.url.path) }
    #expect(error?.code == .badData)
    #expect(error?.message.contains("findings.json") == true)
  }
}
