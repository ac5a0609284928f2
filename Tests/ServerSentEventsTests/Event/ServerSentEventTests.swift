// An event made or changed by hand: its own id and the last event ID in effect, which are one text in what a parser
// makes, are two for whoever sets them.

import ServerSentEvents
import Testing

@Suite("An event")
struct ServerSentEventTests {
  @Test("has its own id for the last event ID unless told otherwise")
  func idInEffect() {
    #expect(ServerSentEvent(data: "").id == nil)
    #expect(ServerSentEvent(data: "").lastEventID == "")
    #expect(ServerSentEvent(data: "", id: "7").lastEventID == "7")
    #expect(ServerSentEvent(data: "", id: "").id == "")
    #expect(ServerSentEvent(data: "", lastEventID: "6").id == nil)
    #expect(ServerSentEvent(data: "", lastEventID: "6").lastEventID == "6")
    let differing = ServerSentEvent(data: "", id: "7", lastEventID: "6")
    #expect(differing.id == "7")
    #expect(differing.lastEventID == "6")
  }

  @Test("keeps one of both where the other is set")
  func setting() {
    var event = ServerSentEvent(data: "", id: "7")
    event.lastEventID = "8"
    #expect(event.id == "7")
    #expect(event.lastEventID == "8")
    event.id = nil
    #expect(event.id == nil)
    #expect(event.lastEventID == "8")
    event.id = "9"
    #expect(event.lastEventID == "8")
  }

  @Test("is equal to one with the same texts, however it came to them")
  func equality() {
    let parsed = EventStreamParser.events(in: Array("id: 7\ndata: a\n\n".utf8))[0]
    var made = ServerSentEvent(data: "a", lastEventID: "7")
    #expect(made != parsed)
    made.id = "7"
    #expect(made == parsed)
    #expect(made.hashValue == parsed.hashValue)
  }
}
