// The app around the event source, and the consumer in front of it: network, foreground, credentials, a full buffer.

import Testing

@testable import ServerSentEvents

@Suite("The event source's lifecycle")
struct LifecycleTests {
  @Test("no network closes the connection, its return opens one at once")
  func network() {
    var machine = makeOpenMachine(idleTimeout: .seconds(9))
    #expect(
      machine.networkLost(at: at(1)) == [
        .cancel(generation: 1), .unschedule(.idle), .publishState(.suspended(.offline)),
      ])
    #expect(machine.networkLost(at: at(1)) == [])
    #expect(machine.bytesReceived("data: late\n\n".utf8, generation: 1, at: at(1)) == [])
    #expect(machine.networkRestored(at: at(2)).connects.count == 1)
    #expect(machine.networkRestored(at: at(2)) == [])
  }

  @Test("the wait for a reconnect is given up with the network, and the client's own wait doesn't come back")
  func networkWhileWaiting() {
    var machine = makeConnectingMachine()
    _ = machine.connectionEnded(.unreachable, generation: 1, at: at(0))
    #expect(machine.networkLost(at: at(1)) == [.unschedule(.reconnect), .publishState(.suspended(.offline))])
    #expect(machine.timerFired(.reconnect, generation: 1, at: at(9)) == [], "a timer that was on its way")
    #expect(machine.networkRestored(at: at(10)).connects.count == 1)
  }

  @Test("the background closes, the foreground reopens after the last event")
  func background() {
    var machine = makeOpenMachine()
    _ = machine.bytesReceived("id: 5\ndata: a\n\n".utf8, generation: 1, at: at(0))
    #expect(
      machine.enteredBackground(at: at(1)) == [
        .cancel(generation: 1), .publishState(.suspended(.background)),
      ])
    #expect(
      machine.enteredForeground(at: at(2)) == [
        .publishState(.connecting), .connect(request(lastEventID: "5"), generation: 2),
      ])
  }

  @Test("the last obstacle to go opens the connection, in any order")
  func obstacles() {
    var machine = makeOpenMachine()
    _ = machine.enteredBackground(at: at(1))
    _ = machine.networkLost(at: at(1))
    #expect(machine.enteredForeground(at: at(2)) == [.publishState(.suspended(.offline))])
    #expect(machine.enteredBackground(at: at(2)) == [.publishState(.suspended(.background))])
    #expect(machine.networkRestored(at: at(3)) == [])
    #expect(machine.enteredForeground(at: at(4)).connects.count == 1)
  }

  @Test("started while offline and in the background it waits")
  func startsHeld() {
    var machine = makeMachine()
    #expect(machine.networkLost(at: at(0)) + machine.enteredBackground(at: at(0)) == [])
    #expect(machine.start(at: at(0)) == [.publishState(.suspended(.background))])
    _ = machine.enteredForeground(at: at(1))
    #expect(machine.networkRestored(at: at(2)).connects.count == 1)
  }

  @Test("new credentials make the connection anew at once")
  func credentials() {
    var machine = makeOpenMachine()
    let actions = machine.credentialsChanged(at: at(1))
    #expect(actions.first == .cancel(generation: 1))
    #expect(actions.last == .connect(request(), generation: 2))
    _ = machine.connectionEnded(.reset, generation: 2, at: at(1))
    #expect(machine.credentialsChanged(at: at(1)).connects.count == 1, "also instead of waiting")
  }

  @Test("a fatal answer stays fatal whatever happens around it")
  func fatalStaysFatal() {
    var machine = makeConnectingMachine()
    _ = machine.responseReceived(answer(404), generation: 1, at: at(0))
    #expect(machine.networkLost(at: at(0)) == [])
    #expect(machine.networkRestored(at: at(0)) == [])
    #expect(machine.credentialsChanged(at: at(0)) == [])
    #expect(
      machine.timerFired(.rejection, generation: 1, at: at(1)).last
        == .stop(.fatalResponse, EventSourceError(.badStatus)))
  }
}

