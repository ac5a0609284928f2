// Where redirects lead, with which method, and what stays behind.

import ServerSentEvents
import Testing

@testable import EventSourceCurl

@Suite("Following a redirect")
struct RedirectionTests {
  let secret = HeaderField("Authorization", "Bearer x")

  func next(_ status: Int, _ location: String, after request: EventStreamRequest) -> Redirection.Step {
    var redirection = Redirection(of: request)
    let response = EventStreamResponse(status: status, headers: [HeaderField("Location", location)])
    return redirection.next(after: response, to: request)
  }

  @Test(
    "methods",
    arguments: [
      (301, "POST", "GET"), (302, "POST", "GET"), (302, "PUT", "PUT"), (303, "PUT", "GET"),
      (303, "HEAD", "HEAD"),
      (307, "POST", "POST"), (308, "PUT", "PUT"),
    ])
  func methods(status: Int, method: String, expected: String) {
    let request = EventStreamRequest(
      method: method, url: "http://h/a/b?q", headers: [HeaderField("Content-Type", "x"), secret], body: [1])
    var then = EventStreamRequest(method: expected, url: "http://h/a/c", headers: request.headers, body: [1])
    if expected != method { (then.body, then.headers) = ([], [secret]) }
    #expect(next(status, "c", after: request) == .follow(then))
  }

  @Test("other statuses are answers", arguments: [200, 300, 304, 305, 401])
  func none(status: Int) {
    #expect(next(status, "http://h/", after: EventStreamRequest(url: "http://h/")) == .none)
  }

  @Test(
    "addresses that can't be followed",
    arguments: ["", "file:///etc/passwd", "data:,x", "ftp://h/", "http://"])
  func refused(location: String) {
    #expect(
      next(302, location, after: EventStreamRequest(url: "http://h/"))
        == .refuse(.unusable(location: location, followed: 0)))
  }

  @Test("credentials stay at their origin, also when the chain comes back")
  func credentials() {
    var request = EventStreamRequest(
      url: "http://h/",
      headers: [
        secret, HeaderField("x-api-key", "k"), HeaderField("x-own-key", "o"), HeaderField("X-Mine", "1"),
      ])
    request.credentialHeaders = ["X-Own-Key"]
    var redirection = Redirection(of: request)
    for (location, keeps) in [("http://H:80/a", true), ("https://h/", false), ("http://h/", false)] {
      let response = EventStreamResponse(status: 307, headers: [HeaderField("Location", location)])
      guard case .follow(let next) = redirection.next(after: response, to: request) else {
        Issue.record("\(location) is not followed")
        return
      }
      #expect((next.headers["Authorization"] != nil) == keeps, "\(location)")
      #expect((next.headers["X-API-Key"] != nil) == keeps, "\(location)")
      #expect((next.headers["X-Own-Key"] != nil) == keeps, "\(location)")
      #expect(next.headers["X-Mine"] == "1")
      request = next
    }
  }

  @Test("a loop ends")
  func loop() {
    let request = EventStreamRequest(url: "http://h/")
    var redirection = Redirection(of: request)
    let response = EventStreamResponse(status: 302, headers: [HeaderField("Location", "/")])
    for _ in 0..<20 { #expect(redirection.next(after: response, to: request) == .follow(request)) }
    #expect(redirection.next(after: response, to: request) == .refuse(.tooMany(limit: 20, last: "http://h/")))
  }
}
