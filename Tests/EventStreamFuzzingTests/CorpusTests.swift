// Every input that is kept in Corpus, through every oracle, in the ordinary test run: a fault that was found once is
// looked for each time.

import EventStreamFuzzing
import Foundation
import ServerSentEvents
import Testing

/// An input of the corpus.
struct CorpusInput: Sendable, CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var testDescription: String { name }

  static let corpus = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Corpus")

  /// The files of a folder, by name.
  static func files(in folder: String) throws -> [CorpusInput] {
    let urls = try FileManager.default.contentsOfDirectory(
      at: corpus.appendingPathComponent(folder), includingPropertiesForKeys: nil)
    return try urls.filter { !$0.lastPathComponent.hasPrefix(".") }
      .sorted { $0.path < $1.path }
      .map { CorpusInput(name: "\(folder)/\($0.lastPathComponent)", bytes: Array(try Data(contentsOf: $0))) }
  }

  /// The streams of the conformance cases.
  static func conformance() throws -> [CorpusInput] {
    struct Case: Decodable {
      var name: String
      var input_b64: Data
    }
    let lines = try Data(contentsOf: corpus.appendingPathComponent("conformance/parser.jsonl")).split(
      separator: 0x0A)
    return try lines.map {
      let item = try JSONDecoder().decode(Case.self, from: $0)
      return CorpusInput(name: item.name, bytes: Array(item.input_b64))
    }
  }
}

@Suite struct CorpusTests {
  @Test("every seed holds all oracles")
  func seeds() throws {
    let inputs = try CorpusInput.files(in: "seeds")
    #expect(inputs.count >= 10)
    for input in inputs { expectNoFinding(input) }
  }

  @Test("every fault ever found stays fixed")
  func regressions() throws {
    for input in try CorpusInput.files(in: "regressions") { expectNoFinding(input) }
  }

  @Test("every conformance case up to 4 KiB holds all oracles")
  func conformance() throws {
    let inputs = try CorpusInput.conformance().filter { $0.bytes.count <= 4096 }
    #expect(inputs.count >= 130)
    for input in inputs { expectNoFinding(input) }
  }

  @Test("streams at random hold all oracles", arguments: 0..<8 as Range<UInt64>)
  func randomStreams(seed: UInt64) {
    var streams = StreamGenerator(seed: seed)
    for number in 0..<60 {
      expectNoFinding(CorpusInput(name: "seed \(seed), stream \(number)", bytes: streams.next()))
    }
  }

  /// For streams that can't be in this repository: `STREAMS=FOLDER swift test --filter CorpusTests`.
  @Test(
    "every stream of a folder elsewhere holds the oracles, and every case of single splits within a budget",
    .enabled(if: ProcessInfo.processInfo.environment["STREAMS"] != nil, "STREAMS names no folder"))
  func elsewhere() throws {
    let folder = URL(fileURLWithPath: ProcessInfo.processInfo.environment["STREAMS"] ?? "")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "sse" }.sorted { $0.path < $1.path }
    #expect(!files.isEmpty)
    for file in files {
      let input = CorpusInput(name: file.lastPathComponent, bytes: Array(try Data(contentsOf: file)))
      expectNoFinding(input)
      var generator = SeededGenerator(seed: 1)
      let whole = EventStreamParser.events(in: input.bytes)
      let splits = (0..<20).map { _ in generator.below(input.bytes.count + 1) }.map { Delivery.at([$0]) }
      let plans = (0..<20).map { _ in Delivery.random(input.bytes.count, using: &generator) }
      for delivery in splits + plans {
        var parser = EventStreamParser()
        let outputs = delivery.chunks(of: input.bytes).flatMap { parser.append($0) }
        let events = outputs.compactMap { if case .event(let event) = $0 { event } else { nil } }
        #expect(events == whole, "\(input.name) \(delivery)")
      }
      print("\(input.name): \(input.bytes.count) bytes, \(whole.count) events")
    }
  }

  private func expectNoFinding(_ input: CorpusInput, sourceLocation: SourceLocation = #_sourceLocation) {
    // What an input is, its name says: an event stream unless it ends otherwise, which is a body to redact as well.
    let finding =
      if input.name.hasSuffix(".records") || input.name.hasSuffix(".cassette") {
        Oracle.checkCassette(input.bytes)
      } else if input.name.hasSuffix(".facts") {
        Oracle.checkClient(input.bytes)
      } else if input.name.hasSuffix(".options") {
        Oracle.checkOptions(input.bytes)
      } else if input.name.hasSuffix(".json") || input.name.hasSuffix(".form") {
        Oracle.checkRedaction(input.bytes)
      } else {
        Oracle.check(input.bytes) ?? Oracle.checkRedaction(input.bytes)
      }
    if let finding {
      Issue.record(
        "\(input.name): \(finding)\n  input: \(String(reflecting: String(decoding: input.bytes, as: UTF8.self)))",
        sourceLocation: sourceLocation)
    }
  }
}
