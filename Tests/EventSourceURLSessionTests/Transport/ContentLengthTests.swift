// Lengths that a head states and that no body can have.

import EventCassetteServer
import EventSourceURLSession
import ServerSentEvents
import Testing

@Suite("The length that a head states", .timeLimit(.minutes(10)))
struct ContentLengthTests {
  @Test(
    "one number, however often it stands there, is a length",
    arguments: [[], ["9"], ["9", "9"], ["9, 9"], ["9", "09 "], ["0"], ["9223372036854775807"]])
  func usable(values: [String]) {
    #expect(response(values).contentLengthProblem == nil)
  }

  @Test(
    "anything else is named",
    arguments: [
      (["9", "4"], "two Content-Lengths: 9 and 4"), (["9, 4"], "two Content-Lengths: 9 and 4"),
      (["9", "9", "10"], "two Content-Lengths: 9 and 10"), (["+9"], "no number: ‘+9’"),
      (["-5"], "no number: ‘-5’"),
      (["9x"], "no number: ‘9x’"), ([""], "no number: ‘’"), (["9,"], "no number: ‘’"),
      (["٩"], "no number: ‘٩’"),
      (["99999999999999999999"], "too large"),
    ])
  func unusable(values: [String], problem: String) throws {
    #expect(try #require(response(values).contentLengthProblem).contains(problem))
  }

  @Test("beside chunks no length counts")
  func chunked() {
    var response = response(["9", "4"])
    response.headers.append(HeaderField("transfer-encoding", "chunked"))
    #expect(response.contentLengthProblem == nil)
  }

  @Test("URLSession’s success over such a length is none", arguments: ["9x", "99999999999999999999"])
  func overURLSession(length: String) async throws {
    let server = try LoopbackServer { _, response in
      try await response.sendRaw(
        Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\ndata: a\n\n".utf8))
      await response.cut()
    }
    let transport = URLSessionEventStreamTransport()
    var end: ConnectionEnd?
    for await stamped in transport.connect(EventStreamRequest(url: server.url("/"))) {
      if case .ended(let cause, _) = stamped.fact { end = cause }
    }
    #expect(end == .protocol)
    await server.stop()
  }

  private func response(_ lengths: [String]) -> EventStreamResponse {
    EventStreamResponse(status: 200, headers: lengths.map { HeaderField("Content-Length", $0) })
  }
}
