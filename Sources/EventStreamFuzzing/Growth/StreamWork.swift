// What is done with a stream of bytes that may be endless, and so must be linear: the list that the growth oracle goes
// through.

import EventCassettes
import ServerSentEvents

/// Something that takes a stream in chunks.
public struct StreamWork: Sendable {
  /// What it does, for findings.
  public let name: String
  /// At most so many steps for each byte, whatever came before, where that is known.
  let mostStepsPerByte: Double?
  /// Begins with a new stream; what is returned takes its chunks.
  public let begin: @Sendable () -> (_ chunk: [UInt8]) -> Void

  /// A work.
  public init(_ name: String, begin: @escaping @Sendable () -> (_ chunk: [UInt8]) -> Void) {
    self.init(name, mostStepsPerByte: nil, begin: begin)
  }

  init(
    _ name: String, mostStepsPerByte: Double?, begin: @escaping @Sendable () -> (_ chunk: [UInt8]) -> Void
  ) {
    self.name = name
    self.mostStepsPerByte = mostStepsPerByte
    self.begin = begin
  }

  /// Every work of this package that takes endless streams.
  public static let all: [StreamWork] = [borrowing, copying, redacting, cutting, echoing]

  static let borrowing = StreamWork("the visitor") {
    var parser = EventStreamParser()
    return { chunk in parser.visit(chunk.span) { _, _, _, _ in } }
  }

  static let copying = StreamWork("append") {
    var parser = EventStreamParser()
    return { chunk in _ = parser.append(chunk) }
  }

  static let redacting = StreamWork("redaction", mostStepsPerByte: 10_000) {
    guard var filter = try? RedactionFilter(rules: .standard) else { return { _ in } }
    var output: [CassetteRecord] = []
    filter.take(.response(Cassette.Response()), into: &output)
    return { chunk in
      filter.take(.chunk(Cassette.Chunk(bytes: chunk)), into: &output)
      output.removeAll(keepingCapacity: true)
    }
  }

  /// A stream of two letters, and long secrets that begin with one of them and differ only at their ends: whatever the
  /// input is, nearly every place may be the beginning of all of them.
  static let echoing = StreamWork("redaction of what is nearly secret", mostStepsPerByte: 20_000) {
    guard var filter = try? RedactionFilter(rules: .standard) else { return { _ in } }
    let headers = (0..<16).map { HeaderField("X-API-Key", String(repeating: "a", count: 8_000) + "b\($0)") }
    var output: [CassetteRecord] = []
    filter.take(.request(Cassette.Request(url: "http://localhost/", headers: headers)), into: &output)
    filter.take(.response(Cassette.Response()), into: &output)
    return { chunk in
      let letters = chunk.map { UInt8(ascii: "a") + $0 % 2 }
      filter.take(.chunk(Cassette.Chunk(bytes: letters)), into: &output)
      output.removeAll(keepingCapacity: true)
    }
  }

  static let cutting = StreamWork("the hostile plan") {
    var cutter = ChunkCutter(plan: .hostile)
    return { chunk in _ = cutter.append(chunk, at: .zero) }
  }
}

extension ParserSubject {
  /// The parser as a work, for ``GrowthOracle``.
  public var work: StreamWork {
    StreamWork("the parser") {
      let feed = self.makeFeed()
      return { chunk in _ = feed(chunk) }
    }
  }
}
