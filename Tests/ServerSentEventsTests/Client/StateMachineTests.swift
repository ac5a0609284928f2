// The state machine's ordinary life under the standard policy: one-line expectations, facts in, actions out.

import Testing

@testable import ServerSentEvents

@Suite("The event source's state machine")
struct StateMachineTests {
  @Test("start connects with the standard's headers")
  func start() {
    var machine = makeMachine()
    #expect(machine.start(at: at(0)) == [.publishState(.connecting), .connect(request(), generation: 1)])
    #expect(machine.start(at: at(1)) == [])
    #expect(machine.state == .connecting)
  }

  @Test("the caller's headers win, whatever their case")
  func callersHeaders() {
    var machine = makeMachine(headers: [
      HeaderField("accept", "x/y"), HeaderField("CACHE-CONTROL", "max-age=1"),
    ])
    #expect(
      machine.start(at: at(0)).connects == [
        EventStreamRequest(
          url: "http://host/",
          headers: [HeaderField("accept", "x/y"), HeaderField("CACHE-CONTROL", "max-age=1")])
      ])
  }

  @Test("a Last-Event-ID given as a header is the first ID and gives way to newer ones")
  func givenIDHeader() {
    var machine = makeMachine(headers: [HeaderField("LAST-event-id", "7")])
    #expect(machine.start(at: at(0)).connects == [request(lastEventID: "7")])
    _ = machine.responseReceived(accepted, generation: 1, at: at(0))
    _ = machine.bytesReceived("id: 8\ndata: a\n\n".utf8, generation: 1, at: at(0))
    _ = machine.connectionEnded(.complete, generation: 1, at: at(1))
    #expect(
      machine.timerFired(.reconnect, generation: 1, at: at(4)).connects == [request(lastEventID: "8")])
  }

  @Test("an ID that can't stand in a header is never sent", arguments: ["a\nX: 1", "a\r", "\0"])
  func unsafeID(_ id: String) {
    var machine = makeMachine(lastEventID: id)
    #expect(machine.start(at: at(0)).connects == [request()])
  }

  @Test("200 with the right type opens")
  func opens() {
    var machine = makeConnectingMachine()
    #expect(
      machine.responseReceived(accepted, generation: 1, at: at(0)) == [
        .publishState(.open), .deliver(.open(accepted)),
      ])
    #expect(
      machine.responseReceived(answer(500), generation: 1, at: at(0)) == [], "one response a connection")
  }

  @Test("several consumed at once end where they do one by one, and the last ID alone is stored")
  func consumedTogether() {
    var machine = makeOpenMachine()
    _ = machine.bytesReceived(
      "id: 1\ndata: a\n\nid: 2\ndata: b\n\ndata: c\n\nid: 3\n\n".utf8, generation: 1, at: at(0))
    var single = machine
    #expect(machine.eventsConsumed(2, at: at(1)) == [.storeLastEventID("2")])
    #expect(single.eventConsumed(at: at(1)) == [.storeLastEventID("1")])
    #expect(single.eventConsumed(at: at(1)) == [.storeLastEventID("2")])
    #expect(machine == single)
    #expect(machine.eventsConsumed(5, at: at(1)) == [.storeLastEventID("3")], "no more than there are")
    #expect(machine.eventsConsumed(1, at: at(1)) == [])
    #expect(machine.unconsumed == 0)
  }

  @Test("bytes become deliveries in order, and a chunk may hold any number")
  func deliveries() {
    var machine = makeOpenMachine()
    #expect(
      machine.bytesReceived(": hi\nid: 1\ndata: a\n\ndata: b\n\ndata".utf8, generation: 1, at: at(0)) == [
        .deliver(.comment(" hi")), .deliver(.event(event("a", id: "1"))),
        .deliver(.event(event("b", lastEventID: "1"))),
      ])
    #expect(
      machine.bytesReceived(": c\n\n".utf8, generation: 1, at: at(0)).events == [event("c", lastEventID: "1")]
    )
    #expect(machine.unconsumed == 3)
  }

  @Test("an ID is stored when the consumer comes back, one after the other")
  func processedIDs() {
    var machine = makeOpenMachine()
    _ = machine.bytesReceived("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\n\n".utf8, generation: 1, at: at(0))
    #expect(machine.processedLastEventID.isEmpty)
    #expect(machine.eventConsumed(at: at(1)) == [.storeLastEventID("1")])
    #expect(
      machine.eventConsumed(at: at(2)) == [.storeLastEventID("3")], "the ID alone goes with the last event")
    #expect(machine.eventConsumed(at: at(3)) == [])
  }

  @Test("an ID without an event is stored at once if nothing waits; an empty one resets")
  func loneIDs() {
    var machine = makeOpenMachine()
    #expect(machine.bytesReceived("id: 9\n\n".utf8, generation: 1, at: at(0)) == [.storeLastEventID("9")])
    #expect(machine.bytesReceived("id\n\n".utf8, generation: 1, at: at(0)) == [.storeLastEventID("")])
  }

  @Test("IDs that only look the same are different")
  func idsByBytes() {
    var machine = makeOpenMachine()
    #expect(machine.bytesReceived("id: \u{E9}\n\n".utf8, generation: 1, at: at(0)).count == 1)
    #expect(machine.bytesReceived("id: e\u{301}\n\n".utf8, generation: 1, at: at(0)).count == 1)
  }

  @Test("an end waits for the reconnection time, and the timer connects")
  func reconnects() {
    var machine = makeOpenMachine()
    _ = machine.bytesReceived("id: 1\nretry: 250\ndata: a\n\ndata: unfinished".utf8, generation: 1, at: at(0))
    #expect(
      machine.connectionEnded(.complete, generation: 1, at: at(2)) == [
        .deliver(.error(EventSourceError(.streamEnded))), .deliver(.reconnecting(after: .milliseconds(250))),
        .publishState(.reconnecting(at: .seconds(2.25))),
        .schedule(.reconnect, at: .seconds(2.25), generation: 1),
      ])
    #expect(
      machine.timerFired(.reconnect, generation: 1, at: at(2)) == [
        .schedule(.reconnect, at: .seconds(2.25), generation: 1)
      ], "too early: set again")
    #expect(
      machine.timerFired(.reconnect, generation: 1, at: at(2.25)) == [
        .publishState(.connecting), .connect(request(lastEventID: "1"), generation: 2),
      ])
    _ = machine.responseReceived(accepted, generation: 2, at: at(3))
    #expect(
      machine.bytesReceived("data: b\n\n".utf8, generation: 2, at: at(3)).events == [
        event("b", lastEventID: "1")
      ],
      "the unfinished block is gone, the ID stays")
  }

  @Test("whatever an old connection still says changes nothing")
  func oldGenerations() {
    var machine = makeOpenMachine(idleTimeout: .seconds(5))
    _ = machine.connectionEnded(.reset, generation: 1, at: at(0))
    _ = machine.timerFired(.reconnect, generation: 1, at: at(3))
    let before = machine
    #expect(machine.responseReceived(accepted, generation: 1, at: at(3)) == [])
    #expect(machine.bytesReceived("data: a\n\n".utf8, generation: 1, at: at(3)) == [])
    #expect(machine.redirectReceived(answer(302), to: request(), generation: 1, at: at(3)) == [])
    #expect(machine.connectionEnded(.complete, generation: 1, at: at(3)) == [])
    #expect(machine.timerFired(.reconnect, generation: 1, at: at(9)) == [])
    #expect(machine.timerFired(.idle, generation: 1, at: at(9)) == [])
    #expect(machine == before)
  }

  @Test("204 stops, before and after a stream")
  func noContent() {
    var machine = makeConnectingMachine()
    #expect(
      machine.responseReceived(answer(204), generation: 1, at: at(0)) == [
        .cancel(generation: 1), .deliver(.error(EventSourceError(.noContent))), .deliver(.closed(.noContent)),
        .publishState(.closed(.noContent)), .stop(.noContent, nil),
      ])
    #expect(machine.networkLost(at: at(1)) + machine.networkRestored(at: at(2)) + machine.stop() == [])
  }

  @Test("a fatal answer waits a second for its body and keeps 4 KiB of it")
  func fatalAnswer() throws {
    var machine = makeConnectingMachine()
    #expect(
      machine.responseReceived(answer(404), generation: 1, at: at(0)) == [
        .unschedule(.idle), .schedule(.rejection, at: .seconds(1), generation: 1),
      ])
    #expect(machine.bytesReceived([UInt8](repeating: 97, count: 4000), generation: 1, at: at(0)) == [])
    let actions = machine.bytesReceived([UInt8](repeating: 98, count: 4000), generation: 1, at: at(0))
    #expect(actions.first == .cancel(generation: 1))
    guard case .stop(.fatalResponse, let error?)? = actions.last else {
      Issue.record("no error in \(actions)")
      return
    }
    #expect(
      error.code == .badStatus && error.status == 404 && error.body.count == 4096 && error.body.last == 98)
  }

  @Test("a fatal answer's body may also end, or never come")
  func fatalAnswerEnds() {
    var ends = makeConnectingMachine()
    _ = ends.responseReceived(answer(500), generation: 1, at: at(0))
    #expect(
      ends.connectionEnded(.complete, generation: 1, at: at(0)).last
        == .stop(.fatalResponse, EventSourceError(.badStatus)))
    var hangs = makeConnectingMachine()
    _ = hangs.responseReceived(answer(200, ("Content-Type", "text/html")), generation: 1, at: at(0))
    let actions = hangs.timerFired(.rejection, generation: 1, at: at(1))
    #expect(actions.first == .cancel(generation: 1))
    #expect(actions.last == .stop(.fatalResponse, EventSourceError(.badContentType)))
  }

  @Test("the parser's limit is fatal and cancels")
  func limit() {
    var machine = makeMachine(limits: .init(event: 8))
    _ = machine.start(at: at(0))
    _ = machine.responseReceived(accepted, generation: 1, at: at(0))
    let actions = machine.bytesReceived("data: a\n\ndata: 123456789\n\n".utf8, generation: 1, at: at(0))
    #expect(actions.events == [event("a")])
    #expect(actions.contains(.cancel(generation: 1)))
    #expect(actions.last == .stop(.fatalResponse, EventSourceError(.limitExceeded)))
  }

  @Test("stop cancels, unschedules and gives up what waits, in every state")
  func stop() {
    var open = makeOpenMachine(idleTimeout: .seconds(9))
    _ = open.bytesReceived("data: a\n\n".utf8, generation: 1, at: at(0))
    #expect(
      open.stop() == [
        .cancel(generation: 1), .unschedule(.idle), .deliver(.closed(.cancelled)),
        .publishState(.closed(.cancelled)), .stop(.cancelled, nil),
      ])
    #expect(open.bytesReceived("data: b\n\n".utf8, generation: 1, at: at(0)) == [])
    #expect(open.unconsumed == 0)
    var waiting = makeOpenMachine()
    _ = waiting.connectionEnded(.reset, generation: 1, at: at(0))
    #expect(waiting.stop().first == .unschedule(.reconnect))
    #expect(waiting.timerFired(.reconnect, generation: 1, at: at(99)) == [])
  }

  @Test("idle looks back when its timer fires, and then the connection is lost")
  func idle() {
    var machine = makeMachine(idleTimeout: .seconds(10))
    #expect(machine.start(at: at(0)).last == .schedule(.idle, at: .seconds(10), generation: 1))
    _ = machine.responseReceived(accepted, generation: 1, at: at(4))
    #expect(machine.bytesReceived(":\n".utf8, generation: 1, at: at(7)).deliveries == [.comment("")])
    #expect(
      machine.timerFired(.idle, generation: 1, at: at(10)) == [
        .schedule(.idle, at: .seconds(17), generation: 1)
      ])
    let actions = machine.timerFired(.idle, generation: 1, at: at(17))
    #expect(actions.first == .cancel(generation: 1))
    #expect(actions.deliveries.first == .error(EventSourceError(.timedOut)))
    #expect(actions.last == .schedule(.reconnect, at: .seconds(20), generation: 1))
  }

  @Test("idle counts before the response too")
  func idleWithoutResponse() {
    var machine = makeConnectingMachine(idleTimeout: .seconds(10))
    #expect(machine.timerFired(.idle, generation: 1, at: at(10)).first == .cancel(generation: 1))
  }

  @Test("twenty redirects are followed, the next is one too many")
  func redirects() {
    var machine = makeConnectingMachine()
    for _ in 1...20 {
      #expect(machine.redirectReceived(answer(302), to: request(), generation: 1, at: at(0)) == [])
    }
    let actions = machine.redirectReceived(answer(302), to: request(), generation: 1, at: at(0))
    #expect(actions.first == .cancel(generation: 1))
    guard case .error(let error)? = actions.deliveries.first else {
      Issue.record("no error in \(actions)")
      return
    }
    #expect(error.code == .protocol)
    #expect(error.detail == "more than 20 redirects, the last to ‘\(request().url)’")
  }

  @Test("a redirect that the transport does not follow says why, and other answers keep their own words")
  func refusedRedirect() {
    for (status, detail) in [(302, "a redirect without a Location"), (404, "")] {
      var machine = makeConnectingMachine()
      _ = machine.responseReceived(answer(status), generation: 1, at: at(0))
      _ = machine.bytesReceived("why".utf8, generation: 1, at: at(0))
      let actions = machine.connectionEnded(
        .protocol, detail: "a redirect without a Location", generation: 1, at: at(0))
      guard case .stop(.fatalResponse, let error?)? = actions.last else {
        Issue.record("no error in \(actions)")
        continue
      }
      #expect(error.code == .badStatus && error.status == status && error.detail == detail)
      #expect(error.body == Array("why".utf8))
    }
  }

  @Test("a transport that answers by itself says why, and there is no server to look at")
  func answerOfTheTransport() {
    var machine = makeConnectingMachine()
    _ = machine.responseReceived(answer(404), generation: 1, at: at(0))
    _ = machine.bytesReceived("why".utf8, generation: 1, at: at(0))
    let actions = machine.connectionEnded(.complete, detail: "nobody asked", generation: 1, at: at(0))
    guard case .stop(.fatalResponse, let error?)? = actions.last else {
      Issue.record("no error in \(actions)")
      return
    }
    #expect(error.description == "404 instead of an event stream: nobody asked")
    #expect(error.body == Array("why".utf8))
  }

  @Test("of several content types the error names the one that counts")
  func contentTypeInError() {
    let types: [((String, String), (String, String), String)] = [
      (("Content-Type", "text/event-stream"), ("Content-Type", "text/plain"), "text/plain"),
      (("Content-Type", "text/html; charset=utf-8"), ("Content-Type", "bogus"), "text/html"),
      (("Content-Type", "bogus"), ("X", "y"), "bogus"),
    ]
    for (first, second, expected) in types {
      var machine = makeConnectingMachine()
      _ = machine.responseReceived(answer(200, first, second), generation: 1, at: at(0))
      let actions = machine.connectionEnded(.complete, generation: 1, at: at(0))
      guard case .stop(.fatalResponse, let error?)? = actions.last else {
        Issue.record("no error in \(actions)")
        continue
      }
      #expect(error.code == .badContentType && error.detail == expected)
    }
  }

  @Test("a transport that was cancelled underneath stays closed")
  func cancelledUnderneath() {
    for policy in [ReconnectionPolicy.standard, .resilient] {
      var machine = makeOpenMachine(policy)
      #expect(machine.connectionEnded(.cancelled, generation: 1, at: at(0)).last == .stop(.cancelled, nil))
    }
  }

  @Test("every other end reconnects", arguments: ConnectionEnd.allCases.filter { $0 != .cancelled })
  func ends(_ end: ConnectionEnd) {
    for policy in [ReconnectionPolicy.standard, .resilient] {
      var open = makeOpenMachine(policy)
      #expect(open.connectionEnded(end, generation: 1, at: at(0)).reconnectDelay != nil)
      var connecting = makeConnectingMachine(policy)
      #expect(connecting.connectionEnded(end, generation: 1, at: at(0)).reconnectDelay != nil)
    }
  }
}

