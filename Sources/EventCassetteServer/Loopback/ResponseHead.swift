// The bytes of a response's head.

import ServerSentEvents

struct ResponseHead: Hashable, Sendable {
  var version: HTTPVersion = .http11
  var status: Int
  var headers: [HeaderField]
  var framing: ScriptedResponse.Framing
  /// The length that a Content-Length is to name.
  var length: Int = 0
  var method = "GET"

  /// The head with the fields that framing needs, where `headers` doesn't have them.
  var bytes: [UInt8] {
    var fields = headers
    func add(_ name: String, _ value: String) {
      if fields[name] == nil { fields.append(HeaderField(name, value)) }
    }
    if hasBody {
      switch framing {
      case .connection: break
      case .chunked: add("Transfer-Encoding", "chunked")
      case .length: add("Content-Length", String(length))
      }
    }
    // Each connection serves one request.
    if version == .http11 { add("Connection", "close") }
    var head = "\(version.rawValue) \(status) \(HTTPStatus.phrase(status))\r\n"
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    return Array((head + "\r\n").utf8)
  }

  /// Whether a body may follow.
  var hasBody: Bool { HTTPStatus.hasBody(status, method: method) }
}
