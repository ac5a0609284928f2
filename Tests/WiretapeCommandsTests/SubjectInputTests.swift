// What a subject is given to read: in order, whole, and never to another process.

import Foundation
import Testing

@testable import WiretapeCommands

struct SubjectInputTests {
  /// More than any pipe holds.
  private static let long = [UInt8](repeating: 0x61, count: 1 << 20)

  @Test("what is given comes in order, and its end after all of it")
  func order() throws {
    let pipe = Pipe()
    let input = SubjectInput(pipe.fileHandleForWriting)
    var expected = Data(Self.long)
    input.write(Self.long)
    for number in 0..<1000 {
      let bytes = Array("\(number),".utf8)
      input.write(bytes)
      expected += bytes
    }
    input.end()
    #expect(!input.isClosed(before: Date()), "nobody has read any of it")
    #expect(try pipe.fileHandleForReading.readToEnd() == expected)
    #expect(input.isClosed(before: Date(timeIntervalSinceNow: 60)))
  }

  @Test("an input that is given up drops what is not written, and is at its end")
  func givenUp() throws {
    let pipe = Pipe()
    let input = SubjectInput(pipe.fileHandleForWriting)
    input.write(Self.long)
    let begun = try #require(try pipe.fileHandleForReading.read(upToCount: 1))
    input.write(Array("late".utf8))
    input.giveUp()
    let rest = try #require(try pipe.fileHandleForReading.readToEnd())
    #expect(begun + rest == Data(Self.long))
    #expect(input.isClosed(before: Date(timeIntervalSinceNow: 60)))
  }

  @Test("a process that doesn't read is no harm to what comes after it")
  func unread() throws {
    let pipe = Pipe()
    let input = SubjectInput(pipe.fileHandleForWriting)
    input.write(Self.long)
    try pipe.fileHandleForReading.close()
    input.giveUp()
    #expect(input.isClosed(before: Date(timeIntervalSinceNow: 60)))
  }
}
