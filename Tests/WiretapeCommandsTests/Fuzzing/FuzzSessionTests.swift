// A run of a fuzz target: workers, findings told apart, inputs that fail from the start, the next evening, the end in
// good order.

import Foundation
import ScratchFolders
import Testing

@testable import WiretapeCommands

struct FuzzSessionTests {
  private func run(
    _ fuzzer: FakeFuzzer, jobs: Int = 1, stopsAtFinding: Bool = false, _ context: CommandContext = .forTests
  ) async throws -> FuzzSummary {
    try await FuzzSession(
      fuzzer.target, FuzzOptions(duration: .seconds(3600), jobs: jobs, stopsAtFinding: stopsAtFinding),
      context
    ).run()
  }

  @Test("workers run side by side, one of them with the value profile")
  func workers() async throws {
    let fuzzer = try FakeFuzzer(
      #"loaded; inited; echo "$@" >>"${prefix}words"; echo new >"$work/new-$$"; stats 100"#)
    let summary = try await run(fuzzer, jobs: 2)
    #expect(summary.executions == 200)
    #expect(summary.coverage == (10, 12))
    #expect(summary.features == (20, 25))
    #expect(summary.corpus.start.files == 0)
    #expect(summary.corpus.end == .init(files: 2, bytes: 8))
    #expect(summary.restarts == 0)
    #expect(summary.findings.isEmpty)
    #expect(!summary.isInterrupted)
    let words = try ["1", "2"].map {
      try String(contentsOfFile: summary.logs + "/worker-\($0)/words", encoding: .utf8)
    }.joined()
    for part in ["-use_value_profile=0", "-use_value_profile=1", "-max_total_time="] {
      #expect(words.contains(part))
    }
    #expect(!exists(summary.logs + "/seeds"))
  }

  @Test("a seed that fails is a finding, and the run goes on without it")
  func failingSeed() async throws {
    let fuzzer = try FakeFuzzer(
      #"loaded; for f in "$seeds"/*bad*; do [ -f "$f" ] && fails reference "$f"; done; inited; stats 100"#)
    let seed = try fuzzer.folder.write("Corpus/seeds/bad.sse", Array("data".utf8))
    _ = try fuzzer.folder.write("Corpus/seeds/good.sse", Array("good".utf8))
    let summary = try await run(fuzzer)
    #expect(summary.executions == 100)
    #expect(summary.restarts == 1)
    #expect(summary.findings.map(\.times) == [1])
    #expect(summary.findings.first?.isNew == true)
    #expect(exists(seed), "a seed is the user's")
    let next = try await run(fuzzer)
    #expect(next.findings.map(\.isNew) == [false], "the next evening knows it")
    #expect(try FindingBook(in: fuzzer.artifacts).entries.map(\.times) == [2])
  }

  @Test("workers that fail on the same seed at once both go on")
  func failingSeedForAll() async throws {
    // Each worker fails on it until both have, as they do when they begin together.
    let fuzzer = try FakeFuzzer(
      """
      loaded; case "$*" in *profile=1*) n=1;; *) n=0;; esac
      [ -f "${prefix}failed$n" ] || { : >"${prefix}failed$n"; printf bad >"$prefix/in$n"; fails reference "$prefix/in$n"; }
      inited; stats 100
      """)
    _ = try fuzzer.folder.write("Corpus/seeds/bad.sse", Array("bad".utf8))
    let summary = try await run(fuzzer, jobs: 2)
    #expect(summary.executions == 200)
    #expect(summary.findings.map(\.times) == [2])
  }

  @Test("an input of the growing corpus that fails is taken out of it")
  func failingInput() async throws {
    let fuzzer = try FakeFuzzer(
      #"loaded; for f in "$work"/*; do [ -f "$f" ] && fails reference "$f"; done; inited; stats 100"#)
    try makeFolder(fuzzer.package.work("FuzzFake"))
    let input = try fuzzer.folder.write("Fuzz/work/FuzzFake/abc", Array("data: x".utf8))
    let summary = try await run(fuzzer)
    #expect(!exists(input))
    #expect(summary.findings.first?.bytes == 7)
  }

  @Test("findings are told apart, and each is told once")
  func deduplication() async throws {
    // Fails five times after the corpus was loaded, in two ways.
    let fuzzer = try FakeFuzzer(
      """
      loaded; inited; n=$(ls "$prefix" | grep -c started); : >"${prefix}started$n"
      printf "data $n" >"$prefix/in"
      [ $n -lt 5 ] && { [ $((n % 2)) = 0 ] && fails reference "$prefix/in" || fails lineEnds "$prefix/in"; }
      stats 100
      """)
    let summary = try await run(fuzzer)
    #expect(summary.restarts == 5)
    #expect(summary.findings.map(\.times).sorted() == [2, 3])
    let kept = try FileManager.default.contentsOfDirectory(atPath: fuzzer.artifacts)
    #expect(kept.filter { $0.hasPrefix("crash-") && !$0.hasSuffix(".log") }.count == 2)
  }

  @Test("a path that was printed and makes way for a smaller input is told with the one that stays")
  func smaller() async throws {
    let fuzzer = try FakeFuzzer(
      """
      loaded; inited; n=$(ls "$prefix" | grep -c started); : >"${prefix}started$n"
      case $n in 0) printf 12345 >"$prefix/in";; 1) printf 123 >"$prefix/in";; *) stats 100; exit 0;; esac
      fails reference "$prefix/in"
      """)
    var context = CommandContext.forTests
    let printed = Collected()
    context.diagnostics = CommandOutput { printed.append($0) }
    let summary = try await run(fuzzer, context)
    let lines = printed.text.split(separator: "\n")
    let first = try #require(lines.first?.split(separator: "/").last)
    let input = try #require(summary.findings.first?.input)
    #expect(lines.count == 2 && lines[0].hasPrefix("NEW finding: reference: does not hold: "))
    #expect(lines.last == "smaller by now: \(input), 3 bytes, in place of \(first)")
    #expect(exists(input))
  }

  @Test("a run may end at the first finding, with all its workers")
  func untilFinding() async throws {
    let fuzzer = try FakeFuzzer(
      #"loaded; inited; echo data >"$prefix/in"; case "$*" in *profile=1*) fails reference "$prefix/in";; *) sleep 60; touch "$0.outlived";; esac"#
    )
    let summary = try await run(fuzzer, jobs: 2, stopsAtFinding: true)
    #expect(summary.findings.count == 1)
    #expect(summary.restarts == 1)
    #expect(!FileManager.default.fileExists(atPath: fuzzer.folder.path("Fuzz/program.outlived")))
  }

  @Test("a program without coverage is refused")
  func gate() async throws {
    let error = await #expect(throws: CommandError.self) { try await run(FakeFuzzer("echo hello; exit 1")) }
    #expect(error?.code == .unavailable)
    #expect(error?.message.contains("hello") == true)
    let quiet = await #expect(throws: CommandError.self) { try await run(FakeFuzzer("echo no fuzzer")) }
    #expect(quiet?.code == .unavailable, "also if it says that all is well")
  }

  @Test("a program that fails at every start ends the run with what it said")
  func alwaysFails() async throws {
    let error = await #expect(throws: CommandError.self) {
      try await run(FakeFuzzer("loaded; echo cannot work; exit 1"))
    }
    #expect(error?.code == .badData)
    #expect(error?.message.contains("cannot work") == true)
  }

  @Test("an interrupted run ends its workers and has its summary")
  func interrupted() async throws {
    let fuzzer = try FakeFuzzer(
      #"trap 'stats 70; exit 0' USR1; loaded; inited; : >"$work/started"; while :; do sleep 0.02; done"#)
    let session = try FuzzSession(
      fuzzer.target, FuzzOptions(duration: .seconds(3600), jobs: 1), .forTests)
    let running = Task { try await session.run() }
    while !exists(fuzzer.package.work("FuzzFake") + "/started") { await Task.yield() }
    running.cancel()
    let summary = try await running.value
    #expect(summary.isInterrupted)
    #expect(summary.executions == 70)
  }
}
