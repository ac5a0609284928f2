// What of a request tells which client sent it, and what that client wants.

import ServerSentEvents

/// What a request looks like to the sessions.
struct ReplayRequest: Hashable, Sendable {
  /// Requests with equal keys may come from one client.
  var key: String
  /// What the client is known by, whatever it asks for.
  var client: String
  var method: String
  /// The path and the query.
  var target: String
  var lastEventID: [UInt8]
  /// Whether it asks for an event stream by name, as every event source does: such a client comes back after the end.
  var isEventSource: Bool

  /// Whether it wants the whole answer each time, as who posts a question does, rather than what comes next.
  var asksAnew: Bool { method != "GET" || !isEventSource }
}

extension ReplayRequest {
  init(_ request: HTTPRequest, peer: SocketAddress) {
    lastEventID = request.bytes(of: "Last-Event-ID") ?? []
    isEventSource = request.acceptsEventStream
    method = request.method
    target = request.target
    // Clients differ in what they call themselves; their ports differ from one connection to the next.
    client = [request["User-Agent"] ?? "", String(describing: peer.host)].joined(separator: "\n")
    let items = (request.query ?? "").split(separator: "&")
    if let named = items.first(where: { $0.hasPrefix("session=") }) {
      key = String(named)
    } else {
      key = [target, client].joined(separator: "\n")
    }
  }
}

extension HTTPRequest {
  /// Whether it asks for an event stream by name.
  var acceptsEventStream: Bool {
    fields.values(of: "Accept").contains { $0.containsASCII("text/event-stream") }
  }
}
