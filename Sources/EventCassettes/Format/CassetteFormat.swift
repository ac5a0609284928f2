// What a version of the format is: how records with JSON are written in it. Each has a file of its own, and all stand in
// one list. What versions share (gzip members, kinds, lengths, the order of records, chunks) is in the reader, the
// writer, `RecordKind` and `RecordSequence`.

/// A version of the cassette format.
protocol CassetteFormat: Sendable {
  /// Its number in the header.
  static var version: Int64 { get }

  /// The JSON payload of a record that has one; `nil` for the binary kinds.
  static func json(of record: CassetteRecord) -> JSONObject?
  /// Makes a record of its kind and payload.
  static func record(kind: UInt8, payload: ArraySlice<UInt8>) throws(JSONFault) -> CassetteRecord

  /// The `redaction` member of header and trailer.
  static func json(of redaction: Cassette.Redaction) -> JSONObject
  /// Reads a `redaction` member of header or trailer.
  static func redaction(_ json: JSONObject) throws(JSONFault) -> Cassette.Redaction
}

enum CassetteFormats {
  /// Every version that is read, the oldest first.
  static let all: [any CassetteFormat.Type] = [CassetteFormat1.self]
  /// The version that is written.
  static let written = CassetteFormat1.self

  enum Choice {
    case known(any CassetteFormat.Type)
    /// None of them, with a message for people.
    case unknown(String)
  }

  /// The version that a header's payload names.
  static func choice(byHeader payload: ArraySlice<UInt8>) throws(JSONFault) -> Choice {
    guard let number = try JSONParser.object(of: payload, nesting: CassetteLimits.nesting)["format"] else {
      throw JSONFault("a header without \"format\"")
    }
    if case .integer(let version) = number, let known = all.first(where: { $0.version == version }) {
      return .known(known)
    }
    let text = String(decoding: number.canonicalBytes.prefix(40), as: UTF8.self)
    let list = all.map { String($0.version) }.joined(separator: ", ")
    return .unknown(
      "this cassette has format \(text), and this version reads format \(list): get a newer one")
  }
}
