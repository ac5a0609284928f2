// What a terminal shows while a fuzz target is built, which takes minutes the first time.

import ScratchFolders
import Testing

@testable import WiretapeCommands

@Suite struct FuzzBuildProgressTests {
  @Test("the time, and what the build said last")
  func progress() throws {
    let folder = try ScratchFolder()
    let log = try folder.write("build.log", "[1/9] Compiling A\n[2/9] Compiling B\u{1B}[2J\n\n".utf8)
    let text = FuzzBuild.progress(of: "FuzzOrders", elapsed: .milliseconds(61_250), log: log)
    #expect(text == "building FuzzOrders · 61.2 s · [2/9] Compiling B\\u{1B}[2J")
  }

  @Test("nothing of a log that isn't there yet")
  func noLog() throws {
    let log = try ScratchFolder().path("none.log")
    #expect(FuzzBuild.progress(of: "FuzzOrders", elapsed: .zero, log: log) == "building FuzzOrders · 0.0 s")
  }
}
