// Short ways to a state machine in the state that a test wants, and to the moments and texts it needs.

@testable import ServerSentEvents

typealias Machine = EventSourceStateMachine

func makeMachine(
  _ policy: ReconnectionPolicy = .standard, mode: EventSourceConfiguration.Mode = .eventSource,
  headers: [HeaderField] = [], idleTimeout: Duration? = nil, limits: EventStreamParser.Limits = .default,
  buffer: EventSourceConfiguration.Buffer = .init(), delivery: EventSourceConfiguration.Delivery = .events,
  lastEventID: String = "", hasCredentials: Bool = false, foregroundUnblocks: Bool = false
) -> Machine {
  Machine(
    EventStreamRequest(url: "http://host/", headers: headers),
    configuration: EventSourceConfiguration(
      mode: mode, policy: policy, idleTimeout: idleTimeout, limits: limits, buffer: buffer,
      delivery: delivery,
      lastEventID: lastEventID, hasCredentials: hasCredentials, foregroundUnblocks: foregroundUnblocks))
}

/// Started at 0: connecting with generation 1.
func makeConnectingMachine(
  _ policy: ReconnectionPolicy = .standard, mode: EventSourceConfiguration.Mode = .eventSource,
  idleTimeout: Duration? = nil, buffer: EventSourceConfiguration.Buffer = .init(),
  hasCredentials: Bool = false,
  foregroundUnblocks: Bool = false
) -> Machine {
  var machine = makeMachine(
    policy, mode: mode, idleTimeout: idleTimeout, buffer: buffer, hasCredentials: hasCredentials,
    foregroundUnblocks: foregroundUnblocks)
  _ = machine.start(at: at(0))
  return machine
}

/// Started and answered at 0: open with generation 1.
func makeOpenMachine(
  _ policy: ReconnectionPolicy = .standard, mode: EventSourceConfiguration.Mode = .eventSource,
  idleTimeout: Duration? = nil, buffer: EventSourceConfiguration.Buffer = .init(),
  hasCredentials: Bool = false
) -> Machine {
  var machine = makeConnectingMachine(
    policy, mode: mode, idleTimeout: idleTimeout, buffer: buffer, hasCredentials: hasCredentials)
  _ = machine.responseReceived(accepted, generation: 1, at: at(0))
  return machine
}

/// A moment, in seconds.
func at(_ seconds: Double, jitter: Double = 0.5, unixTime: Int64? = nil) -> Machine.Moment {
  Machine.Moment(now: .seconds(seconds), jitter: jitter, unixTime: unixTime)
}

let accepted = EventStreamResponse(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])

func answer(_ status: Int, _ headers: (String, String)...) -> EventStreamResponse {
  EventStreamResponse(status: status, headers: headers.map { HeaderField($0, $1) })
}

func request(lastEventID: String? = nil) -> EventStreamRequest {
  var headers = [HeaderField("Accept", "text/event-stream"), HeaderField("Cache-Control", "no-cache")]
  if let lastEventID { headers.append(HeaderField("Last-Event-ID", lastEventID)) }
  return EventStreamRequest(url: "http://host/", headers: headers)
}

func event(_ data: String, id: String? = nil, lastEventID: String? = nil) -> ServerSentEvent {
  ServerSentEvent(data: data, id: id, lastEventID: lastEventID)
}

extension [Machine.Action] {
  var deliveries: [EventSourceSignal] {
    compactMap { if case .deliver(let signal) = $0 { signal } else { nil } }
  }
  var events: [ServerSentEvent] {
    deliveries.compactMap { if case .event(let event) = $0 { event } else { nil } }
  }
  var connects: [EventStreamRequest] {
    compactMap { if case .connect(let request, _) = $0 { request } else { nil } }
  }
  var reconnectDelay: Duration? {
    for case .reconnecting(let delay) in deliveries { return delay }
    return nil
  }
}
