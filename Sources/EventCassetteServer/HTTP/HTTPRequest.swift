// A request as the server received it, and the incremental reading of one from a connection's bytes. Pure: the
// connection feeds bytes and does what the outcome says.

import ServerSentEvents

/// A version of HTTP that is framed as text lines.
public enum HTTPVersion: String, Hashable, Sendable, CaseIterable {
  /// HTTP/1.0: no chunked coding.
  case http10 = "HTTP/1.0"
  /// HTTP/1.1.
  case http11 = "HTTP/1.1"
}

/// A request that a server of this module received.
public struct HTTPRequest: Hashable, Sendable {
  /// The method as sent.
  public var method: String
  /// The request target as sent: usually an absolute path with its query.
  public var target: String
  /// The version.
  public var version: HTTPVersion
  /// The header fields in the order in which they came, with the bytes of their values.
  public var fields: [ReceivedField]
  /// The body with its framing taken off; empty if there was none.
  public var body: [UInt8]

  /// Creates a request.
  public init(
    method: String, target: String, version: HTTPVersion = .http11, fields: [ReceivedField] = [],
    body: [UInt8] = []
  ) {
    self.method = method
    self.target = target
    self.version = version
    self.fields = fields
    self.body = body
  }

  /// The target up to its query; of a target in absolute form, what comes after the authority.
  public var path: String { String(pathAndQuery.prefix { $0 != "?" }) }

  /// What follows the first `?` of the target, or `nil`.
  public var query: String? {
    let parts = pathAndQuery.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 ? String(parts[1]) : nil
  }

  /// The target without scheme and authority.
  var pathAndQuery: Substring {
    guard !target.hasPrefix("/"), let mark = target.firstRange(ofASCII: "://") else { return target[...] }
    let rest = target[mark.upperBound...]
    return rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
  }

  /// The first value of the named field as text, names compared without case; `nil` if there is none.
  public subscript(name: String) -> String? { fields.values(of: name).first }

  /// The bytes of the first value of the named field; `nil` if there is none.
  public func bytes(of name: String) -> [UInt8]? {
    fields.first { $0.name.equalsIgnoringASCIICase(name) }?.bytes
  }
}

/// What a server accepts from its clients.
public struct HTTPRequestLimits: Hashable, Sendable {
  /// Longest request line and header fields together, in bytes. Beyond it: 431. The default is 64 KiB: more than any
  /// browser sends and room for a last event ID of several KiB.
  public var head: Int
  /// Longest body in bytes. Beyond it: 413. The default is 16 MiB: a prompt with a picture or two.
  public var body: Int

  /// Creates limits.
  public init(head: Int = 65_536, body: Int = 16 * 1024 * 1024) {
    self.head = head
    self.body = body
  }
}

/// Reads one request.
struct HTTPRequestReader: Sendable {
  enum Outcome: Hashable, Sendable {
    case incomplete
    /// The client waits for `100 Continue` before it sends the body.
    case wantsContinue
    case complete(HTTPRequest)
  }

  private let limits: HTTPRequestLimits
  private var head: HTTPHeadCollector
  private var request: HTTPRequest?
  private var body = HTTPBodyDecoder(.none)
  private var bytes: [UInt8] = []

  init(limits: HTTPRequestLimits) {
    self.limits = limits
    head = HTTPHeadCollector(limit: limits.head)
  }

  /// Whether nothing but empty lines has come yet.
  var isEmpty: Bool { head.bytes.isEmpty }

  /// Takes the next bytes. After `complete` nothing more is to be fed.
  mutating func append(_ input: ArraySlice<UInt8>) throws(HTTPRefusal) -> Outcome {
    var input = input
    var isNew = false
    if request == nil {
      guard let rest = try head.append(input) else { return .incomplete }
      request = try readHead()
      isNew = true
      input = rest
    }
    guard var request else { return .incomplete }
    bytes += try body.decode(input)
    guard bytes.count <= limits.body else { throw tooLong }
    if body.isComplete {
      request.body = bytes
      return .complete(request)
    }
    return isNew && input.isEmpty && request["Expect"] != nil ? .wantsContinue : .incomplete
  }

  private var tooLong: HTTPRefusal {
    HTTPRefusal(status: 413, reason: "the body is longer than \(limits.body) bytes")
  }

  private mutating func readHead() throws(HTTPRefusal) -> HTTPRequest {
    let head = try HTTPHead(self.head.bytes)
    let parts = head.startLine.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].utf8.allSatisfy(\.isToken), !parts[1].isEmpty else {
      throw HTTPRefusal(status: 400, reason: "a request line that is not METHOD TARGET VERSION")
    }
    guard let version = HTTPVersion(rawValue: String(parts[2])) else {
      throw HTTPRefusal(status: 505, reason: "a version other than HTTP/1.0 and HTTP/1.1")
    }
    let hosts = head.values(of: "Host")
    guard hosts.count == 1 || (hosts.isEmpty && version == .http10) else {
      throw HTTPRefusal(status: 400, reason: hosts.isEmpty ? "no Host field" : "more than one Host field")
    }
    if let expectation = head.values(of: "Expect").first,
      !expectation.equalsIgnoringASCIICase("100-continue")
    {
      throw HTTPRefusal(status: 417, reason: "an expectation other than 100-continue")
    }
    let framing = try HTTPBodyFraming.ofRequest(head.fields, version: version)
    if case .length(let length) = framing, length > limits.body { throw tooLong }
    body = HTTPBodyDecoder(framing)
    return HTTPRequest(
      method: String(parts[0]), target: String(parts[1]), version: version, fields: head.fields)
  }
}

extension String {
  /// Whether the bytes of `text` are in here.
  func containsASCII(_ text: String) -> Bool { firstRange(ofASCII: text) != nil }

  /// Where `text` begins first; both compared as bytes.
  fileprivate func firstRange(ofASCII text: String) -> Range<String.Index>? {
    var start = utf8.startIndex
    while start < utf8.endIndex {
      let rest = utf8[start...]
      if rest.starts(with: text.utf8) { return start..<utf8.index(start, offsetBy: text.utf8.count) }
      start = utf8.index(after: start)
    }
    return nil
  }
}
