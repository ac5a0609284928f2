// The examples in help, the README and the documentation run as they stand.

import Foundation
import Testing

@testable import WiretapeCommands

@Suite(.serialized)
struct ExampleTests {
  /// Not here: the demo has run already and makes the cassette that the others take; `fuzz` wants a package with fuzz
  /// targets, where Tests/Interop/fuzz-package runs it.
  private static let runElsewhere = ["demo", "fuzz"]

  @Test("every example of every verb runs")
  func help() async throws {
    let place = try await ExampleFolder()
    for verb in Verb.all where !Self.runElsewhere.contains(verb.name) {
      for example in verb.examples where try await place.canRun(example) {
        // A listener goes on reconnecting: the server begins anew after the last event.
        let command = example.replacingOccurrences(
          of: "wiretape listen http", with: "wiretape listen --max-events 3 http")
        try await expect(command, in: place, page: "wiretape help \(verb.name)")
      }
    }
  }

  @Test("every command in the README and the articles runs", arguments: try DocumentedCommands.pages())
  func documentation(page: DocumentedCommands) async throws {
    let place = try await ExampleFolder()
    for command in page.commands where !isRunElsewhere(command) {
      guard try await place.canRun(command) else { continue }
      try await expect(command, in: place, page: page.name)
    }
  }

  @Test("the pages with commands are found")
  func pages() throws {
    let pages = try DocumentedCommands.pages()
    #expect(pages.contains { $0.name == "README.md" && $0.commands.count > 15 })
    #expect(pages.contains { $0.name == "RecordingSessions.md" && $0.commands.count > 4 })
  }

  /// Steps of the build itself, which CI runs as they stand, for a test can't run the build that it is part of; and fuzzing.
  private func isRunElsewhere(_ command: String) -> Bool {
    ["swift ", ".ci/", "Fuzz/", "wiretape fuzz"].contains { command.hasPrefix($0) }
  }

  private func expect(_ command: String, in place: ExampleFolder, page: String) async throws {
    let run = try await place.run(command)
    #expect(codes(of: command).contains(run.code), "\(page): \(command): \(run.code)\n\(run.diagnostics)")
  }

  /// What a command may exit with. The subject of the examples has a fault, and of two cassettes one differs.
  private func codes(of command: String) -> Set<Int32> {
    if command.hasPrefix("wiretape diff") || command.contains("check") && command.contains("--subject") {
      return [0, 1]
    }
    // A sweep that is stopped before its client came back for everything says so.
    if command.contains("--resume-sweep") { return [1] }
    return command.hasPrefix("wiretape listen") ? [0, 69] : [0]
  }
}
