// The resilient policy: what ended a connection decides what comes next, and after how long.

import Testing

@testable import ServerSentEvents

@Suite("The resilient policy")
struct ResilientPolicyTests {
  @Test("429, 503 and other 5xx wait; 401 and 403 without credentials, other 4xx and other types are fatal")
  func verdicts() {
    let policy = ReconnectionPolicy.resilient
    func verdict(_ response: EventStreamResponse) -> ReconnectionPolicy.Verdict {
      policy.verdict(on: response, mode: .eventSource, hasCredentials: false)
    }
    #expect(verdict(accepted) == .accept)
    #expect(verdict(answer(204)) == .stop)
    for status in [429, 500, 502, 503, 504, 599] { #expect(verdict(answer(status)) == .retry, "\(status)") }
    for status in [201, 202, 206, 302, 400, 401, 403, 404, 410, 418, 600] {
      #expect(verdict(answer(status)) == .refuse, "\(status)")
    }
    #expect(verdict(answer(200, ("Content-Type", "text/html"))) == .refuse)
  }

  @Test("the standard policy refuses all but 200 and 204")
  func standardVerdicts() {
    for status in [201, 302, 401, 403, 429, 500, 503] {
      #expect(
        ReconnectionPolicy.standard.verdict(on: answer(status), mode: .eventSource, hasCredentials: true)
          == .refuse)
    }
  }

