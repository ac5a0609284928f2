// HAR 1.2, for browsers' network panels and other tools. What HAR can't hold (chunks, their times, how it ended) stands
// in fields of our own, whose names begin with an underscore as HAR asks. Bodies come one exchange at a time.

import ServerSentEvents

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CassetteExporter {
  /// An HTTP archive.
  public static let har = CassetteExporter(name: "har", summary: "HTTP Archive 1.2") { HARSteps() }
}

private struct HARSteps: ExportSteps {
  private var header: Cassette.Header?
  private var exchange: Exchange?
  private var written = 0

  private struct Exchange {
    var request: Cassette.Request
    var startedAt: Int64
    var requestBody: [UInt8] = []
    var response: Cassette.Response?
    var respondedAt: Int64 = 0
    var body: [UInt8] = []
    var chunks: [JSONValue] = []
    var endedAt: Int64
    var end: Cassette.End?
  }

  mutating func take(_ record: CassetteRecord, at: Int64) -> [UInt8] {
    switch record {
    case .header(let header):
      let bytes = closeExchange()
      let opening = self.header == nil ? opening(of: header) : []
      self.header = header
      return bytes + opening
    case .request(let request):
      let bytes = closeExchange()
      exchange = Exchange(request: request, startedAt: at, endedAt: at)
      return bytes
    case .requestBody(let bytes): exchange?.requestBody += bytes
    case .response(let response):
      exchange?.response = response
      exchange?.respondedAt = at
      exchange?.endedAt = at
    case .chunk(let chunk):
      exchange?.body += chunk.bytes
      exchange?.chunks.append(.array([.integer(at), .integer(Int64(chunk.bytes.count))]))
      exchange?.endedAt = at
    case .end(let end):
      exchange?.end = end
      exchange?.endedAt = at
    case .note, .trailer, .unknown: break
    }
    return []
  }

  mutating func finish() -> [UInt8] { closeExchange() + Array("]}}\n".utf8) }

  private func opening(of header: Cassette.Header) -> [UInt8] {
    let creator: JSONObject = ["name": .string("wiretape"), "version": .string(header.recorder)]
    return Array("{\"log\":{\"version\":\"1.2\",\"creator\":".utf8)
      + escapingTerminalControls(creator.canonicalBytes)
      + Array(",\"entries\":[".utf8)
  }

  private mutating func closeExchange() -> [UInt8] {
    guard let exchange, let header else { return [] }
    self.exchange = nil
    let wait = milliseconds(exchange.respondedAt - exchange.startedAt)
    let receive = milliseconds(exchange.endedAt - Swift.max(exchange.respondedAt, exchange.startedAt))
    let timings: JSONObject = ["send": .integer(0), "wait": wait, "receive": receive]
    let entry: JSONObject = [
      // The recording's start: HAR has wall-clock times, a cassette has only this one and monotonic delays.
      "startedDateTime": .string(header.recordedAt),
      "time": milliseconds(exchange.endedAt - exchange.startedAt),
      "request": .object(request(exchange)), "response": .object(response(exchange)), "cache": .object([:]),
      "timings": .object(timings), "_startedAtUs": .integer(exchange.startedAt),
      "_chunks": .array(exchange.chunks),
      "_cause": .string(exchange.end?.causeText ?? "unknown"),
    ]
    written += 1
    return (written > 1 ? [UInt8(ascii: ",")] : []) + [0x0A] + escapingTerminalControls(entry.canonicalBytes)
  }

  private func request(_ exchange: Exchange) -> JSONObject {
    var request: JSONObject = [
      "method": .string(exchange.request.method), "url": .string(exchange.request.url),
      "httpVersion": .string("HTTP/1.1"), "headers": fields(exchange.request.headers), "cookies": .array([]),
      "queryString": .array([]), "headersSize": .integer(-1),
      "bodySize": .integer(Int64(exchange.requestBody.count)),
    ]
    if !exchange.requestBody.isEmpty {
      let data: JSONObject = [
        "mimeType": .string(exchange.request.headers["Content-Type"] ?? ""),
        "text": .string(String(decoding: exchange.requestBody, as: UTF8.self)),
      ]
      request["postData"] = .object(data)
    }
    return request
  }

  private func response(_ exchange: Exchange) -> JSONObject {
    let headers = exchange.response?.headers ?? []
    var content: JSONObject = [
      "size": .integer(Int64(exchange.body.count)), "mimeType": .string(headers["Content-Type"] ?? ""),
    ]
    let text = String(decoding: exchange.body, as: UTF8.self)
    if text.utf8.elementsEqual(exchange.body) {
      content["text"] = .string(text)
    } else {
      content["text"] = .string(Data(exchange.body).base64EncodedString())
      content["encoding"] = .string("base64")
    }
    var response: JSONObject = [
      "status": .integer(Int64(exchange.response?.status ?? 0)), "statusText": .string(""),
      "httpVersion": .string("HTTP/1.1"), "headers": fields(headers), "cookies": .array([]),
      "content": .object(content), "redirectURL": .string(headers["Location"] ?? ""),
      "headersSize": .integer(-1),
      "bodySize": .integer(Int64(exchange.body.count)),
    ]
    if exchange.response == nil { response["_error"] = .string(exchange.end?.detail ?? "no answer") }
    return response
  }

  private func fields(_ headers: [HeaderField]) -> JSONValue {
    .array(headers.map { .object(["name": .string($0.name), "value": .string($0.value)]) })
  }

  private func milliseconds(_ microseconds: Int64) -> JSONValue {
    .integer(Swift.max(0, microseconds) / 1000)
  }
}
