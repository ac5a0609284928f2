// Events as JSON lines, as `parse --json`, `listen --json`, golden files and the exporter write them. The bytes are
// made anew from the events, so they are synthetic; a time (`atUs`) is kept where there is one.

import ServerSentEvents

extension CassetteImporter {
  /// Events, one JSON object a line.
  public static let jsonl = CassetteImporter(
    name: "jsonl", summary: "events as JSON lines", endings: ["jsonl", "ndjson"],
    convert: { (source, emit) throws(CassetteError) in
      var lines = EventLines()
      let encoder = EventStreamEncoder()
      try emit(.request(Cassette.Request(method: "GET", url: "file:" + source.name)))
      let head = Cassette.Response(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])
      try emit(.response(head))
      var exchange: Int64?
      while let line = try source.line() {
        guard let entry = try lines.read(line[...], of: source) else { continue }
        if let number = entry.exchange, let open = exchange, number != open {
          try emit(.end(Cassette.End(cause: .complete)))
          try emit(.request(Cassette.Request(method: "GET", url: "file:" + source.name)))
          try emit(.response(head))
          lines.idInEffect = ""
        }
        exchange = entry.exchange ?? exchange
        let bytes: [UInt8]
        do throws(EventStreamEncodingError) {
          bytes = try lines.encode(entry.content, with: encoder)
        } catch {
          throw source.fault("line \(lines.number): \(error)")
        }
        try emit(.chunk(Cassette.Chunk(delay: entry.delay, bytes: bytes)))
      }
      try emit(.end(Cassette.End(cause: .complete)))
    }, timing: .synthetic)
}

/// Reads the lines and knows what came before.
private struct EventLines {
  enum Content {
    case event(ServerSentEvent)
    case comment(String)
    case retry(Int64)
  }

  private(set) var number = 0
  var idInEffect = ""
  private var lastTime: Int64 = 0

  /// `nil` for a line that stands for nothing in the stream: an empty one, the end, a state of the client.
  mutating func read(
    _ line: ArraySlice<UInt8>, of source: borrowing ImportSource
  ) throws(CassetteError) -> (content: Content, exchange: Int64?, delay: Int64)? {
    number += 1
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) { return nil }
    let object: JSONObject
    do throws(JSONFault) {
      object = try JSONParser.object(of: line)
    } catch {
      throw source.fault("line \(number): \(error.message)")
    }
    let content: Content
    switch object["kind"]?.text ?? "event" {
    case "event":
      guard let data = object["data"]?.text else {
        throw source.fault("line \(number): an event without \"data\"")
      }
      let type = object["type"]?.text
      let lastID = object["lastEventId"]?.text ?? object["id"]?.text ?? ""
      content = .event(
        ServerSentEvent(
          name: type == "message" ? nil : type, data: data, id: object["id"]?.text, lastEventID: lastID))
    case "comment":
      guard let comment = object["comment"]?.text else {
        throw source.fault("line \(number): a comment without \"comment\"")
      }
      content = .comment(comment)
    case "retry":
      guard case .integer(let milliseconds)? = object["ms"], milliseconds >= 0 else {
        throw source.fault("line \(number): a retry without \"ms\"")
      }
      content = .retry(milliseconds)
    case _: return nil
    }
    var exchange: Int64?
    if case .integer(let number)? = object["exchange"] { exchange = number }
    var delay: Int64 = 0
    if case .integer(let time)? = object["atUs"], time > lastTime {
      delay = Swift.min(time - lastTime, (1 << 53) - 1)
      lastTime = time
    }
    return (content, exchange, delay)
  }

  /// The block's bytes; an ID that came from an event that isn't here is set by a block of its own.
  mutating func encode(
    _ content: Content, with encoder: EventStreamEncoder
  ) throws(EventStreamEncodingError) -> [UInt8] {
    switch content {
    case .comment(let comment): return encoder.encode(comment: comment)
    case .retry(let milliseconds): return try encoder.encode(retry: milliseconds)
    case .event(let event):
      var bytes: [UInt8] = []
      if event.id == nil, !event.lastEventID.utf8.elementsEqual(idInEffect.utf8) {
        bytes +=
          Array("id: ".utf8) + Array(event.lastEventID.utf8.filter { $0 != 0x0A && $0 != 0x0D }) + [
            0x0A, 0x0A,
          ]
      }
      idInEffect = event.lastEventID
      return bytes + (try encoder.encode(event))
    }
  }
}
