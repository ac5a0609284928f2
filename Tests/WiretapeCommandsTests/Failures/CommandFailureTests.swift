// What the tool says when it gives up: each message is in the table, and reads as its user needs it.

import EventCassettes
import Foundation
import Testing

@testable import WiretapeCommands

@Suite("What the tool says when it gives up")
struct CommandFailureTests {
  @Test("each failure says what the table says", arguments: CommandFailure.all)
  func message(of failure: CommandFailure) async throws {
    let run = try await failure.run()
    #expect(run.code == failure.code)
    #expect(run.message == failure.message)
  }

  /// What no row can bring about, and why.
  private static let notInTheTable = [
    "the check failed: please report this": "the demo's own check doesn't fail",
    "standard input: nothing lies in the part asked for": "needs a cassette on standard input",
    "interrupted before anything was recorded; no file was written": "needs a signal: RecordVerbTests",
    "interrupted before the subject was checked; nothing was written": "needs a signal: SubjectEndTests",
    #"\(source): the subject passes the check: there is nothing to make small"#: "needs another right parser",
    #"\(source): the subject failed at \(finding.split), and not again"#:
      "needs a parser that fails once: SubjectEndTests",
    #"\(name): reading failed: \(text(of: errno))"#: "needs a broken disk",
    #"\(name): it is closed, or open for writing only"#: "needs a closed descriptor: EndToEndTests",
    #"\(name): it is closed, or open for reading only"#: "needs a closed descriptor: EndToEndTests",
    #"\(name): writing failed: \(text(of: errno))"#: "needs a full disk: EndToEndTests",
    #"only \(files) files may be open at once, and 32 are needed at least"#: "needs a limit: EndToEndTests",
    #"only \(bytes >> 20) MiB of addresses may be used, and 256 are needed at least"#:
      "needs a limit: EndToEndTests",
    #"\(program): it can’t be run: \(reason)"#: "needs a broken toolchain: ChildProcessFailureTests",
    #"\(log): the log can’t be written"#: "needs a broken folder: ChildProcessFailureTests",
  ]

  @Test("every message in the verbs' sources has its row")
  func everyMessageHasARow() throws {
    let messages = try Self.messagesInSources()
    #expect(messages.count > 60, "the sources have more messages than were found: \(messages.count)")
    for message in messages where Self.notInTheTable[message.text] == nil {
      let isThere = CommandFailure.all.contains { failure in
        message.parts.allSatisfy { failure.message.contains($0) }
      }
      #expect(isThere, "\(message.file): no row of the table says “\(message.text)”")
    }
  }

  @Test("every kind of cassette error has an exit code, and says what to do next", arguments: try codes())
  func cassetteErrors(code: CassetteError.Code) {
    let explained = CommandError(explaining: CassetteError(code, file: "a.cassette", "what happened"))
    #expect(explained.message.hasPrefix("a.cassette: "))
    #expect(explained.code != .success && explained.code != .finding)
  }

  /// A message as the sources have it: a literal, cut where something is put in.
  private struct Message {
    let file: String
    let text: String
    /// The parts of four letters and more between what is put in.
    let parts: [String]
  }

  /// The literals behind `CommandError(…,`, `usage(…` and `UsageProblem(`.
  private static func messagesInSources() throws -> [Message] {
    // What building and running a fuzz target comes to needs a toolchain: the suites in Fuzzing, and Tests/Interop.
    let call =
      /(?:CommandError\(\s*\.\w+,|usage\((?:\s*of: \w+,|\s*of: "[^"]+",)?|UsageProblem\()\s*"((?:[^"\\]|\\[^(]|\\\((?:[^()]|\([^()]*\))*\))*)"/
    let inserted = /\\\((?:[^()]|\([^()]*\))*\)/
    let sources = packageRoot.appending(path: "Sources/WiretapeCommands")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var messages: [Message] = []
    for case let file as URL in files where file.pathExtension == "swift" && !file.path.contains("/Fuzz") {
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: call) {
        let text = String(match.1)
        let parts = text.split(separator: inserted).map(String.init).filter { $0.count > 3 }
        messages.append(Message(file: file.lastPathComponent, text: text, parts: parts))
      }
    }
    return messages
  }

  /// Every code that a cassette error can have, by the source that declares them.
  private static func codes() throws -> [CassetteError.Code] {
    [
      .notACassette, .unknownFormat, .damaged, .outOfOrder, .totalsDiffer, .overLimit, .noSuchFile, .isFolder,
      .unreadable, .exists,
      .inUse, .cannotOpen, .noSpace, .removed, .inputOutput, .closed, .badRule, .nothingSelected,
      .notImportable,
    ]
  }
}
