// What the README and the articles tell a reader to write compiles, in Swift 6 mode, against the libraries as they are.

import ChildProcesses
import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@Suite("Swift in the documentation compiles")
struct SwiftSnippetTests {
  @Test("every block type-checks")
  func typeCheck() async throws {
    let folder = try ScratchFolder()
    let snippets = try SwiftSnippet.all().filter { !$0.isManifest }
    #expect(snippets.count > 20)
    for snippet in snippets {
      let place = packageRoot.appending(path: "Tests/DocumentationTests/Preambles/\(snippet.page).swift")
      let preamble = (try? String(contentsOf: place, encoding: .utf8)) ?? ""
      try folder.write(snippet.fileName, snippet.file(preamble: preamble))
    }
    let printed = try printedTests()
    for (name, text) in printed { try folder.write(name, text) }
    let modules = try #require(BuiltModules.folder, "the folder of the built modules")
    let compiler = try await run("/usr/bin/env", ["sh", "-c", "command -v swiftc"], in: folder)
    let toolchain = URL(fileURLWithPath: compiler.output.trimmingCharacters(in: .whitespacesAndNewlines))
      .resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    let maps = try BuiltModules.maps(beside: modules)
    let check = try await run(
      "/usr/bin/env",
      [
        "swiftc", "-typecheck", "-swift-version", "6", "-parse-as-library", "-module-name", "Documentation",
        "-I", modules.path, "-plugin-path", toolchain.appending(path: "lib/swift/host/plugins/testing").path,
      ] + maps + snippets.map(\.fileName) + printed.keys.sorted(), in: folder)
    #expect(check.code == 0, "\(check.output)")
  }

  /// The test functions that a failure prints, in files with a parser that has the names of the README's.
  private func printedTests() throws -> [String: String] {
    let reproduction = Reproduction(
      chunks: [Array("data: \"é\"\r".utf8), [], [0x0A, 0xC3]], expected: [ServerSentEvent(data: "a\n")],
      got: [])
    let preambles: [Reproduction.ParserCalls: String] = [
      .feed: try String(
        contentsOf: packageRoot.appending(path: "Tests/DocumentationTests/Preambles/README.swift"),
        encoding: .utf8),
      .eventStreamParsing: """
      private struct MyParser: EventStreamParsing {
        mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] { [] }
      }
      """,
    ]
    return Dictionary(
      uniqueKeysWithValues: preambles.map { calls, preamble in
        (
          "Printed-\(calls).swift",
          """
          import EventCassettes
          import Foundation
          import ServerSentEvents
          import XCTest
          \(preamble)
          private final class Tests: XCTestCase {
          \(reproduction.xctest(named: "Smallest", calling: calls))
          }
          """
        )
      })
  }

  @Test("the manifests are manifests")
  func manifests() async throws {
    for snippet in try SwiftSnippet.all() where snippet.isManifest {
      let folder = try ScratchFolder()
      try folder.write(
        "Package.swift",
        """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
          name: "App",
          \(snippet.code)
        )
        """)
      let check = try await run("/usr/bin/env", ["swift", "package", "dump-package"], in: folder)
      #expect(check.code == 0, "\(snippet.page).md, line \(snippet.line): \(check.output)")
    }
  }

  /// Runs a program; what it says on both streams is its output.
  private func run(
    _ program: String, _ arguments: [String], in folder: ScratchFolder
  ) async throws -> (code: Int32, output: String) {
    let log = folder.url.appending(path: "log")
    let code = try await LoggedProcess(
      program: program, arguments: arguments, folder: folder.url.path, log: log.path
    ).run()
    return (code, try String(contentsOf: log, encoding: .utf8))
  }
}

/// Where the build put the modules of the libraries.
private enum BuiltModules {
  /// Options that name the maps of the modules in C: those of system libraries, and those that the build made.
  static func maps(beside modules: URL) throws -> [String] {
    let places = [packageRoot.appending(path: "Sources"), modules.deletingLastPathComponent()]
    return try places.flatMap { place in
      try FileManager.default.contentsOfDirectory(atPath: place.path).sorted()
        .map { place.appending(path: $0).appending(path: "module.modulemap").path }
    }.filter { FileManager.default.fileExists(atPath: $0) }
      .flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
  }

  static var folder: URL? {
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    for _ in 0..<6 {
      folder.deleteLastPathComponent()
      let modules = folder.appending(path: "Modules")
      if FileManager.default.fileExists(atPath: modules.appending(path: "EventCassettes.swiftmodule").path) {
        return modules
      }
    }
    let build = packageRoot.appending(path: ".build/debug/Modules")
    return FileManager.default.fileExists(atPath: build.path) ? build : nil
  }
}
