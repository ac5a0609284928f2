// The group of verbs: how its members are found, what help says, what wrong use gets.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct FuzzVerbTests {
  @Test("the group and each member have help with examples")
  func help() async {
    let group = await wiretape("help", "fuzz")
    #expect(group.code == .success)
    for member in FuzzVerb.verb.members {
      #expect(group.output.contains("  \(member.word)"))
      let run = await wiretape("help", "fuzz", member.word)
      #expect(run.output.hasPrefix("Usage: wiretape fuzz \(member.word) "))
      #expect(run.output.contains("Examples:\n  wiretape fuzz \(member.word)"))
      #expect(await wiretape("fuzz", member.word, "--help").output == run.output)
    }
  }

  @Test("a word too few or a wrong one is a usage error that offers the right one")
  func wrongWords() async {
    let bare = await wiretape("fuzz")
    #expect(bare.code == .usage)
    #expect(bare.diagnostics.contains("init, run"))
    let typo = await wiretape("fuzz", "rnu")
    #expect(typo.code == .usage)
    #expect(typo.diagnostics.contains("did you mean “run”?"))
  }

  @Test("what stands behind -- is passed on")
  func passedOn() throws {
    let arguments = try #require(
      try FuzzRunVerb.verb.parse(["FuzzA", "--jobs", "3", "--", "-max_len=9", "--help"]))
    #expect(arguments.positionals == ["FuzzA"])
    #expect(arguments.passedOn == ["-max_len=9", "--help"])
    #expect(arguments[FuzzRunVerb.jobs] == 3)
  }

  @Test(
    "wrong use",
    arguments: [
      ["run", "--max-time", "1m", "--overnight", "8h"], ["run", "--max-time", "60"], ["run", "--jobs", "0"],
      ["to-cassette", "x", "--name", "../x"], ["repro"],
    ])
  func wrongUse(words: [String]) async { #expect(await wiretape(["fuzz"] + words).code == .usage) }

  @Test("where there is nothing, it is said how to get it", arguments: ["run", "list", "cmin", "coverage"])
  func nothingThere(verb: String) async throws {
    let folder = try ScratchFolder()
    let run = await wiretape("fuzz", verb, "--path", folder.url.path)
    #expect(run.code == .noInput)
    #expect(run.diagnostics.contains("wiretape fuzz init"))
  }

  @Test("an input that isn't there is said before anything is built")
  func noFile() async throws {
    for verb in ["repro", "tmin", "to-cassette"] {
      #expect(await wiretape("fuzz", verb, "/nowhere/crash-1").code == .noInput)
    }
  }

  @Test("targets are listed")
  func list() async throws {
    let folder = try ScratchFolder()
    try FuzzPackageTests.write(["FuzzA", "FuzzB"], in: folder)
    let run = await wiretape("fuzz", "list", "--json", "--path", folder.url.path)
    #expect(try run.objects().map { $0["target"] as? String } == ["FuzzA", "FuzzB"])
  }

  @Test("init writes nothing over what is there")
  func initRefuses() async throws {
    let folder = try ScratchFolder()
    let missing = await wiretape("fuzz", "init", "--path", folder.url.path)
    #expect(missing.code == .noInput)
    #expect(missing.diagnostics.contains("Package.swift"))
  }
}
