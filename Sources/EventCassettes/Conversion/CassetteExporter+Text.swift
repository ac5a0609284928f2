// The bodies for people, as in a diff: where each exchange begins and how it ended is said in lines of their own, so that
// what one connection left unfinished doesn't run into the next one. Nothing in it says when: a session recorded anew
// differs where its stream does.

import ServerSentEvents

extension CassetteExporter {
  /// The bodies of all exchanges, between comment lines that say where each begins and how it ended.
  public static let text = CassetteExporter(
    name: "text", summary: "the bodies for people, with a comment line where an exchange begins and ends"
  ) {
    TextSteps()
  }
}

private struct TextSteps: ExportSteps {
  private var exchange = 0
  private var response: Cassette.Response?
  private var parser = EventStreamParser()
  private var lastByte: UInt8?

  mutating func take(_ record: CassetteRecord, at: Int64) -> [UInt8] {
    switch record {
    case .request(let request):
      exchange += 1
      response = nil
      parser.reset()
      lastByte = nil
      let id = request.headers["Last-Event-ID"].map { " · Last-Event-ID \($0)" } ?? ""
      return comment("exchange \(exchange) · \(request.method) \(request.url)\(id)")
    case .response(let response):
      self.response = response
      return comment("\(response.status) \(response.headers["Content-Type"] ?? "without a content type")")
    case .chunk(let chunk):
      parser.visit(chunk.bytes.span) { _, _, _, _ in }
      lastByte = chunk.bytes.last ?? lastByte
      return chunk.bytes
    case .end(let end):
      let unfinished = response?.head.isEventStream == true ? parser.finish() : 0
      let what = unfinished > 0 ? ", in the middle of an event" : ""
      let isMidLine = lastByte.map { $0 != 0x0A && $0 != 0x0D } ?? false
      return (isMidLine ? [0x0A] : []) + comment("end · \(end.causeText)\(what)")
    case .header, .requestBody, .note, .trailer, .unknown: return []
    }
  }

  func finish() -> [UInt8] { [] }

  /// A line that no text in it can end.
  private func comment(_ text: String) -> [UInt8] {
    Array((": " + text).utf8.map { $0 < 0x20 ? 0x20 : $0 }) + [0x0A]
  }
}
