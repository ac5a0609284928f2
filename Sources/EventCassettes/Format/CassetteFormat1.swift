// Format version 1: how records become JSON and JSON records, and nothing else. A new version is a new file beside
// this one; this one stays, so that old cassettes stay readable. Pure: no I/O, no state.

import ServerSentEvents

enum CassetteFormat1: CassetteFormat {
  static let version: Int64 = 1

  /// Delays are below this in JSON, so that every reader can hold them in a double.
  static let jsonDelayEnd: Int64 = 1 << 53

  // MARK: Writing

  static func json(of record: CassetteRecord) -> JSONObject? {
    switch record {
    case .header(let header): json(of: header)
    case .request(let request): json(of: request)
    case .response(let response): json(of: response)
    case .end(let end): json(of: end)
    case .note(let note): json(of: note)
    case .trailer(let trailer): json(of: trailer)
    case .requestBody, .chunk, .unknown: nil
    }
  }

  private static func json(of header: Cassette.Header) -> JSONObject {
    var object = header.other
    object["format"] = .integer(version)
    object["recorder"] = .string(header.recorder)
    object["recordedAt"] = .string(header.recordedAt)
    object["timing"] = .string(header.timing.rawValue)
    if let redaction = header.redaction { object["redaction"] = .object(json(of: redaction)) }
    var labels: JSONObject = [:]
    for (name, value) in header.labels { labels[name] = .string(value) }
    object["labels"] = .object(labels)
    if let client = header.client {
      var members = client.other
      members["mode"] = .string(client.mode)
      members["policy"] = .string(client.policy)
      members["initialRetryMs"] = .integer(client.initialRetryMs)
      object["client"] = .object(members)
    }
    return object
  }

  static func json(of redaction: Cassette.Redaction) -> JSONObject {
    var object = redaction.other
    object["headers"] = .array(redaction.headers.map { .string($0) })
    object["query"] = .array(redaction.query.map { .string($0) })
    object["keys"] = .array(redaction.keys.map { .string($0) })
    object["echoes"] = .integer(redaction.echoes)
    return object
  }

  private static func json(of request: Cassette.Request) -> JSONObject {
    var object = request.other
    object["delay"] = jsonDelay(request.delay)
    object["method"] = .string(request.method)
    object["url"] = .string(request.url)
    object["headers"] = json(of: request.headers)
    return object
  }

  private static func json(of response: Cassette.Response) -> JSONObject {
    var object = response.other
    object["delay"] = jsonDelay(response.delay)
    object["status"] = .integer(Int64(response.status))
    object["headers"] = json(of: response.headers)
    object["decoded"] = .bool(response.decoded)
    return object
  }

  private static func json(of end: Cassette.End) -> JSONObject {
    var object = end.other
    object["delay"] = jsonDelay(end.delay)
    object["cause"] = .string(end.causeText)
    object["detail"] = .string(end.detail)
    return object
  }

  private static func json(of note: Cassette.Note) -> JSONObject {
    var object = note.other
    object["delay"] = jsonDelay(note.delay)
    object["event"] = .string(note.event.rawValue)
    return object
  }

  private static func json(of trailer: Cassette.Trailer) -> JSONObject {
    var object = trailer.other
    object["exchanges"] = .integer(trailer.exchanges)
    object["chunks"] = .integer(trailer.chunks)
    object["bytes"] = .integer(trailer.bytes)
    let digits = String(trailer.crc32, radix: 16)
    object["crc32"] = .string(String(repeating: "0", count: 8 - digits.utf8.count) + digits)
    return object
  }

  private static func jsonDelay(_ delay: Int64) -> JSONValue {
    .integer(min(max(delay, 0), jsonDelayEnd - 1))
  }

  private static func json(of headers: [HeaderField]) -> JSONValue {
    .array(headers.map { .array([.string($0.name), .string($0.value)]) })
  }

  // MARK: Reading

  static func record(kind: UInt8, payload: ArraySlice<UInt8>) throws(JSONFault) -> CassetteRecord {
    switch kind {
    case RecordKind.header: return .header(try header(object(payload)))
    case RecordKind.request: return .request(try request(object(payload)))
    case RecordKind.response: return .response(try response(object(payload)))
    case RecordKind.end: return .end(try end(object(payload)))
    case RecordKind.note: return .note(try note(object(payload)))
    case RecordKind.trailer: return .trailer(try trailer(object(payload)))
    default: return .unknown(kind: kind, payload: Array(payload))
    }
  }

  private static func object(_ payload: ArraySlice<UInt8>) throws(JSONFault) -> JSONObject {
    try JSONParser.object(of: payload, nesting: CassetteLimits.nesting)
  }

  private static func header(_ json: JSONObject) throws(JSONFault) -> Cassette.Header {
    var object = json
    _ = object.remove("format")  // the reader has chosen this version by it
    var header = Cassette.Header(
      recorder: try text("recorder", in: &object, default: ""),
      recordedAt: try text("recordedAt", in: &object, default: ""),
      timing: Cassette.Timing(rawValue: try text("timing", in: &object, default: "unknown")))
    switch object.remove("redaction") {
    case nil: break
    case .object(let members)?: header.redaction = try redaction(members)
    default: throw JSONFault("a header whose \"redaction\" is not an object")
    }
    switch object.remove("labels") {
    case nil: break
    case .object(let members)?:
      for (name, value) in members.members {
        guard case .string(let text) = value else { throw JSONFault("a label that is not a string") }
        if header.labels.updateValue(text, forKey: name) != nil {
          throw JSONFault("two labels whose names are the same text")
        }
      }
    default: throw JSONFault("a header whose \"labels\" is not an object")
    }
    switch object.remove("client") {
    case nil: break
    case .object(var members)?:
      header.client = Cassette.Client(
        mode: try text("mode", in: &members), policy: try text("policy", in: &members),
        initialRetryMs: try integer("initialRetryMs", in: &members))
      header.client?.other = members
    default: throw JSONFault("a header whose \"client\" is not an object")
    }
    header.other = object
    return header
  }

