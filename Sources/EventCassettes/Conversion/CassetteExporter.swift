// How cassettes become other formats: the one list of exporters, and the way every one of them goes. A new exporter is
// a file of its own beside this one and a line in `all`. Formats of one text come out piece by piece; a folder of
// files is CassetteExporter+Corpus.

/// Writes a cassette in another format, reading it record by record.
public struct CassetteExporter: Sendable {
  /// The format's name on the command line.
  public let name: String
  /// What the format is, in a few words.
  public let summary: String
  let makeSteps: @Sendable () -> any ExportSteps

  /// Every exporter of a single file. Fuzz seeds are a folder: see ``corpusSeeds(of:longest:_:)``.
  public static let all: [CassetteExporter] = [.sse, .text, .jsonl, .har, .asciicast]

  /// Reads the cassette to its end and hands out the format's bytes in order, in pieces.
  ///
  /// - Throws: ``CassetteError`` of reading, or what `body` throws.
  public func run(_ reader: inout CassetteReader, _ body: ([UInt8]) throws -> Void) throws {
    var steps = makeSteps()
    while let record = try reader.next() {
      let bytes = steps.take(record, at: reader.elapsed)
      if !bytes.isEmpty { try body(bytes) }
    }
    let bytes = steps.finish()
    if !bytes.isEmpty { try body(bytes) }
  }
}

/// What a format does with one record after the other.
protocol ExportSteps {
  /// Takes a record, `at` microseconds after the recording began, and returns the bytes that are ready.
  mutating func take(_ record: CassetteRecord, at: Int64) -> [UInt8]
  /// The bytes that end the format.
  mutating func finish() -> [UInt8]
}
