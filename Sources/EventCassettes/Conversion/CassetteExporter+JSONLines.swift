// The events a client dispatches, one JSON object a line, with their times: what the importer of the same name reads.

import ServerSentEvents

extension CassetteExporter {
  /// The events as JSON lines: `{"atUs","data","exchange","id","lastEventId","type"}`.
  public static let jsonl = CassetteExporter(name: "jsonl", summary: "the events as JSON lines") {
    EventLineSteps()
  }
}

private struct EventLineSteps: ExportSteps {
  private var parser = EventStreamParser()
  private var exchange: Int64 = 0

  mutating func take(_ record: CassetteRecord, at: Int64) -> [UInt8] {
    switch record {
    case .header: parser.reset()
    case .request:
      parser.finish()  // the last event ID stays in effect from connection to connection
      exchange += 1
    case .chunk(let chunk):
      return parser.append(chunk.bytes).flatMap { output -> [UInt8] in
        guard case .event(let event) = output else { return [] }
        let line: JSONObject = [
          "exchange": .integer(exchange), "atUs": .integer(at), "type": .string(event.type),
          "data": .string(event.data), "lastEventId": .string(event.lastEventID),
          "id": event.id.map { .string($0) } ?? .null,
        ]
        return escapingTerminalControls(line.canonicalBytes) + [0x0A]
      }
    case .requestBody, .response, .end, .note, .trailer, .unknown: break
    }
    return []
  }

  func finish() -> [UInt8] { [] }
}
