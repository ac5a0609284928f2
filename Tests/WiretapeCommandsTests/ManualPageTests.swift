// The manual page: typesetters take it without a word, and what they print holds every verb, option and example.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct ManualPageTests {
  /// A typesetter: the command that prints the page as plain text, and says on standard error what it minds.
  struct Typesetter: CustomTestStringConvertible {
    let name: String
    let command: String
    var testDescription: String { name }

    static let all = [
      Typesetter(name: "groff", command: "groff -man -ww -Tascii -P-cbou wiretape.1"),
      Typesetter(name: "man", command: "MANWIDTH=100 MANPAGER=cat man --warnings -l wiretape.1"),
      Typesetter(
        name: "mandoc",
        command: "mandoc -T lint -W warning wiretape.1 >&2; mandoc -T ascii wiretape.1 | col -b"),
    ]
  }

  @Test("typesetters print the page without a warning", arguments: Typesetter.all)
  func typeset(by typesetter: Typesetter) async throws {
    let folder = try ScratchFolder()
    let isThere = try await EndToEndTests.shell("command -v \(typesetter.name)", in: folder).code == 0
    // A stripped-down system has none of them; on others each one that is there must agree.
    guard isThere else { return }
    _ = try folder.write("wiretape.1", (manualPage(of: Verb.all, version: Wiretape.version) + "\n").utf8)
    let run = try await EndToEndTests.shell(typesetter.command, in: folder)
    #expect(run.code == 0)
    #expect(run.diagnostics.isEmpty)
    let printed = spaced(run.output)
    for verb in Verb.all.flatMap({ [$0] + $0.members }) {
      #expect(printed.contains("wiretape \(verb.name)"))
      for option in verb.options { #expect(printed.contains(option.name), "\(verb.name) \(option.name)") }
      for example in verb.examples where example.utf8.allSatisfy({ $0 < 0x80 }) {
        #expect(printed.contains(spaced(example)))
      }
    }
  }

  /// The text with every run of spaces and line ends as one space.
  private func spaced(_ text: String) -> String {
    text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }

  @Test("the page is plain ASCII, so that no locale garbles it")
  func ascii() {
    #expect(manualPage(of: Verb.all, version: "1").utf8.allSatisfy { $0 < 0x80 })
  }
}
