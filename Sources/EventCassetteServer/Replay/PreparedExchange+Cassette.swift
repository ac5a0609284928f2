// From a cassette to exchanges that can be sent: bodies cut by the plan, and header fields that fit what is sent now
// rather than what was sent then.

import EventCassettes
import ServerSentEvents

extension PreparedExchange {
  /// The cassette's exchanges, cut by `plan`.
  static func all(of cassette: Cassette, plan: ChunkBoundaryPlan) -> [PreparedExchange] {
    var cutter = ChunkCutter(plan: plan)
    return cassette.exchanges.enumerated().map { index, exchange in
      var at = Duration.microseconds(exchange.response?.delay ?? 0)
      let headAt = at
      var pieces: [DeliveredChunk] = []
      for chunk in exchange.chunks {
        at += .microseconds(chunk.delay)
        pieces += cutter.append(chunk.bytes, at: at)
      }
      if let last = cutter.endExchange() { pieces.append(last) }
      return PreparedExchange(
        number: index + 1, recording: exchange.recording,
        head: exchange.response.map { Head(status: $0.status, headers: fitted($0)) }, headAt: headAt,
        pieces: pieces, endAt: at + .microseconds(exchange.end?.delay ?? 0), end: exchange.end?.cause,
        lastEventID: Array((exchange.request.headers["Last-Event-ID"] ?? "").utf8))
    }
  }

  private static func fitted(_ response: Cassette.Response) -> [HeaderField] {
    // The framing is our own: bodies are chunked, so that each chunk arrives as one.
    let dropped = ["Content-Length"] + (response.decoded ? ["Content-Encoding"] : [])
    return response.headers.forwarded(without: dropped).compactMap { field in
      // A cassette is no trusted input: nothing in it may end a line of the head.
      guard !field.name.isEmpty, field.name.utf8.allSatisfy(\.isToken) else { return nil }
      let value = String(
        decoding: field.value.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
      let isLocation = field.name.equalsIgnoringASCIICase("Location")
      return HeaderField(field.name, isLocation ? onThisServer(value) : value)
    }
  }

  /// A redirect must lead back here, not to the server that was recorded.
  private static func onThisServer(_ location: String) -> String {
    let request = HTTPRequest(method: "GET", target: location)
    guard !location.hasPrefix("//") else {
      return HTTPRequest(method: "GET", target: "http:" + location).pathAndQuery.description
    }
    return location.containsASCII("://") ? request.pathAndQuery.description : location
  }

  /// Where it sends a client that asked for `target`: the target of the next request; `nil` if it is no redirect.
  func redirection(from target: String) -> String? {
    guard let head, (300..<400).contains(head.status), let location = head.headers["Location"] else {
      return nil
    }
    if location.hasPrefix("/") { return location }
    let path = target.prefix { $0 != "?" }
    let base = location.hasPrefix("?") ? path : path[...(path.lastIndex(of: "/") ?? path.startIndex)]
    return base + location
  }
}
