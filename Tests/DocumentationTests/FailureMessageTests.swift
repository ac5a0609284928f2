// Every error that a user can meet is in a table with its message, so that a new one is read, as its user will, before
// it ships: what happened, where, and what to do next?

import Foundation
import ScratchFolders
import Testing

@Suite("What users read when something fails")
struct FailureMessageTests {
  @Test("each failure says what the table says", arguments: Failure.all)
  func message(of failure: Failure) async throws {
    let folder = try ScratchFolder()
    var message: String
    do { message = try await failure.cause(folder) } catch { message = "\(error)" }
    message = message.replacingOccurrences(of: folder.url.path, with: "FOLDER")
    #expect(message == failure.message)
  }

  @Test("every code in the sources has its row")
  func everyCodeHasARow() throws {
    let codes = try Self.codesInSources()
    #expect(codes.count > 60, "the sources declare more codes than were found: \(codes.count)")
    let missing = codes.subtracting(Failure.all.map(\.name))
    #expect(missing.isEmpty, "no row of a table has \(missing.sorted().joined(separator: ", "))")
  }

  @Test("every error type in the sources has its row")
  func everyErrorHasARow() throws {
    let pattern = /public struct (\w+): (?:Sendable, )?Error\b/
    let types = Set(try Self.libraryTexts().flatMap { $0.matches(of: pattern).map { String($0.1) } })
    #expect(types.count >= 13)
    let rows = Set(Failure.all.compactMap { $0.name.split(separator: ".").first.map(String.init) })
    #expect(types.subtracting(rows).isEmpty)
  }

  /// `CassetteError.damaged` and the like: each `static let` of a `Code` or a `Kind`, with the type around it.
  private static func codesInSources() throws -> Set<String> {
    var codes: Set<String> = []
    for text in try libraryTexts() {
      var type = ""
      for line in text.split(separator: "\n") {
        if let match = line.firstMatch(of: /^public struct (\w+)/) { type = String(match.1) }
        if let match = line.firstMatch(of: /^ {4}public static let `?(\w+)`? = (?:Code|Kind)\(/) {
          codes.insert("\(type).\(match.1)")
        }
      }
    }
    return codes
  }

  private static func libraryTexts() throws -> [String] {
    let sources = packageRoot.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var texts: [String] = []
    for case let file as URL in files where file.pathExtension == "swift" {
      texts.append(try String(contentsOf: file, encoding: .utf8))
    }
    return texts
  }
}
