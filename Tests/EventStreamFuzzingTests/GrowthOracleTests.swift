// The growth oracle on works whose steps are counted by hand: linear ones pass whatever their shape, others don't. With
// steps counted by the fuzzer's instrumentation it runs in Fuzz/.

import Testing

@testable import EventStreamFuzzing

/// Steps counted by hand. One test, one counter, one thread.
private final class Counter: @unchecked Sendable {  // used by the test that made it alone
  var steps: UInt64 = 0
}

@Suite struct GrowthOracleTests {
  private let input = Array("id: 1\ndata: a\n\n".utf8)

  private func check(_ cost: @escaping @Sendable (_ chunk: Int, _ before: Int) -> Int) -> Finding? {
    let counter = Counter()
    let work = StreamWork("counted") {
      var bytes = 0
      return { chunk in
        counter.steps += UInt64(cost(chunk.count, bytes))
        bytes += chunk.count
      }
    }
    return GrowthOracle { counter.steps }.check(input, work)
  }

  @Test("a step for each byte, and many steps for each byte, are linear")
  func linear() {
    #expect(check { chunk, _ in chunk } == nil)
    #expect(check { chunk, _ in 500 + 40 * chunk } == nil)
  }

  @Test("a buffer that doubles when it is full is linear")
  func amortized() {
    #expect(check { chunk, before in chunk + (before.nonzeroBitCount == 1 ? before : 0) } == nil)
  }

  @Test("an old buffer that is copied with every chunk is not")
  func copies() {
    #expect(check { chunk, before in chunk + before }?.oracle == "growth")
    #expect(check { chunk, before in 20 * chunk + before / 16 }?.oracle == "growth")
  }

  @Test("more steps for a byte than a work may make are a finding, although they are linear")
  func stepsPerByte() {
    func check(_ steps: UInt64) -> Finding? {
      let counter = Counter()
      let work = StreamWork("counted", mostStepsPerByte: 100) {
        { chunk in counter.steps += steps * UInt64(chunk.count) }
      }
      return GrowthOracle { counter.steps }.check(input, work)
    }
    #expect(check(100) == nil)
    #expect(check(101)?.expected.contains("at most 100 steps") == true)
  }

  @Test(
    "what is kept because of one work is still for that work",
    arguments: [
      ("growth-secret-spelled-anew.sse", "redaction", GrowthOracle.Shape.repeated),
      ("growth-beginnings-of-secrets.sse", "redaction of what is nearly secret", .endlessLine),
    ])
  func kept(file: String, work: String, shape: GrowthOracle.Shape) throws {
    let input = try #require(CorpusInput.files(in: "regressions").first { $0.name.hasSuffix(file) })
    #expect(GrowthOracle.work(for: input.bytes).name == work)
    #expect(GrowthOracle.Shape(for: input.bytes) == shape)
  }

  @Test("an empty input has nothing to grow")
  func empty() {
    let work = StreamWork("none") { { _ in } }
    #expect(GrowthOracle { 0 }.check([], work) == nil)
  }
}