@Suite("A slow consumer")
struct OverflowTests {
  @Test("past the bound the connection is given up and resumed after the last event handed over")
  func overflow() {
    var machine = makeOpenMachine(buffer: .init(events: 2))
    let actions = machine.bytesReceived(
      "id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\ndata: c\n\nid: 4\ndata: d\n\n".utf8, generation: 1,
      at: at(0))
    #expect(actions.events.map(\.data) == ["a", "b"])
    #expect(Array(actions.suffix(2)) == [.cancel(generation: 1), .publishState(.suspended(.catchingUp))])
    #expect(machine.eventConsumed(at: at(1)) == [.storeLastEventID("1")], "not before all is taken")
    #expect(
      machine.eventConsumed(at: at(2)) == [
        .storeLastEventID("2"), .publishState(.connecting),
        .connect(request(lastEventID: "2"), generation: 2),
      ])
    _ = machine.responseReceived(accepted, generation: 2, at: at(2))
    #expect(
      machine.bytesReceived("id: 3\ndata: c\n\n".utf8, generation: 2, at: at(3)) == [
        .deliver(.event(event("c", id: "3")))
      ], "no gap")
  }

  @Test("a server that doesn't go on where it should is reported as a gap")
  func ignoredID() {
    var machine = makeOpenMachine(buffer: .init(events: 1))
    _ = machine.bytesReceived("id: 1\ndata: a\n\nid: 2\ndata: b\n\n".utf8, generation: 1, at: at(0))
    _ = machine.eventConsumed(at: at(1))
    _ = machine.responseReceived(accepted, generation: 2, at: at(1))
    #expect(
      machine.bytesReceived("id: 9\ndata: z\n\n".utf8, generation: 2, at: at(2)).deliveries == [
        .gap(.notResumed(after: "1")), .event(event("z", id: "9")),
      ])
  }

  @Test("without an ID in effect the gap is reported when it begins")
  func noID() {
    var machine = makeOpenMachine(buffer: .init(events: 1))
    #expect(
      machine.bytesReceived("data: a\n\ndata: b\n\n".utf8, generation: 1, at: at(0)).deliveries == [
        .event(event("a")), .gap(.noLastEventID),
      ])
    #expect(machine.eventConsumed(at: at(1)).connects == [request()])
  }

  @Test("bytes count as well as events, but an empty buffer takes one of any size")
  func bytes() {
    var machine = makeOpenMachine(buffer: .init(events: 100, bytes: 1000))
    let large = "data: \(String(repeating: "x", count: 5000))\n\n"
    #expect(machine.bytesReceived(large.utf8, generation: 1, at: at(0)).events.count == 1)
    #expect(
      machine.bytesReceived("id: 1\ndata: a\n\n".utf8, generation: 1, at: at(0)).first
        == .cancel(generation: 1))
  }

  @Test("a consumer of all signals is bounded by comments too, and loses no event by it")
  func comments() {
    var machine = makeMachine(buffer: .init(events: 3), delivery: .signals)
    _ = machine.start(at: at(0))
    _ = machine.responseReceived(accepted, generation: 1, at: at(0))
    let actions = machine.bytesReceived("id: 1\ndata: a\n\n:1\n:2\n:3\n".utf8, generation: 1, at: at(0))
    #expect(actions.deliveries == [.event(event("a", id: "1")), .comment("1")])
    #expect(actions.contains(.cancel(generation: 1)))
    for _ in 1...2 { #expect(machine.eventConsumed(at: at(1)).connects.isEmpty) }
    #expect(machine.eventConsumed(at: at(1)).connects == [request(lastEventID: "1")])
  }

  @Test("a full buffer is not connected for")
  func fullBeforeConnecting() {
    var machine = makeOpenMachine(buffer: .init(events: 1))
    _ = machine.bytesReceived("id: 1\ndata: a\n\n".utf8, generation: 1, at: at(0))
    _ = machine.connectionEnded(.complete, generation: 1, at: at(0))
    #expect(
      machine.timerFired(.reconnect, generation: 1, at: at(3)) == [.publishState(.suspended(.catchingUp))])
    #expect(machine.eventConsumed(at: at(4)).connects == [request(lastEventID: "1")])
  }

  @Test("an overflow told from outside resumes at once if nothing waits")
  func told() {
    var machine = makeOpenMachine()
    let actions = machine.bufferOverflowed(at: at(1))
    #expect(actions.first == .cancel(generation: 1))
    #expect(actions.connects.count == 1)
  }
}