  @Test("401 refreshes once, connects again, and a second 401 is signed out until credentials change")
  func unauthorized() {
    var machine = makeConnectingMachine(.resilient, hasCredentials: true)
    #expect(
      machine.responseReceived(answer(401), generation: 1, at: at(0)) == [
        .cancel(generation: 1), .deliver(.error(EventSourceError(.badStatus))),
        .publishState(.suspended(.refreshingCredentials)), .refreshCredentials(generation: 1),
      ])
    #expect(machine.credentialsRefreshed(true, generation: 0, at: at(1)) == [], "somebody else's refresh")
    #expect(
      machine.credentialsRefreshed(true, generation: 1, at: at(1)) == [
        .publishState(.connecting), .connect(request(), generation: 2),
      ])
    let second = machine.responseReceived(answer(401), generation: 2, at: at(2))
    #expect(second.last == .publishState(.suspended(.signedOut)))
    #expect(!second.contains(.refreshCredentials(generation: 2)))
    #expect(machine.networkLost(at: at(3)) + machine.networkRestored(at: at(4)) == [])
    #expect(machine.enteredBackground(at: at(3)) + machine.enteredForeground(at: at(4)) == [])
    #expect(machine.credentialsChanged(at: at(5)).connects.count == 1)
  }

  @Test("an accepted response makes the next 401 worth a refresh again")
  func laterUnauthorized() {
    var machine = makeConnectingMachine(.resilient, hasCredentials: true)
    _ = machine.responseReceived(answer(401), generation: 1, at: at(0))
    _ = machine.credentialsRefreshed(true, generation: 1, at: at(1))
    _ = machine.responseReceived(accepted, generation: 2, at: at(2))
    _ = machine.connectionEnded(.complete, generation: 2, at: at(60))
    _ = machine.timerFired(.reconnect, generation: 2, at: at(90))
    let actions = machine.responseReceived(answer(401), generation: 3, at: at(91))
    #expect(actions.contains(.refreshCredentials(generation: 3)))
  }

  @Test("a refresh that fails is signed out; one that was overtaken by new credentials is forgotten")
  func refreshOutcomes() {
    var failed = makeConnectingMachine(.resilient, hasCredentials: true)
    _ = failed.responseReceived(answer(401), generation: 1, at: at(0))
    #expect(
      failed.credentialsRefreshed(false, generation: 1, at: at(1)) == [.publishState(.suspended(.signedOut))])
    var overtaken = makeConnectingMachine(.resilient, hasCredentials: true)
    _ = overtaken.responseReceived(answer(401), generation: 1, at: at(0))
    #expect(overtaken.credentialsChanged(at: at(1)).connects.count == 1)
    #expect(overtaken.credentialsRefreshed(false, generation: 1, at: at(2)) == [])
    #expect(overtaken.state == .connecting)
  }

  @Test("403 is blocked until credentials change; the foreground asks again only if told to")
  func forbidden() {
    var machine = makeConnectingMachine(.resilient, hasCredentials: true)
    #expect(
      machine.responseReceived(answer(403), generation: 1, at: at(0)) == [
        .cancel(generation: 1), .deliver(.error(EventSourceError(.badStatus))),
        .publishState(.suspended(.blocked)),
      ])
    #expect(machine.enteredBackground(at: at(1)) + machine.enteredForeground(at: at(2)) == [])
    #expect(machine.credentialsChanged(at: at(3)).connects.count == 1)
    var asked = makeConnectingMachine(.resilient, hasCredentials: true, foregroundUnblocks: true)
    _ = asked.responseReceived(answer(403), generation: 1, at: at(0))
    _ = asked.enteredBackground(at: at(1))
    #expect(asked.enteredForeground(at: at(2)).connects.count == 1)
  }

  @Test(
    "Retry-After in seconds and as each kind of date",
    arguments: [
      "120", "Sun, 06 Nov 1994 08:51:37 GMT", "Sunday, 06-Nov-94 08:51:37 GMT", "Sun Nov  6 08:51:37 1994",
    ])
  func retryAfter(_ value: String) {
    for status in [429, 503] {
      var byClock = makeConnectingMachine(.resilient)
      let response = answer(status, ("Retry-After", value))
      let delay = byClock.responseReceived(
        response, generation: 1, at: at(0, jitter: 0, unixTime: 784_111_777)
      ).reconnectDelay
      #expect(delay == .seconds(120))
      var byServer = makeConnectingMachine(.resilient)
      let dated = answer(status, ("Retry-After", value), ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"))
      #expect(
        byServer.responseReceived(dated, generation: 1, at: at(0, jitter: 0, unixTime: 999_999_999))
          .reconnectDelay == .seconds(120), "the server's own clock counts")
    }
  }

  @Test("jitter lengthens what the server asked for by up to a tenth, and never shortens it")
  func jitter() {
    let response = answer(503, ("Retry-After", "100"))
    for jitter in [0, 0.25, 0.999] {
      var machine = makeConnectingMachine(.resilient)
      let delay = machine.responseReceived(response, generation: 1, at: at(0, jitter: jitter)).reconnectDelay
      #expect(delay.map { $0 >= .seconds(100) && $0 < .seconds(110.01) } == true)
    }
    var asked = makeOpenMachine(.resilient)
    _ = asked.bytesReceived("retry: 5000\n".utf8, generation: 1, at: at(0))
    #expect(asked.connectionEnded(.reset, generation: 1, at: at(0, jitter: 0)).reconnectDelay == .seconds(5))
  }

  @Test("neither the network's return nor the foreground comes before what the server asked for")
  func askedWaitHolds() {
    var machine = makeConnectingMachine(.resilient)
    _ = machine.responseReceived(answer(503, ("Retry-After", "60")), generation: 1, at: at(0, jitter: 0))
    #expect(
      machine.networkLost(at: at(1)) == [.unschedule(.reconnect), .publishState(.suspended(.offline))])
    #expect(
      machine.networkRestored(at: at(2)) == [
        .publishState(.reconnecting(at: .seconds(60))),
        .schedule(.reconnect, at: .seconds(60), generation: 1),
      ])
    _ = machine.enteredBackground(at: at(3))
    #expect(machine.enteredForeground(at: at(61)).connects.count == 1)
  }

  @Test("without a wish the wait is full jitter under a doubling ceiling, and 100 ms at least")
  func backoff() {
    let policy = ReconnectionPolicy.resilient
    let ceilings = [1, 2, 4, 8, 16, 30, 30, 30]
    for (index, ceiling) in ceilings.enumerated() {
      let wait = policy.wait(failures: index + 1, retry: nil, retryAfter: nil, jitter: 0.999)
      #expect(wait.delay > .seconds(ceiling) * 0.99 && wait.delay < .seconds(ceiling))
      #expect(
        policy.wait(failures: index + 1, retry: nil, retryAfter: nil, jitter: 0).delay >= .milliseconds(100))
    }
  }

  @Test(
    "the floor doubles under connections that bring nothing, up to the ceiling",
    arguments: [
      ReconnectionPolicy.standard, .resilient,
    ])
  func floor(_ policy: ReconnectionPolicy) {
    let delays = (1...12).map { policy.wait(failures: $0, retry: 0, retryAfter: nil, jitter: 0).delay }
    #expect(
      delays.prefix(5) == [
        .milliseconds(100), .milliseconds(100), .milliseconds(200), .milliseconds(400), .milliseconds(800),
      ])
    #expect(delays.last == .seconds(30))
  }

  @Test("a huge wish is cut to a year, not overflowed")
  func hugeWish() {
    for policy in [ReconnectionPolicy.standard, .resilient] {
      let wait = policy.wait(failures: .max, retry: .max, retryAfter: .seconds(Int64.max), jitter: 0.9)
      #expect(wait.delay == .seconds(365 * 86_400))
    }
  }

  @Test("an event or five seconds make a connection healthy, and the count begins anew")
  func healthy() {
    func failuresAfter(_ live: (inout Machine) -> Void, endingAt seconds: Double) -> Int {
      var machine = makeConnectingMachine(.resilient)
      for generation in 1...3 {
        _ = machine.connectionEnded(.reset, generation: generation, at: at(0))
        _ = machine.timerFired(.reconnect, generation: generation, at: at(100))
      }
      _ = machine.responseReceived(accepted, generation: 4, at: at(100))
      live(&machine)
      _ = machine.connectionEnded(.reset, generation: 4, at: at(seconds))
      return machine.failures
    }
    #expect(failuresAfter({ _ in }, endingAt: 101) == 4)
    #expect(failuresAfter({ _ in }, endingAt: 105) == 1)
    #expect(
      failuresAfter({ _ = $0.bytesReceived("data: a\n\n".utf8, generation: 4, at: at(100)) }, endingAt: 101)
        == 1)
    #expect(
      failuresAfter({ _ = $0.bytesReceived(": hi\n\n".utf8, generation: 4, at: at(100)) }, endingAt: 101) == 4
    )
  }
}
