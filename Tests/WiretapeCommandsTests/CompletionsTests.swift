// `wiretape completions`: scripts and the manual page hold what the tables hold.

import Foundation
import Testing

@testable import WiretapeCommands

struct CompletionsTests {
  @Test(
    "completions and the manual page hold every verb and option", arguments: ["bash", "zsh", "fish", "man"])
  func completions(shell: String) async throws {
    let run = await wiretape("completions", shell)
    #expect(run.code == .success)
    for verb in Verb.all.flatMap({ [$0] + $0.members }) {
      let word = shell == "man" ? verb.word.replacingOccurrences(of: "-", with: "\\-") : verb.word
      #expect(run.output.contains(word))
      for option in verb.options {
        let name = String(option.name.drop { $0 == "-" })
        #expect(run.output.contains(shell == "man" ? name.replacingOccurrences(of: "-", with: "\\-") : name))
      }
    }
  }

  @Test("an unknown shell is a usage error")
  func unknownShell() async { #expect(await wiretape("completions", "tcsh").code == .usage) }
}
