// Cassettes that the suites of this target share: made here by our own writer, small, and with every kind of record.

import ServerSentEvents

@testable import EventCassettes

enum Samples {
  static let header = Cassette.Header(
    recorder: "tests 1", recordedAt: "2026-01-31T23:59:59Z", timing: .synthetic, labels: ["ü": "a/b\"\\\u{1}"]
  )

  /// A session with a reconnect, a note, a request body, an unknown kind and members that nobody knows.
  static let records: [CassetteRecord] = [
    .header(header),
    .request(
      Cassette.Request(method: "POST", url: "http://127.0.0.1/e?a=1", headers: [HeaderField("Accept", "*/*")])
    ),
    .requestBody(Array("{}".utf8)),
    .response(Cassette.Response(delay: 1_000, headers: [HeaderField("Content-Type", "text/event-stream")])),
    .chunk(Cassette.Chunk(delay: 0, bytes: Array("data: 1\n".utf8))),
    .note(Cassette.Note(delay: 5, event: .networkLost, other: ["why": "tunnel"].json)),
    .unknown(kind: UInt8(ascii: "y"), payload: [0, 255, 10]),
    .chunk(Cassette.Chunk(delay: .max, bytes: [0x0A])),
    .end(Cassette.End(delay: 7, cause: .reset, detail: "peer")),
    .request(Cassette.Request(delay: 3_000_000, url: "http://127.0.0.1/e")),
    .end(Cassette.End(delay: (1 << 53) - 1, causeText: "meteor", detail: "", other: [:])),
    .trailer(
      Cassette.Trailer(
        exchanges: 2, chunks: 2, bytes: 9, crc32: Checksum.crc32(0, Array("data: 1\n\n".utf8).span))),
  ]

  static func bytes(of records: [CassetteRecord] = records, level: Int = 6) throws -> [UInt8] {
    var writer = try CassetteWriter(inMemoryAtLevel: level)
    for record in records { try writer.write(record) }
    if records.last.map({ if case .trailer = $0 { true } else { false } }) != true { try writer.close() }
    return writer.bytes
  }

  /// Payloads as they are, however wrong, in one good gzip member: for what our writer refuses to write.
  static func member(_ content: [UInt8], level: Int = 6) throws -> [UInt8] {
    var deflater = try Deflater(level: level)
    var bytes = GzipMember.head
    try deflater.deflate(content, count: content.count, flush: .finish, into: &bytes)
    for number in [Checksum.crc32(0, content.span), UInt32(content.count)] {
      for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return bytes
  }

  /// A record by its parts.
  static func record(_ kind: Character, _ payload: [UInt8]) -> [UInt8] {
    var bytes = [kind.asciiValue ?? 0]
    LEB128.append(UInt64(payload.count), to: &bytes)
    return bytes + payload
  }

  static func record(_ kind: Character, _ payload: String) -> [UInt8] { record(kind, Array(payload.utf8)) }

  static let w = record("W", #"{"format":1}"#)
  static let q = record("Q", #"{"delay":0,"headers":[],"method":"GET","url":"u"}"#)
  static let s = record("S", #"{"decoded":false,"delay":0,"headers":[],"status":200}"#)
  static let d = record("D", [0, 65])
  static let x = record("X", #"{"cause":"complete","delay":0,"detail":""}"#)
}

extension [String: String] {
  var json: JSONObject {
    var object: JSONObject = [:]
    for (key, value) in self { object[key] = .string(value) }
    return object
  }
}

/// All records of some bytes and the reader's last word.
func read(_ bytes: [UInt8], limits: CassetteLimits = .default) throws -> (
  records: [CassetteRecord], status: CassetteReader.Status
) {
  var reader = try CassetteReader(bytes: bytes, limits: limits)
  var records: [CassetteRecord] = []
  while let record = try reader.next() { records.append(record) }
  return (records, reader.status)
}
