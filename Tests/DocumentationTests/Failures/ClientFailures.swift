// What goes wrong with a stream, its bytes and its connection.

import Foundation
import ServerSentEvents

extension Failure {
  static let client: [Failure] = [
    parsing(
      "EventStreamLimitError.lineTooLong", "a line of 9 bytes, at most 8 allowed",
      "the line that reaches byte 9 of the event stream is longer than 8 bytes; raise the parser's line limit, or let it skip such events, if the server means it",
      line: 8, event: 100),
    parsing(
      "EventStreamLimitError.eventTooLarge", "an event of 9 bytes, at most 8 allowed",
      "the event that reaches byte 19 of the event stream is longer than 8 bytes; raise the parser's event limit, or let it skip such events, if the server means it",
      line: 100, event: 8
    ),

    encoding(
      "EventStreamEncodingError.lineEndInName", "a name with a line end",
      "The event name holds a line end at byte 1. Remove it: it would begin another field.",
      ServerSentEvent(name: "a\nb", data: "")),
    encoding(
      "EventStreamEncodingError.lineEndInID", "an ID with a line end",
      "The event ID holds a line end at byte 1. Remove it: it would begin another field.",
      ServerSentEvent(data: "", id: "1\r2")),
    encoding(
      "EventStreamEncodingError.nulInID", "an ID with NUL",
      "The event ID holds NUL at byte 1. Encode the ID without it: readers ignore an ID with NUL.",
      ServerSentEvent(data: "", id: "1\0")),
    Failure(
      "EventStreamEncodingError.negativeRetry", "a reconnection time of -1",
      "The reconnection time is negative. Give milliseconds from 0 on, or none."
    ) { _ in
      _ = try EventStreamEncoder().encode(retry: -1)
      throw NothingFailed()
    },

    connection(
      "streamEnded", "the server ends the response", "the server ended the stream",
      EventSourceError(.streamEnded)),
    connection(
      "noContent", "the server answers 204",
      "the server answered 204: it wants no further connections; open a new event source to ask again",
      EventSourceError(.noContent, status: 204)),
    connection(
      "badStatus", "the server answers 404",
      "the server answered 404, which is no event stream; check the URL, the credentials and the error's body",
      EventSourceError(.badStatus, status: 404)),
    connection(
      "badStatus", "a redirect to another scheme",
      "the server answered 302 (a redirect to ‘ftp://h/x’, which is no address of a web server), which is no event stream; check the URL, the credentials and the error's body",
      EventSourceError(
        .badStatus, status: 302,
        detail: RefusedRedirect.unusable(location: "ftp://h/x", followed: 0).description)),
    connection(
      "badStatus", "the server says why",
      "the server answered 401, which is no event stream; check the URL, the credentials and the error's body; it begins with: {\"error\":  \"expired\"}",
      EventSourceError(.badStatus, status: 401, body: Array("{\"error\":\r\n\"expired\"}".utf8))),
    connection(
      "badStatus", "the server says a lot",
      "the server answered 500, which is no event stream; check the URL, the credentials and the error's body; it begins with: x\(String(repeating: "é", count: 99))…",
      EventSourceError(.badStatus, status: 500, body: Array(("x" + String(repeating: "é", count: 2000)).utf8))
    ),
    connection(
      "badContentType", "a page instead of a stream",
      "the server answered 200 with content type text/html, not text/event-stream; check the URL",
      EventSourceError(.badContentType, status: 200, detail: "text/html")),
    connection(
      "truncated", "the body breaks off",
      "the stream broke off before its end (12 bytes remaining); what came is incomplete: ask again",
      EventSourceError(.truncated, status: 200, detail: "12 bytes remaining")),
    connection(
      "reset", "the peer resets the connection",
      "the server reset the connection (NSURLErrorDomain -1005); ask again, and look into the server's log if it stays so",
      EventSourceError(.reset, detail: "NSURLErrorDomain -1005")),
    connection(
      "timedOut", "nothing comes for too long",
      "nothing arrived for longer than the idle timeout; set it above twice the server's heartbeat",
      EventSourceError(.timedOut)),
    connection(
      "cancelled", "the session was invalidated",
      "the connection was cancelled underneath the event source; keep its session valid as long as it runs",
      EventSourceError(.cancelled)),
    connection(
      "unreachable", "no server listens",
      "the server can't be reached (NSURLErrorDomain -1004); check the address and the network",
      EventSourceError(.unreachable, detail: "NSURLErrorDomain -1004")
    ),
    connection(
      "tls", "an expired certificate",
      "the secure connection failed (NSURLErrorDomain -1202); check the server's certificate",
      EventSourceError(.tls, detail: "NSURLErrorDomain -1202")),
    connection(
      "protocol", "a redirect without a place",
      "the server broke the protocol (a redirect without a Location); `curl -iN` shows what it sends",
      EventSourceError(
        .protocol, status: 302, detail: RefusedRedirect.unusable(location: "", followed: 0).description)),
    connection(
      "protocol", "a loop of redirects",
      "the server broke the protocol (more than 20 redirects, the last to ‘http://h/again’); `curl -iN` shows what it sends",
      EventSourceError(
        .protocol, status: 302,
        detail: RefusedRedirect.tooMany(limit: 20, last: "http://h/again").description)),
    connection(
      "unknown", "something without a name",
      "the connection failed (NSURLErrorDomain -1); ask again, and look into the server's log if it stays so",
      EventSourceError(.unknown, detail: "NSURLErrorDomain -1")),
    connection(
      "limitExceeded", "a line past the limit",
      "the line that reaches byte 9 of the event stream is longer than 8 bytes; raise the parser's line limit, or let it skip such events, if the server means it",
      EventSourceError(
        .limitExceeded, detail: "\(EventStreamLimitError(code: .lineTooLong, limit: 8, offset: 9))")),
    connection(
      "bufferOverflow", "a consumer that is too slow",
      "the stream brought more than its consumer took in time (4096 events); take events faster or raise the buffer",
      EventSourceError(.bufferOverflow, detail: "4096 events")),
  ]

  private static func parsing(_ name: String, _ input: String, _ message: String, line: Int, event: Int)
    -> Failure
  {
    Failure(name, input, message) { _ in
      var parser = EventStreamParser(limits: .init(line: line, event: event))
      _ = parser.append(Array("data:1234\ndata:56789\n\n".utf8))
      throw parser.failure ?? NothingFailed() as any Error
    }
  }

  private static func encoding(_ name: String, _ input: String, _ message: String, _ event: ServerSentEvent)
    -> Failure
  {
    Failure(name, input, message) { _ in
      _ = try EventStreamEncoder().encode(event)
      throw NothingFailed()
    }
  }

  private static func connection(
    _ code: String, _ input: String, _ message: String, _ error: EventSourceError
  ) -> Failure {
    Failure("EventSourceError.\(code)", input, message) { _ in error.description }
  }
}
