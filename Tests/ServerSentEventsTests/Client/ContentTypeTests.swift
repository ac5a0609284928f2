// The content type check as a table.

import Testing

@testable import ServerSentEvents

@Suite("The content type")
struct ContentTypeTests {
  @Test(
    "is an event stream",
    arguments: [
      ["text/event-stream"], ["TEXT/Event-Stream"], ["text/event-stream;"],
      ["text/event-stream ; charset=utf-8"],
      ["text/event-stream;charset=windows-1252"], [" \ttext/event-stream "], ["text/html, text/event-stream"],
      ["text/html", "text/event-stream"], ["text/event-stream, bogus"], ["text/event-stream, */*"],
      ["x/y; a=\"text/html, text/html\", text/event-stream"], ["text/event-stream; a=\"\\\", text/html\""],
    ])
  func accepts(_ values: [String]) {
    #expect(
      EventStreamResponse(status: 200, headers: values.map { HeaderField("content-TYPE", $0) }).isEventStream)
  }

  @Test(
    "is none",
    arguments: [
      [], [""], ["bogus"], ["x bogus"], ["text/event-stream+json"], ["text/event-stream, text/plain"],
      ["text/event-stream", "text/plain"], ["application/json"], ["text /event-stream"], ["text/"],
      ["/event-stream"],
      ["text/event-stream/x"], ["text/event-str\u{E9}am"], ["\"text/event-stream\""],
    ])
  func refuses(_ values: [String]) {
    #expect(
      !EventStreamResponse(status: 200, headers: values.map { HeaderField("Content-Type", $0) }).isEventStream
    )
  }
}
