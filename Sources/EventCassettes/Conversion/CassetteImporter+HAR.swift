// HAR 1.2, as browsers and proxies export it. Every entry whose answer is an event stream becomes an exchange. HAR has
// no chunks, so a body is one chunk and the timing unknown; Chrome keeps the messages of a native EventSource
// instead of its body (`_eventSourceMessages`), of which a body is made. What our own export adds (`_chunks`, `_cause`)
// gives the boundaries and the ends back, and every exchange is taken then; the times stay behind.

import ServerSentEvents

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CassetteImporter {
  /// An HTTP archive.
  public static let har = CassetteImporter(
    name: "har", summary: "HTTP Archive 1.2, its event streams", endings: ["har"],
    convert: { (source, emit) throws(CassetteError) in
      var bytes = try source.rest()[...]
      if bytes.starts(with: EventStreamEncoder.byteOrderMark) { bytes = bytes.dropFirst(3) }
      let archive: JSONObject
      do throws(JSONFault) {
        archive = try JSONParser.object(of: bytes)
      } catch {
        throw source.fault("no HAR: \(error.message)")
      }
      guard let entries = archive["log"]?.object?["entries"]?.array else {
        throw source.fault("no HAR: \"log\" with \"entries\" is missing")
      }
      var taken = 0
      for (index, entry) in entries.enumerated() {
        guard let entry = HAREntry(entry), entry.isTaken else { continue }
        taken += 1
        do throws(CassetteError) {
          if try !entry.emit(emit) {
            source.warn(
              "entry \(index + 1): its \"_chunks\" don't fit its body, so not all boundaries are the recorded ones"
            )
          }
        } catch {
          throw source.fault("entry \(index + 1): \(error.message)")
        }
      }
      guard taken > 0 else {
        throw source.fault("none of the \(entries.count) entries has the type text/event-stream")
      }
    }, timing: .unknown)
}

/// One entry of the archive.
private struct HAREntry {
  private let request: JSONObject
  private let response: JSONObject
  private let messages: [JSONValue]
  /// The lengths of its chunks, where we wrote the entry.
  private let lengths: [Int]?
  /// Whether anything in the place of those lengths is none.
  private var hasOddLengths = false
  private let cause: String

  init?(_ value: JSONValue) {
    guard let entry = value.object, let request = entry["request"]?.object,
      let response = entry["response"]?.object
    else { return nil }
    self.request = request
    self.response = response
    messages = entry["_eventSourceMessages"]?.array ?? []
    lengths = entry["_chunks"]?.array.map { chunks in
      chunks.compactMap {
        guard case .integer(let length)? = $0.array?.last, length > 0 else { return nil }
        // Anybody may have changed it, and a record has a limit.
        return Swift.min(Int(clamping: length), 16 << 20)
      }
    }
    if let chunks = entry["_chunks"] {
      hasOddLengths = lengths == nil || chunks.array?.count != lengths?.count
    }
    cause = entry["_cause"]?.text ?? "complete"
  }

  private var content: JSONObject { response["content"]?.object ?? [:] }

  /// Whether it becomes an exchange: an event stream does, and whatever we wrote.
  var isTaken: Bool {
    let types = Self.headers(response).values(of: "Content-Type") + [content["mimeType"]?.text ?? ""]
    return !messages.isEmpty || lengths != nil
      || types.contains { String($0.prefix(17)).equalsIgnoringASCIICase("text/event-stream") }
  }

  /// Emits the exchange; false if the lengths of its chunks could not be kept.
  func emit(_ emit: CassetteImporter.Emit) throws(CassetteError) -> Bool {
    try emit(
      .request(
        Cassette.Request(
          method: request["method"]?.text ?? "GET", url: request["url"]?.text ?? "",
          headers: Self.headers(request))))
    if let text = request["postData"]?.object?["text"]?.text, !text.isEmpty {
      try emit(.requestBody(Array(text.utf8)))
    }
    let status = try status()
    // Browsers write status 0 for a request that was never answered.
    guard status > 0 else {
      let detail = response["_error"]?.text ?? "no answer"
      try emit(.end(end(cause == "complete" ? "unknown" : cause, detail)))
      return true
    }
    try emit(
      .response(Cassette.Response(status: status, headers: Self.headers(response), decoded: isEncoded)))
    let fits = try emitChunks(of: body(), emit)
    try emit(.end(end(cause, "")))
    return fits
  }

  private func end(_ cause: String, _ detail: String) -> Cassette.End {
    Cassette.End(delay: 0, causeText: cause, detail: detail, other: [:])
  }

  /// In the lengths that the entry tells, as far as they go; else in one, or in parts that a reader takes with ease.
  private func emitChunks(of body: [UInt8], _ emit: CassetteImporter.Emit) throws(CassetteError) -> Bool {
    let fits = !hasOddLengths && (lengths.map { Self.add($0, to: body.count) } ?? true)
    var lengths = (lengths ?? [])[...]
    var rest = body[...]
    while !rest.isEmpty {
      let chunk = rest.prefix(lengths.popFirst() ?? 1 << 20)
      try emit(.chunk(Cassette.Chunk(bytes: Array(chunk))))
      rest = rest.dropFirst(chunk.count)
    }
    return fits
  }

  /// Whether lengths, of which there may be millions, add up to a sum.
  private static func add(_ lengths: [Int], to sum: Int) -> Bool {
    var rest = sum
    for length in lengths {
      rest -= length
      if rest < 0 { return false }
    }
    return rest == 0
  }

  /// The response's status; 0 or less for none.
  private func status() throws(CassetteError) -> Int {
    guard case .integer(let number)? = response["status"], number < 1000 else {
      throw CassetteError(.notImportable, "\"status\" is missing or no HTTP status")
    }
    return Int(clamping: number)
  }

  /// HAR's content is decoded already, whatever the headers say.
  private var isEncoded: Bool { Self.headers(response)["Content-Encoding"] != nil }

  private func body() throws(CassetteError) -> [UInt8] {
    if let value = content["text"], value != .null, value.text == nil {
      throw CassetteError(.notImportable, "the body's \"text\" is no string")
    }
    if let text = content["text"]?.text, !text.isEmpty {
      guard content["encoding"]?.text == "base64" else { return Array(text.utf8) }
      guard let data = Data(base64Encoded: text) else {
        throw CassetteError(.notImportable, "a body that says it is base64 and is not")
      }
      return Array(data)
    }
    let encoder = EventStreamEncoder()
    var body: [UInt8] = []
    for message in messages.compactMap(\.object) {
      let name = message["eventName"]?.text
      let id = message["eventId"]?.text
      let event = ServerSentEvent(
        name: name == "message" ? nil : name, data: message["data"]?.text ?? "",
        id: id?.isEmpty == true ? nil : id)
      do throws(EventStreamEncodingError) {
        body += try encoder.encode(event)
      } catch {
        throw CassetteError(.notImportable, "an event that no stream can carry: \(error)")
      }
    }
    return body
  }

  /// Header fields; HTTP/2's pseudo fields (`:authority` and the like) are not fields of the message.
  private static func headers(_ message: JSONObject) -> [HeaderField] {
    (message["headers"]?.array ?? []).compactMap(\.object).compactMap { field in
      guard let name = field["name"]?.text, let value = field["value"]?.text, !name.hasPrefix(":"),
        !name.isEmpty
      else { return nil }
      return HeaderField(name, value)
    }
  }
}
