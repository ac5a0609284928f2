// `wiretape export`: a cassette in another format, on standard output or in a file; fuzz seeds in a folder. What the
// formats are is EventCassettes/Conversion.

import EventCassettes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum ExportVerb {
  private static let corpus = "corpus"

  static let format = Option.word(
    "--to", value: "FORMAT", of: CassetteExporter.all.map(\.name) + [corpus], help: "The format to write.")
  static let output = Option.file(
    "-o", "--output", help: "The file to write, or the folder for “corpus”; standard output unless given.")

  static let verb = Verb(
    name: "export",
    summary: "Write a cassette in another format",
    discussion: """
      Writes what is on a cassette for other tools: the raw bytes, the events as JSON lines, a HAR for a browser’s \
      network panel, a terminal recording, or a folder of fuzz seeds.
      """,
    positionals: [Positional(name: "FILE", help: "The cassette; “-” is standard input.")],
    options: [format.row.required, output.row, RecordVerb.force.row],
    notes: [
      Verb.Note(
        heading: "Formats",
        text: CassetteExporter.all.map { "\($0.name): \($0.summary)" }.joined(separator: "; ")
          + "; corpus: a folder of fuzz seeds, small streams of whole blocks.")
    ],
    examples: [
      "wiretape export demo.cassette --to jsonl", "wiretape export demo.cassette --to har -o demo.har",
      "wiretape export demo.cassette --to corpus -o seeds",
    ],
    run: { try run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) throws -> ExitCode {
    guard let name = arguments[format] else {
      throw CommandError.usage(of: "export", "--to FORMAT is missing: in which format?")
    }
    var reader = try CassetteReader(contentsOf: arguments.positionals[0])
    if name == corpus { return try writeSeeds(&reader, arguments, context) }
    guard let exporter = CassetteExporter.all.first(where: { $0.name == name }) else { return .usage }
    if let path = arguments[output], path != "-" {
      try refuseOverwriting(arguments.positionals[0], by: path)
      try writeFile(path, overwriting: arguments.has(RecordVerb.force)) { write in
        try exporter.run(&reader, write)
      }
    } else {
      try exporter.run(&reader, context.output.write)
    }
    if !reader.isFinished {
      try context.diagnostics.line(
        "wiretape export: the cassette is unfinished: exported up to its last whole record")
    }
    return .success
  }

  private static func writeSeeds(
    _ reader: inout CassetteReader, _ arguments: Arguments, _ context: CommandContext
  ) throws -> ExitCode {
    guard let folder = arguments[output] else {
      throw CommandError.usage(of: "export", "-o FOLDER is missing: fuzz seeds are a folder of files")
    }
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    } catch {
      throw CommandError(
        .cannotCreate, "\(folder): no folder can be made here",
        next: "Take another name, or remove what is there.")
    }
    let count = try CassetteExporter.corpusSeeds(of: &reader) { name, bytes in
      // A seed is named after its content: one that is there already is the same one.
      try writeFile(folder + "/" + name, overwriting: true) { write in try write(bytes) }
    }
    try context.diagnostics.line("wrote \(counted(count, "seed")) to \(folder)")
    return .success
  }
}

/// Creates a file and writes to it; what a failing write leaves is removed, since half of it is no use to anybody, and
/// a file that was to be overwritten is as it was.
func writeFile(
  _ path: String, overwriting: Bool, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
) throws {
  var file =
    try overwriting ? CassetteFile.create(replacing: path) : CassetteFile.create(path, overwriting: false)
  do {
    try body { try file.write($0) }
    try file.write([])  // an overwritten file's content goes also where there is nothing to write
    try file.commit()
  } catch {
    file.remove()
    throw error
  }
}
