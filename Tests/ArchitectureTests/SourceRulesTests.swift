// What holds for every source file, and for the lists that a change must not forget.

import Foundation
import Testing

@Suite("The house rules hold")
struct SourceRulesTests {
  @Test("no file is past the size at which it holds a second thing")
  func fileSizes() throws {
    for file in try sourceFiles() {
      let lines = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
      #expect(lines <= 400, "\(file.name) has \(lines) lines: which second thing does it hold?")
    }
  }

  @Test("every file begins with what may live in it, and why")
  func headers() throws {
    for file in try sourceFiles() where !file.name.hasSuffix("/main.swift") {
      // A tool's version stands before anything else.
      #expect(file.text.hasPrefix("// "), "\(file.name) says nothing about itself")
    }
  }

  @Test("nothing is named after nothing")
  func names() throws {
    let empty = ["Helper", "Util", "Manager", "Misc", "Common", "Core", "Models"]
    for file in try sourceFiles() {
      let parts = file.name.split(whereSeparator: { "/.+".contains($0) })
      #expect(
        !parts.contains { part in empty.contains { part.hasPrefix($0) || part.hasSuffix($0) } },
        "\(file.name)")
    }
  }

  @Test(
    "what a file declares stands in its list",
    arguments: [
      // How an element is declared, in which folder, and where the list is.
      (#"enum (\w+Verb) \{"#, "WiretapeCommands/Verbs", "WiretapeCommands/Verbs"),
      (
        #"static let (\w+) = CassetteImporter\("#, "EventCassettes/Conversion",
        "EventCassettes/Conversion/CassetteImporter.swift"
      ),
      (
        #"static let (\w+) = CassetteExporter\("#, "EventCassettes/Conversion",
        "EventCassettes/Conversion/CassetteExporter.swift"
      ),
      (#"static let (\w+) = Oracle\("#, "EventStreamFuzzing", "EventStreamFuzzing"),
      (
        #"static let (\w+) = Code\("#, "EventCassettes/Inspection",
        "EventCassettes/Inspection/StreamInspector.swift"
      ),
    ])
  func lists(declaration: String, folder: String, list: String) throws {
    let pattern = try Regex(declaration, as: (Substring, Substring).self)
    let files = try sourceFiles()
    let declared = files.filter { $0.name.hasPrefix(folder) }.flatMap { file in
      file.text.matches(of: pattern).map { String($0.1) }
    }
    #expect(declared.count > 2, "\(folder) declares nothing of the kind")
    let listed = files.filter { $0.name.hasPrefix(list) }.map(\.text).joined()
    for name in declared {
      // In a list an element stands alone on its line or between commas, with a dot or its member behind it.
      let use = try Regex("(?m)(?:[\\[(,]|^) *\\.?\(name)(?:\\.verb)?(?:[,\\])]|$)")
      #expect(listed.contains(use), "\(name) is not listed in \(list)")
    }
  }

  private struct SourceFile {
    /// The path below `Sources`.
    let name: String
    let text: String
  }

  private func sourceFiles() throws -> [SourceFile] {
    let sources = packageRoot.appending(path: "Sources")
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var found: [SourceFile] = []
    for case let file as URL in files where file.pathExtension == "swift" {
      let name = String(file.standardizedFileURL.path.dropFirst(sources.standardizedFileURL.path.count + 1))
      found.append(SourceFile(name: name, text: try String(contentsOf: file, encoding: .utf8)))
    }
    #expect(found.count > 200)
    return found
  }
}
