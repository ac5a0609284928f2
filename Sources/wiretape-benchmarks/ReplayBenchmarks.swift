// Replaying a cassette against parsing its bytes; and two checks that a developer waits for, against one second.

import EventCassettes
import ServerSentEvents

/// Replay and verification.
func replayBenchmarks(on llm: Input, _ options: Options) throws -> [Benchmark] {
  // As a developer gets them, in windows; and without, each split from the stream's start to its end.
  let splits = CheckOptions(plans: [.each], proves: false)
  let wholeSplits = CheckOptions(plans: [.each], budget: .max, proves: false)
  return try (options.includes("replay, instant", "llm", 1400) ? [replay(of: llm, chunkBytes: 1400)] : [])
    + (options.includes("replay, instant", "llm", 20) ? [replay(of: llm, chunkBytes: 20)] : [])
    + [
      check("verify, each split", of: llm, bytes: 64 << 10, splits),
      check("verify, whole splits", of: llm, bytes: 64 << 10, wholeSplits),
      check("verify, proof", of: llm, bytes: 2 << 10, CheckOptions(plans: [], budget: .max)),
    ]
}

private func replay(of llm: Input, chunkBytes: Int) throws -> Benchmark {
  let cassette = try Cassette(bytes: try makeCassette(of: llm.bytes, chunkBytes: chunkBytes))
  let chunks = cassette.exchanges[0].chunks.map(\.bytes)
  return Benchmark(
    name: "replay, instant", input: "llm", chunkBytes: chunkBytes, bytes: llm.bytes.count,
    limitName: "parser to Strings",
    run: {
      var replayer = CassetteReplayer(cassette)
      var events = 0
      while let output = try replayer.next() {
        if case .signal(.event) = output.what { events += 1 }
      }
      return events
    },
    limit: {
      var parser = EventStreamParser()
      var events = 0
      for chunk in chunks {
        parser.append(chunk) { output, _ in if case .event = output { events += 1 } }
      }
      return events
    })
}

private func check(_ name: String, of input: Input, bytes: Int, _ options: CheckOptions) throws -> Benchmark {
  let cassette = try Cassette(bytes: try makeCassette(of: Array(input.bytes.prefix(bytes)), chunkBytes: 1400))
  return Benchmark(
    name: name, input: input.name, chunkBytes: 0, bytes: bytes, limitName: "within a second",
    run: {
      let report = try CassetteVerifier.check(cassette, options: options)
      precondition(report.passed, "the parser depends on cuts")
      precondition(report.chunking.runs.allSatisfy { !$0.isSample }, "the budget is too small for all splits")
      return report.events.count
    },
    limit: { 0 }, seconds: .against(1))
}
