// What becomes of an input that fails: the fault that was found, in the form in which it fails, and never another one.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct SmallInputTests {
  /// A target that runs this script on a file `$seeds`, after `finds ORACLE GOT [FORM STREAM]`, which fails as an oracle does.
  private func small(_ input: String, _ script: String) async throws -> SmallInput {
    let fuzzer = try FakeFuzzer(
      #"""
      finds() { echo "x.swift:1: Fatal error: finding: $1 does not hold: R."
        [ -n "$3" ] && echo "  input: $3"
        [ -n "$4" ] && echo "  stream: $4"
        echo "  split: whole"; echo "  expected: event 0"; echo "  got: $2"; exit 77; }
      has() { grep -q "$1" "$seeds"; }
      loaded
      """# + "\n" + script + "\nexit 0")
    let file = try fuzzer.folder.write("crash-1", Array(input.utf8))
    return try await SmallInput(of: file, fuzzer.target, time: .seconds(600), .forTests)
  }

  /// A fault with CR LF, and another one that shows without `data`.
  private static let crlf = #"""
    has data || finds reference "no event 0"
    has $'\r' && finds lineEnds "no event 0" "with CR LF line ends"
    finds lineEnds "no event 0" "with CR LF line ends" '"data: a\r\n\r\n"'
    """#

  @Test("what fails with other line ends is kept with them, and the fault stays the one that was found")
  func form() async throws {
    let small = try await small("id: 9\n\ndata: a\n\n", Self.crlf)
    #expect(small.failure.oracle == "lineEnds")
    #expect(small.failure.form == "with CR LF line ends")
    #expect(small.failure.stream == nil)
    let text = String(decoding: small.bytes, as: UTF8.self)
    #expect(text.utf8.contains(0x0D) && text.contains("data"), "\(small.bytes)")
    #expect(small.notes.isEmpty)
  }

  @Test("a stream that passes by itself leaves the input as it is, and says what a test must do")
  func onlyInForm() async throws {
    let small = try await small(
      "data: a\n\n", #"has $'\r' || finds reuse "no event 0" "as the second stream" '"\r"'"#)
    #expect(small.failure.oracle == "reuse")
    #expect(small.failure.stream == [0x0D])
    #expect(!small.bytes.contains(0x0D))
    #expect(small.notes.first?.contains("fails only as the second stream") == true)
  }

  @Test("a stream that another oracle sees in the same way is kept, and that is said")
  func otherOracle() async throws {
    let small = try await small(
      "data: a\n\n",
      #"has $'\r' && finds reference "no event 0"; finds lineEnds "no event 0" "with CR line ends" '"data\r\r"'"#
    )
    #expect(small.failure.oracle == "reference")
    #expect(small.bytes == Array("data\r\r".utf8))
    #expect(small.notes.first?.contains("reference sees it") == true)
  }

  @Test("an input that fails in another way once it is small stays as it is, and that is said")
  func drift() async throws {
    // Fails otherwise once the search is over: at its first start with the report that only a person needs.
    let small = try await small(
      "data: a\n\n",
      #"""
      has ' a' && finds reference "no event 0"
      case $* in *handle_ill=0*) finds reference "no event 0";; *) finds reference "event 0";; esac
      """#)
    #expect(small.bytes == Array("data: a\n\n".utf8))
    #expect(small.failure.got == "no event 0")
    #expect(small.notes.first?.contains("fails in another way") == true)
  }
}
