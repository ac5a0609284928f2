import ChildProcesses
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import EventCassettes

/// The page is enough to read a cassette: a reader in Python, standard library only, must see what we wrote.
@Suite struct IndependentReaderTests {
  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("read_cassette.py").path
  private static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  private struct Answer {
    var lines: [String]
    var status: Int32
    var fault: String
  }

  private func run(_ bytes: [UInt8]) async throws -> Answer {
    let folder = try ScratchFolder()
    let file = try folder.write("x.cassette", bytes)
    // Files instead of pipes: no pipe can fill up while nobody reads it.
    let output = folder.url.appending(path: "out")
    let errors = folder.url.appending(path: "err")
    let status = try await LoggedProcess(
      program: try #require(Self.python), arguments: [Self.script, file], folder: folder.url.path,
      log: output.path, errorLog: errors.path
    ).run()
    let text = try String(contentsOf: output, encoding: .utf8)
    return Answer(
      lines: text.split(separator: "\n").map(String.init), status: status,
      fault: try String(contentsOf: errors, encoding: .utf8))
  }

  /// A record as the script prints it.
  private func expected(_ record: CassetteRecord) throws -> JSONValue {
    let kind = String(UnicodeScalar(RecordKind.of(record)))
    func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
    let payload: JSONValue =
      switch record {
      case .chunk(let chunk): .array([.integer(chunk.delay), .string(hex(chunk.bytes))])
      case .requestBody(let bytes): .string(hex(bytes))
      case .unknown(_, let payload): .string(hex(payload))
      default: .object(try #require(CassetteFormats.written.json(of: record)))
      }
    return .array([.string(kind), payload])
  }

  private func compare(_ records: [CassetteRecord], _ bytes: [UInt8], end: String) async throws {
    let answer = try await run(bytes)
    #expect(answer.status == 0, "\(answer.fault)")
    let got = try answer.lines.map { try JSONParser.value(of: Array($0.utf8)[...]) }
    #expect(got == (try records.map(expected)) + [.array([.string("end"), .string(end)])])
  }

  @Test("Python reads everything that we write", .enabled(if: python != nil, "there is no python3 here"))
  func everything() async throws {
    try await compare(Samples.records, Samples.bytes(level: 9), end: "finished")
    try await compare(
      Samples.records + Samples.records, Samples.bytes() + Samples.bytes(level: 0), end: "finished")
  }

  @Test("Python reads many members", .enabled(if: python != nil, "there is no python3 here"))
  func members() async throws {
    var records = Array(Samples.records[0...3])
    for index in 0..<3_000 {
      let bytes = [UInt8](repeating: UInt8(index % 251), count: 1 + index % 400)
      records.append(.chunk(Cassette.Chunk(delay: Int64(index) << 20, bytes: bytes)))
    }
    records.append(.end(Cassette.End(cause: .truncated, detail: "line\n\u{7F}\u{2028}\u{1F600}")))
    try await compare(records, Samples.bytes(of: records), end: "unfinished")
  }

  @Test("Python reads what a kill left", .enabled(if: python != nil, "there is no python3 here"))
  func torn() async throws {
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    for record in Samples.records[0...4] { try writer.write(record) }
    try writer.flush()
    try await compare(Array(Samples.records[0...4]), writer.bytes, end: "unfinished")
  }

  @Test("Python and we agree on what is damaged", .enabled(if: python != nil, "there is no python3 here"))
  func damaged() async throws {
    let bytes = try Samples.bytes()
    for wrong in [
      Array(bytes.dropLast(4)) + [0, 0, 0, 0], bytes + [0], [], Array("text".utf8),
      try Samples.member(Samples.w + Samples.q + Samples.d),
      try Samples.member(Samples.w + Array(Samples.q.dropLast())),
    ] {
      #expect(throws: CassetteError.self) { try read(wrong) }
      #expect(try await run(wrong).status == 65)
    }
  }
}
