// How other formats become cassettes: the one list of importers, and the way every one of them goes. A new importer is
// a file of its own beside this one and a line in `all`.
//
// What is imported goes through the same redaction as what is recorded. Times are kept only where the format has them.

/// Makes a cassette of a file in another format.
public struct CassetteImporter: Sendable {
  /// Takes one record of the cassette that is being made.
  typealias Emit = (CassetteRecord) throws(CassetteError) -> Void

  /// The format's name on the command line.
  public let name: String
  /// What the format is, in a few words.
  public let summary: String
  /// Endings of file names, without the dot, by which the format is recognised.
  public let endings: [String]
  /// Reads the source and emits everything after the header and before the trailer.
  let convert: @Sendable (inout ImportSource, Emit) throws(CassetteError) -> Void
  /// What the format says about time; decided by the source where it may have times.
  let timing: Cassette.Timing

  /// Every importer there is.
  public static let all: [CassetteImporter] = [.sse, .jsonl, .har, .asciicast]

  /// The importer of this name, or the one whose endings the file name has.
  public static func named(_ name: String?, file: String) -> CassetteImporter? {
    if let name { return all.first { $0.name == name } }
    let ending = file.split(separator: ".").last.map { $0.lowercased() } ?? ""
    return all.first { $0.endings.contains(ending) }
  }

  /// Reads a file (`-` for standard input) and writes it as one recording.
  ///
  /// - Parameters:
  ///   - path: the source.
  ///   - writer: where to; closed at the end. After an error the caller may discard it.
  ///   - recorder: the header's `recorder`.
  ///   - recordedAt: the header's `recordedAt`, RFC 3339 in UTC.
  ///   - labels: the header's `labels`.
  ///   - redaction: what is masked; `nil` for nothing.
  ///   - onWarning: is told what of the source could not be kept, with the place.
  /// - Returns: the totals.
  /// - Throws: ``CassetteError``: `notImportable` with the place in the source, or what reading and writing throw.
  @discardableResult
  public func run(
    contentsOf path: String, to writer: inout CassetteWriter, recorder: String, recordedAt: String,
    labels: [String: String] = [:], redaction: RedactionRules? = .standard,
    onWarning: (String) -> Void = { _ in }
  ) throws(CassetteError) -> Cassette.Trailer {
    var source = try ImportSource(path)
    var filter = try redaction.map { (rules) throws(CassetteError) in try RedactionFilter(rules: rules) }
    var ready: [CassetteRecord] = []

    func write(_ record: CassetteRecord, into writer: inout CassetteWriter) throws(CassetteError) {
      if filter == nil { ready.append(record) } else { filter?.take(record, into: &ready) }
      defer { ready.removeAll(keepingCapacity: true) }
      for record in ready { try writer.write(record) }
    }

    let header = Cassette.Header(recorder: recorder, recordedAt: recordedAt, timing: timing, labels: labels)
    try write(.header(header), into: &writer)
    try convert(&source) { (record) throws(CassetteError) in try write(record, into: &writer) }
    source.warnings.forEach(onWarning)
    try write(.trailer(Cassette.Trailer()), into: &writer)
    filter?.finish(into: &ready)
    for record in ready { try writer.write(record) }
    try writer.close()
    return writer.totals
  }
}

/// A file that is being imported.
struct ImportSource: ~Copyable {
  /// The most that is read of a format that has to be read whole.
  static let mostWhole = 512 << 20
  /// The file's name without its folder, which tells nothing about the machine.
  let name: String
  private let path: String
  private var file: CassetteFile
  private var buffer = [UInt8](repeating: 0, count: 64 << 10)
  /// What is in the buffer and was not given out by ``line()``.
  private var unread = 0..<0
  private var told: [String] = []
  private var untold = 0

  init(_ path: String) throws(CassetteError) {
    self.path = path
    name = path == "-" ? "stdin" : path.split(separator: "/").last.map(String.init) ?? path
    file = try .open(reading: path)
  }

  /// The next bytes, empty at the end.
  mutating func next() throws(CassetteError) -> ArraySlice<UInt8> {
    let count = try file.read(into: &buffer, 0..<buffer.count)
    return buffer[..<count]
  }

  /// The next line without its LF; `nil` at the end. For formats of lines, which ask for nothing else.
  mutating func line() throws(CassetteError) -> [UInt8]? {
    var line: [UInt8] = []
    while true {
      if unread.isEmpty {
        unread = 0..<(try file.read(into: &buffer, 0..<buffer.count))
        if unread.isEmpty { return line.isEmpty ? nil : line }
      }
      let end = buffer[unread].firstIndex(of: 0x0A)
      line += buffer[unread.lowerBound..<(end ?? unread.upperBound)]
      unread = (end.map { $0 + 1 } ?? unread.upperBound)..<unread.upperBound
      if end != nil { return line }
      guard line.count <= Self.mostWhole else {
        throw CassetteError(.overLimit, file: path, "a line of more than \(Self.mostWhole >> 20) MiB")
      }
    }
  }

  /// All that is left.
  mutating func rest() throws(CassetteError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let piece = try next()
      if piece.isEmpty { return bytes }
      guard bytes.count + piece.count <= Self.mostWhole else {
        throw CassetteError(
          .overLimit, file: path,
          "more than \(Self.mostWhole >> 20) MiB; this format has to be read whole, so split the file")
      }
      bytes += piece
    }
  }

  /// Says what of the source can't be kept; more than a few are counted only.
  mutating func warn(_ what: String) { if told.count < 16 { told.append(what) } else { untold += 1 } }

  /// What was warned of.
  var warnings: [String] { told + (untold > 0 ? ["and as much of \(untold) more"] : []) }

  /// An error about the source's content.
  func fault(_ what: String) -> CassetteError { CassetteError(.notImportable, file: path, what) }
}