  static func redaction(_ json: JSONObject) throws(JSONFault) -> Cassette.Redaction {
    var object = json
    var redaction = Cassette.Redaction(
      headers: try texts("headers", in: &object), query: try texts("query", in: &object),
      keys: try texts("keys", in: &object))
    if object["echoes"] != nil { redaction.echoes = try integer("echoes", in: &object) }
    redaction.other = object
    return redaction
  }

  private static func request(_ json: JSONObject) throws(JSONFault) -> Cassette.Request {
    var object = json
    var request = Cassette.Request(
      delay: try delay(in: &object), method: try text("method", in: &object),
      url: try text("url", in: &object),
      headers: try headers(in: &object))
    request.other = object
    return request
  }

  private static func response(_ json: JSONObject) throws(JSONFault) -> Cassette.Response {
    var object = json
    let delay = try delay(in: &object)
    let status = try integer("status", in: &object)
    guard let status = Int(exactly: status), status >= 0 else { throw JSONFault("a status out of range") }
    var response = Cassette.Response(delay: delay, status: status, headers: try headers(in: &object))
    switch object.remove("decoded") {
    case nil: break
    case .bool(let decoded)?: response.decoded = decoded
    default: throw JSONFault("a \"decoded\" that is not true or false")
    }
    response.other = object
    return response
  }

  private static func end(_ json: JSONObject) throws(JSONFault) -> Cassette.End {
    var object = json
    let delay = try delay(in: &object)
    let cause = try text("cause", in: &object)
    let detail = try text("detail", in: &object, default: "")
    return Cassette.End(delay: delay, causeText: cause, detail: detail, other: object)
  }

  private static func note(_ json: JSONObject) throws(JSONFault) -> Cassette.Note {
    var object = json
    let delay = try delay(in: &object)
    let event = Cassette.Note.Event(rawValue: try text("event", in: &object))
    return Cassette.Note(delay: delay, event: event, other: object)
  }

  private static func trailer(_ json: JSONObject) throws(JSONFault) -> Cassette.Trailer {
    var object = json
    var trailer = Cassette.Trailer(
      exchanges: try integer("exchanges", in: &object), chunks: try integer("chunks", in: &object),
      bytes: try integer("bytes", in: &object))
    let digits = Array(try text("crc32", in: &object).utf8)
    if digits.count != 8 { throw JSONFault("a \"crc32\" that is not 8 lower-case hex digits") }
    for byte in digits {
      guard let digit = JSONParser.hexDigit(byte), !(0x41...0x5A).contains(byte) else {
        throw JSONFault("a \"crc32\" that is not 8 lower-case hex digits")
      }
      trailer.crc32 = trailer.crc32 << 4 | UInt32(digit)
    }
    trailer.other = object
    return trailer
  }

  private static func delay(in object: inout JSONObject) throws(JSONFault) -> Int64 {
    let delay = try integer("delay", in: &object)
    if delay >= jsonDelayEnd { throw JSONFault("a delay of 2^53 or more") }
    return delay
  }

  /// A whole number, 0 or more.
  private static func integer(_ key: String, in object: inout JSONObject) throws(JSONFault) -> Int64 {
    switch object.remove(key) {
    case .integer(let value)? where value >= 0: return value
    case nil: throw JSONFault("a record without \"\(key)\"")
    default: throw JSONFault("a \"\(key)\" that is not a whole number of 0 or more")
    }
  }

  private static func text(
    _ key: String, in object: inout JSONObject, default: String? = nil
  ) throws(JSONFault) -> String {
    switch object.remove(key) {
    case .string(let text)?: return text
    case nil:
      if let `default` { return `default` }
      throw JSONFault("a record without \"\(key)\"")
    default: throw JSONFault("a \"\(key)\" that is not a string")
    }
  }

  private static func texts(_ key: String, in object: inout JSONObject) throws(JSONFault) -> [String] {
    switch object.remove(key) {
    case nil: return []
    case .array(let values)?:
      let texts = values.compactMap(\.text)
      if texts.count == values.count { return texts }
      throw JSONFault("a \"\(key)\" with something else than strings")
    default: throw JSONFault("a \"\(key)\" that is not an array")
    }
  }

  private static func headers(in object: inout JSONObject) throws(JSONFault) -> [HeaderField] {
    guard case .array(let fields)? = object.remove("headers") else {
      throw JSONFault("a record whose \"headers\" is not an array")
    }
    var headers: [HeaderField] = []
    headers.reserveCapacity(fields.count)
    for field in fields {
      guard case .array(let pair) = field, pair.count == 2, let name = pair[0].text, let value = pair[1].text
      else {
        throw JSONFault("a header field that is not [name, value]")
      }
      headers.append(HeaderField(name, value))
    }
    return headers
  }
}
