// One body on its way through the redaction filter, cut as a delivery says: what the oracles for redaction compare.

import EventCassettes
import ServerSentEvents

struct RedactedBody {
  /// What the body is, which decides how it is read.
  enum Kind {
    /// A response that says it is an event stream.
    case eventStream
    /// A response that says it is JSON.
    case json
    /// The body of a request that doesn't say what it is.
    case request

    /// What a body is likely meant to be. So an input is read in one way, or what begins as JSON in two, and most
    /// mutations of it in the same.
    static func kinds(of body: [UInt8]) -> [Kind] {
      switch body.first(where: { $0 > 0x20 }) {
      case UInt8(ascii: "{"), UInt8(ascii: "["): [.json, .request]
      default: body.contains(0x0A) || body.contains(0x0D) ? [.eventStream] : [.request]
      }
    }
  }

  /// The chunks that came out.
  let chunks: [[UInt8]]

  /// The chunks one after the other.
  var bytes: [UInt8] { chunks.flatMap { $0 } }

  /// Sends a body through a filter that has seen nothing yet.
  /// - Parameter secret: the value of the request's `X-API-Key`, empty for none.
  init(
    _ body: [UInt8], _ kind: Kind, _ delivery: Delivery, _ filter: RedactionFilter, secret: String = ""
  ) {
    var filter = filter
    var output: [CassetteRecord] = []
    filter.take(.header(Cassette.Header(recorder: "fuzz", recordedAt: "", timing: .synthetic)), into: &output)
    let headers = secret.isEmpty ? [] : [HeaderField("X-API-Key", secret)]
    filter.take(
      .request(Cassette.Request(method: "POST", url: "http://localhost/", headers: headers)), into: &output)
    if kind != .request {
      let type = kind == .json ? "application/json" : "text/event-stream"
      filter.take(.response(Cassette.Response(headers: [HeaderField("Content-Type", type)])), into: &output)
    }
    for chunk in delivery.chunks(of: body) {
      let bytes = Array(chunk)
      filter.take(
        kind == .request ? .requestBody(bytes) : .chunk(Cassette.Chunk(bytes: bytes)), into: &output)
    }
    filter.finish(into: &output)
    chunks = output.compactMap { record in
      switch record {
      case .chunk(let chunk): chunk.bytes
      case .requestBody(let bytes): bytes
      default: nil
      }
    }
  }
}
