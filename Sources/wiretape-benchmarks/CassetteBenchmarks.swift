// The cassette writer, recorder and reader against zlib alone: the same bytes, the same level, nothing but the calls.
//
// UNSAFE, and why: what zlib inflates comes as a buffer pointer, lent for the closure.

import EventCassettes
import Foundation
import ServerSentEvents
import WiretapeCommands

/// Cassettes of chunks as a network gives them, and of a million tiny ones.
func cassetteBenchmarks(on inputs: [Input], _ options: Options) throws -> [Benchmark] {
  let tiny = Input(name: "tiny chunks", bytes: Array(inputs[0].bytes.prefix(20_000_000)))
  return try (inputs.map { ($0, 1400) } + [(tiny, 20)]).filter { input, chunkBytes in
    ["write", "record", "read", "values", "size"].contains {
      options.includes("cassette, \($0)", input.name, chunkBytes)
    }
  }.flatMap(cassetteBenchmarks)
}

private func cassetteBenchmarks(on input: Input, chunkBytes: Int) throws -> [Benchmark] {
  let (name, bytes) = (input.name, input.bytes)
  let cassette = try makeCassette(of: bytes, chunkBytes: chunkBytes)
  var inflated: [UInt8] = []  // what the writer gave to zlib
  unsafe inflateAll(cassette) { unsafe inflated.append(contentsOf: $0) }
  let whole = inflated
  let facts = recordingFacts(of: bytes, chunkBytes: chunkBytes)
  func benchmark(
    _ what: String, against limitName: String, unit: Benchmark.Unit = .speed,
    _ run: @escaping () async throws -> Int, _ limit: @escaping () async throws -> Int
  ) -> Benchmark {
    Benchmark(
      name: "cassette, \(what)", input: name, chunkBytes: chunkBytes, bytes: whole.count, unit: unit,
      limitName: limitName, run: run, limit: limit)
  }
  let inflate = {
    var seen = 0
    unsafe inflateAll(cassette) { seen &+= $0.count }
    return seen
  }
  return [
    benchmark(
      "write", against: "zlib -6 of the same", { try makeCassette(of: bytes, chunkBytes: chunkBytes).count }
    ) {
      deflatedCount(whole)
    },
    benchmark("record", against: "zlib -6 of the same", { try record(facts) }) { deflatedCount(whole) },
    benchmark(
      "read", against: "zlib inflate of the same",
      {
        var reader = try CassetteReader(bytes: cassette)
        var seen = 0
        while try reader.advance() { reader.withChunkBytes { _, range in seen &+= range.count } }
        return seen
      }, inflate),
    benchmark(
      "values", against: "zlib inflate of the same",
      {
        var reader = try CassetteReader(bytes: cassette)
        var seen = 0
        while let record = try reader.next() {
          if case .chunk(let chunk) = record { seen &+= chunk.bytes.count }
        }
        return seen
      }, inflate),
    benchmark(
      "size", against: "gzip -6 of the stream",
      unit: .bytesForEach(count: (bytes.count + chunkBytes - 1) / chunkBytes),
      { cassette.count }
    ) { deflatedCount(bytes) },
  ]
}

/// A finished cassette with one exchange whose body comes in chunks of one size.
func makeCassette(of bytes: [UInt8], chunkBytes: Int) throws -> [UInt8] {
  var writer = try CassetteWriter(inMemoryAtLevel: 6)
  try write(bytes, chunkBytes: chunkBytes, to: &writer)
  return writer.bytes
}

/// Writes one exchange whose body is the bytes, so many times.
func write(_ bytes: [UInt8], times: Int = 1, chunkBytes: Int, to writer: inout CassetteWriter) throws {
  try writer.write(.header(header))
  try writer.write(.request(Cassette.Request(url: "http://127.0.0.1/")))
  try writer.write(
    .response(Cassette.Response(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])))
  for _ in 0..<times {
    var start = 0
    while start < bytes.count {
      let end = min(start + chunkBytes, bytes.count)
      try writer.writeChunk(delay: Int64(800 + start % 400), bytes, start..<end)
      start = end
    }
  }
  try writer.write(.end(Cassette.End(cause: .complete)))
  _ = try writer.finish()
  try writer.close()
}

private let header = Cassette.Header(
  recorder: "wiretape-benchmarks", recordedAt: "2026-01-01T00:00:00Z", timing: .synthetic)

/// What a transport tells of an exchange with this body.
private func recordingFacts(of bytes: [UInt8], chunkBytes: Int) -> [StampedTransportFact] {
  var facts = [
    StampedTransportFact(
      at: .zero,
      .response(EventStreamResponse(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")]))
    )
  ]
  for start in stride(from: 0, to: bytes.count, by: chunkBytes) {
    let chunk = Array(bytes[start..<min(start + chunkBytes, bytes.count)])
    facts.append(StampedTransportFact(at: .microseconds(start / chunkBytes * 1000), .bytes(chunk)))
  }
  return facts
}

/// Records the facts as an app would, secrets masked and flushes made in time; returns the cassette's size.
private func record(_ facts: [StampedTransportFact]) throws -> Int {
  var recorder = try CassetteRecorder(to: CassetteWriter(inMemoryAtLevel: 6), header: header)
  try recorder.begin(EventStreamRequest(url: "http://127.0.0.1/"), at: .zero)
  for fact in facts { try recorder.record(fact) }
  try recorder.finish(at: facts.last?.at ?? .zero)
  return recorder.bytes.count
}
