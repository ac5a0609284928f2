// What is done with a stream of bytes that may be endless, and so must be linear: the list that the growth oracle goes
// through.

import EventCassettes
import ServerSentEvents

/// Something that takes a stream in chunks.
public struct StreamWork: Sendable {
  /// What it does, for findings.
  public let name: String
  /// Begins with a new stream; what is returned takes its chunks.
  public let begin: @Sendable () -> (_ chunk: [UInt8]) -> Void

  /// A work.
  public init(_ name: String, begin: @escaping @Sendable () -> (_ chunk: [UInt8]) -> Void) {
    self.name = name
    self.begin = begin
  }

  /// Every work of this package that takes endless streams.
  public static let all: [StreamWork] = [borrowing, copying, redacting, cutting]

  static let borrowing = StreamWork("the visitor") {
    var parser = EventStreamParser()
    return { chunk in parser.visit(chunk.span) { _, _, _, _ in } }
  }

  static let copying = StreamWork("append") {
    var parser = EventStreamParser()
    return { chunk in _ = parser.append(chunk) }
  }

  static let redacting = StreamWork("redaction") {
    guard var filter = try? RedactionFilter(rules: .standard) else { return { _ in } }
    var output: [CassetteRecord] = []
    filter.take(.response(Cassette.Response()), into: &output)
    return { chunk in
      filter.take(.chunk(Cassette.Chunk(bytes: chunk)), into: &output)
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
