// The Swift code of the README and of the DocC articles, made into files that a compiler takes: each block with the
// declarations that its page assumes, from `Preambles`.

import Foundation

/// One block of Swift on a page.
struct SwiftSnippet {
  /// The page's file, without its ending.
  let page: String
  /// Which of the page's blocks it is, from 1.
  let number: Int
  /// The line of the page on which the block begins, from 1.
  let line: Int
  let code: String

  /// Every block of every page.
  static func all() throws -> [SwiftSnippet] {
    var files = [packageRoot.appending(path: "README.md")]
    let sources = FileManager.default.enumerator(
      at: packageRoot.appending(path: "Sources"), includingPropertiesForKeys: nil)
    while let file = sources?.nextObject() as? URL {
      if file.pathExtension == "md" { files.append(file) }
    }
    return try files.sorted { $0.path < $1.path }.flatMap { file in
      snippets(
        in: try String(contentsOf: file, encoding: .utf8), of: file.deletingPathExtension().lastPathComponent)
    }
  }

  static func snippets(in text: String, of page: String) -> [SwiftSnippet] {
    var snippets: [SwiftSnippet] = []
    var block: [Substring]?
    var beginning = 0
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line == "```swift" {
        block = []
        beginning = index + 2
      } else if line == "```", let code = block {
        snippets.append(
          SwiftSnippet(
            page: page, number: snippets.count + 1, line: beginning, code: code.joined(separator: "\n")))
        block = nil
      } else {
        block?.append(line)
      }
    }
    return snippets
  }

  /// A part of a manifest: `products:` or `dependencies:` and what follows.
  var isManifest: Bool { code.hasPrefix("products:") || code.hasPrefix("dependencies:") }

  /// The name of the file that it becomes.
  var fileName: String { "\(page)-\(number).swift" }

  /// A whole file. Statements go into a function; what can only stand at file scope (tests, C entry points) stays there.
  /// `#sourceLocation` makes the compiler name the page's own lines.
  func file(preamble: String) -> String {
    let isAtFileScope = ["@Test", "@_cdecl", "XCTestCase"].contains { code.contains($0) }
    // An ellipsis alone in braces is a reader's to fill in.
    let lines = code.replacingOccurrences(of: "{ … }", with: "{}")
      .split(separator: "\n", omittingEmptySubsequences: false)
    let imports = lines.filter { $0.hasPrefix("import ") && Self.isHere(module: $0.dropFirst(7)) }
    // Blank lines in their place keep the count.
    let body = lines.map { $0.hasPrefix("import ") ? "" : String($0) }.joined(separator: "\n")
    let located = "#sourceLocation(file: \"\(page).md\", line: \(line))\n\(body)\n#sourceLocation()"
    return """
      \(Self.imports)
      \(imports.joined(separator: "\n"))
      \(preamble)
      \(isAtFileScope ? located : "private func snippet() async throws {\n\(located)\n}")
      """
  }

  /// What every reader of the documentation has imported.
  private static let imports = """
    import EventCassetteServer
    import EventCassetteTesting
    import EventCassetteURLSession
    import EventCassettes
    import EventSourceURLSession
    import EventStreamFuzzing
    import Foundation
    import ServerSentEvents
    import Testing
    import XCTest
    #if canImport(FoundationNetworking)
      import FoundationNetworking
    #endif
    """

  /// Frameworks of Apple's that a preamble stands in for elsewhere.
  private static func isHere(module: Substring) -> Bool {
    #if canImport(Darwin)
      true
    #else
      !["Network", "SwiftUI", "UIKit"].contains(module)
    #endif
  }
}