@Suite("One shot")
struct OneShotStateMachineTests {
  @Test("a clean end is the end, without an error")
  func cleanEnd() {
    var machine = makeOpenMachine(mode: .oneShot)
    #expect(
      machine.connectionEnded(.complete, generation: 1, at: at(0)) == [
        .deliver(.closed(.oneShot)), .publishState(.closed(.oneShot)), .stop(.oneShot, nil),
      ])
  }

  @Test(
    "any other end is an error and never a second request",
    arguments: [ConnectionEnd.truncated, .reset, .timedOut])
  func brokenEnd(_ end: ConnectionEnd) {
    var machine = makeOpenMachine(.resilient, mode: .oneShot)
    let actions = machine.connectionEnded(end, generation: 1, at: at(0))
    #expect(actions.last == .stop(.oneShot, EventSourceError(end, status: 200, detail: "")))
    #expect(actions.reconnectDelay == nil)
  }

  @Test("statuses are errors whatever the policy", arguments: [401, 403, 429, 500, 503, 302])
  func statuses(_ status: Int) {
    var machine = makeConnectingMachine(.resilient, mode: .oneShot, hasCredentials: true)
    _ = machine.responseReceived(answer(status, ("Retry-After", "1")), generation: 1, at: at(0))
    #expect(
      machine.connectionEnded(.complete, generation: 1, at: at(0)).last
        == .stop(.oneShot, EventSourceError(.badStatus)))
  }

  @Test("the app's surroundings change nothing: the request can't be sent twice")
  func surroundings() {
    var machine = makeOpenMachine(mode: .oneShot, hasCredentials: true)
    let before = machine
    #expect(machine.networkLost(at: at(0)) + machine.enteredBackground(at: at(0)) == [])
    #expect(machine.credentialsChanged(at: at(0)) == [])
    #expect(machine == before)
  }

  @Test("more than the buffer holds is an error, after what it held")
  func overflow() {
    var machine = makeOpenMachine(mode: .oneShot, buffer: .init(events: 2))
    let actions = machine.bytesReceived(
      "data: a\n\ndata: b\n\ndata: c\n\n".utf8, generation: 1, at: at(0))
    #expect(actions.events == [event("a"), event("b")])
    #expect(actions.contains(.cancel(generation: 1)))
    #expect(actions.last == .stop(.oneShot, EventSourceError(.bufferOverflow)))
  }
}
