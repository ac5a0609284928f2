// What every version of the format shares below the JSON: the kinds of records, and the two whose payload is bytes.

/// The kinds of records, as their byte in the file.
enum RecordKind {
  static let header = UInt8(ascii: "W")
  static let request = UInt8(ascii: "Q")
  static let requestBody = UInt8(ascii: "B")
  static let response = UInt8(ascii: "S")
  static let chunk = UInt8(ascii: "D")
  static let end = UInt8(ascii: "X")
  static let note = UInt8(ascii: "N")
  static let trailer = UInt8(ascii: "Z")

  static func isJSON(_ kind: UInt8) -> Bool {
    switch kind {
    case header, request, response, end, note, trailer: true
    default: false
    }
  }

  static func of(_ record: CassetteRecord) -> UInt8 {
    switch record {
    case .header: header
    case .request: request
    case .requestBody: requestBody
    case .response: response
    case .chunk: chunk
    case .end: end
    case .note: note
    case .trailer: trailer
    case .unknown(let kind, _): kind
    }
  }
}

/// The payload of a chunk: its delay, then its bytes.
enum ChunkPayload {
  /// The delay that a chunk's payload begins with, and how many bytes it takes. At least one byte must follow it.
  static func delay(of payload: ArraySlice<UInt8>) throws(JSONFault) -> (delay: Int64, length: Int) {
    switch LEB128.decode(payload, from: payload.startIndex, to: payload.endIndex, maximumLength: 10) {
    case .value(let value, let length):
      guard let delay = Int64(exactly: value) else { throw JSONFault("a chunk's delay of 2^63 or more") }
      if length >= payload.count { throw JSONFault("a chunk without bytes") }
      return (delay, length)
    case .incomplete: throw JSONFault("a chunk whose delay breaks off")
    case .malformed(let what): throw JSONFault("a chunk's delay that is \(what)")
    }
  }
}
