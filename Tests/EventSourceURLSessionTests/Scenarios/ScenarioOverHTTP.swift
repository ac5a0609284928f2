// Plays a scenario over real HTTP on loopback: the scripted server, URLSession, and the event source's own driver on the
// system's clock. The only waiting is what the scenario itself takes.

import EventCassetteServer
import EventSourceURLSession
import Foundation
import ServerSentEvents

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct ScenarioOverHTTP {
  /// Long enough for a machine that builds three other things meanwhile, with all other tests beside this one.
  private static let patience = Duration.seconds(300)

  static func play(_ scenario: Scenario) async throws -> Observation {
    let clock = SystemEventStreamClock()
    let server = try LoopbackServer(responses: scenario.responses.map(script))
    let source = EventSource(
      scenario.request(to: server.url("/")), configuration: scenario.configuration,
      environment: .urlSession(URLSessionEventStreamTransport(configuration: .ephemeral)))
    let witness = Witness()

    let listener = Task {
      var events = 0
      signals: for await signal in source.signals {
        await witness.note(signal)
        switch signal {
        case .open: if scenario.client.closeOnOpen == true { break signals }
        case .event:
          events += 1
          if events == scenario.client.closeAfterEvents { break signals }
        case .comment, .dropped, .gap, .error, .reconnecting, .closed: break
        }
      }
      await witness.closed(at: clock.now)
    }
    let start = clock.now
    func look() async -> Observation {
      var seen = await witness.seen
      seen.state = await source.state
      let exchanges = await server.exchanges
      for (index, exchange) in exchanges.enumerated() {
        let previousEnd = index > 0 ? exchanges[index - 1].endedAt : nil
        seen.requests.append(
          Observation.Request(
            path: exchange.request.target, fields: exchange.request.fields.map { ($0.name, $0.bytes) },
            after: previousEnd.map { exchange.receivedAt - $0 }))
      }
      if let closedAt = await witness.closedAt, let last = exchanges.last, let sawAt = last.clientClosedAt {
        seen.closeSeenAfter = max(sawAt - closedAt, .zero)
      }
      return seen
    }
    func look(until isDone: (Observation) -> Bool) async throws {
      while !isDone(await look()), clock.now - start < patience {
        try await clock.sleep(until: clock.now + .milliseconds(10))
      }
    }
    if let milliseconds = scenario.client.closeAfterMs {
      // Not before what is to be closed is there: the machine may be slow, the scenario means "while idle".
      try await clock.sleep(until: start + .milliseconds(milliseconds))
      try await look(until: scenario.isSettledButForState)
      await source.close()
    }
    try await look(until: scenario.isSettled)
    try await clock.sleep(until: clock.now + .milliseconds(scenario.expect.observeMs))
    if scenario.expect.serverSeesCloseMs != nil {
      try await look { $0.closeSeenAfter != nil }
    }
    let seen = await look()
    listener.cancel()
    await listener.value
    await server.stop()
    return seen
  }

  private static func script(_ response: Scenario.Response) -> ScriptedResponse {
    let framing: ScriptedResponse.Framing =
      switch response.framing {
      case "chunked": .chunked
      case "length": .length(extra: response.lengthExtra ?? 0)
      default: .connection
      }
    let ending: ScriptedResponse.Ending =
      switch response.then {
      case .close: .close
      case .reset: .reset(after: .milliseconds(response.settleMs ?? 0))
      case .cut: .cut
      case .hang: .hang
      }
    let chunks = response.chunks.enumerated().map { index, bytes in
      ScriptedResponse.Chunk(
        bytes, delay: response.delay(ofChunk: index), times: response.times(ofChunk: index))
    }
    return ScriptedResponse(
      version: response.httpVersion == "1.0" ? .http10 : .http11, status: response.status,
      headers: response.fields, chunks: chunks, framing: framing, ending: ending)
  }

  private actor Witness {
    private(set) var seen = Observation()
    private(set) var closedAt: Duration?

    func note(_ signal: EventSourceSignal) { seen.note(signal) }
    func closed(at time: Duration) { closedAt = time }
  }
}
