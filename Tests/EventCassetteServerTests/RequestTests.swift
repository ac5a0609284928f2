// Requests: what is read from a well-formed one under every cut, and what is refused.

import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("Requests")
struct RequestTests {
  static let post =
    "POST /a?b=c HTTP/1.1\r\nHost: x\r\nLast-Event-ID: é\u{1F600}\r\nX-Empty:\r\nx-empty:  \t \r\nTransfer-Encoding: chunked\r\n\r\n"
    + "5;name=value\r\nhello\r\n0001\r\n \r\n6\r\nworld!\r\n0\r\nTrailer: t\r\n\r\n"

  private func read(_ pieces: [[UInt8]], limits: HTTPRequestLimits = .init()) throws(HTTPRefusal)
    -> HTTPRequest?
  {
    var reader = HTTPRequestReader(limits: limits)
    for piece in pieces {
      if case .complete(let request) = try reader.append(piece[...]) { return request }
    }
    return nil
  }

  @Test("a chunked request is the same whole, byte by byte and at every split")
  func cuts() throws {
    let bytes = Array(Self.post.utf8)
    let whole = try #require(try read([bytes]))
    #expect(whole.method == "POST")
    #expect(whole.path == "/a")
    #expect(whole.query == "b=c")
    #expect(whole.body == Array("hello world!".utf8))
    #expect(whole.bytes(of: "last-event-id") == Array("é\u{1F600}".utf8))
    #expect(whole.fields.values(of: "X-Empty") == ["", ""])
    #expect(try read(bytes.map { [$0] }) == whole)
    for cut in bytes.indices {
      #expect(try read([Array(bytes[..<cut]), Array(bytes[cut...])]) == whole)
    }
  }

  @Test("no request is complete before its last byte")
  func noneEarly() throws {
    let bytes = Array(Self.post.utf8)
    for end in bytes.indices { #expect(try read([Array(bytes[..<end])]) == nil) }
  }

  static let refused: [(String, Int)] = [
    ("GET / HTTP/1.1\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400),
    ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
    ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("G=T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("GET /\tHTTP/1.1\r\nHost: a\r\n\r\n", 400),
    ("hello\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nA: b\r\n folded\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\nA: b\u{0}\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\nA: b\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nHost: a\rA: b\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1, 1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999\r\n\r\n", 413),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 501),
    ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nExpect: more\r\n\r\n", 417),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\nx", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n", 400),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n", 400),
  ]

  @Test("what could be read in two ways, or not at all, is refused, however it is cut", arguments: refused)
  func refusals(text: String, status: Int) throws {
    let bytes = Array(text.utf8)
    #expect(throws: HTTPRefusal.self) { try read([bytes]) }
    do {
      _ = try read(bytes.map { [$0] })
      Issue.record("not refused byte by byte")
    } catch {
      #expect(error.status == status, "\(error.reason)")
    }
  }

  @Test("a head, a body and a chunk line beyond their bounds are refused without being kept")
  func bounds() throws {
    let limits = HTTPRequestLimits(head: 100, body: 10)
    let long = "GET / HTTP/1.1\r\nHost: " + String(repeating: "a", count: 200)
    #expect(throws: HTTPRefusal(status: 431, reason: "the head is longer than 100 bytes")) {
      try read([Array(long.utf8)], limits: limits)
    }
    let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    for (body, status) in [
      ("6\r\n123456\r\n5\r\n12345\r\n", 413),
      (String(repeating: "0", count: 5000), 400),
      ("0\r\n" + String(repeating: "a: b\r\n", count: 20_000), 431),
    ] {
      do {
        _ = try read([Array((chunked + body).utf8)], limits: limits)
        Issue.record("not refused: \(body.prefix(20))")
      } catch {
        #expect(error.status == status)
      }
    }
  }

  @Test(
    "a target in absolute form has the path of its URL",
    arguments: [
      ("http://h:1/p?q", "/p", "q"), ("http://h", "/", nil), ("/?", "/", ""), ("*", "*", nil),
    ] as [(String, String, String?)])
  func targets(target: String, path: String, query: String?) {
    let request = HTTPRequest(method: "GET", target: target)
    #expect(request.path == path)
    #expect(request.query == query)
  }
}
