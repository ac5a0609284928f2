// Beyond what was recorded: what if the connection had broken at any other byte? The client machine is a value, so the
// undisturbed run is made once, and each break starts from a copy of it. A model server resumes as the standard
// hopes: with the block after the event whose ID it is sent.

public import ServerSentEvents

/// Breaks a stream's connection after every byte, lets the client reconnect and a model server resume, and checks that
/// every event arrives once and in order.
public enum ResumeSweep {
  /// What a sweep says.
  public struct Report: Hashable, Sendable {
    /// How many places were tried.
    public var breaks = 0
    /// How many there are: before the first byte, and after each.
    public var possible = 0
    /// How many bytes were fed to clients.
    public var bytesFed = 0
    /// The first failure.
    public var finding: Finding?
    /// Why the stream can't be resumed by anybody, if it can't: an event has no ID of its own, or two share one.
    public var notApplicable: String?

    /// Whether every break that was tried lost and repeated nothing.
    public var passed: Bool { finding == nil && notApplicable == nil }
  }

  /// A break after which events were lost, repeated or out of order.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// After how many bytes of the body the connection broke.
    public let offset: Int
    /// The `Last-Event-ID` that the client sent then; empty for none; `nil` if it did not connect again.
    public let lastEventID: String?
    /// The number of the first event that is not right, from 1.
    public let event: Int
    /// What should have come, as a line of JSON; `nil` if nothing more.
    public let expected: String?
    /// What came; `nil` if nothing more.
    public let got: String?

    /// The whole of it in a sentence.
    public var description: String {
      let sent = lastEventID.map { $0.isEmpty ? "no Last-Event-ID" : "Last-Event-ID ‘\($0)’" } ?? "nothing"
      return
        "broken after byte \(offset), the client sent \(sent); event \(event): expected \(expected ?? "nothing more"), got \(got ?? "nothing more")"
    }
  }

  /// Sweeps over one body.
  ///
  /// - Parameters:
  ///   - body: a stream whose events all have IDs of their own.
  ///   - configuration: the client's; its mode is event source here, and its buffer is without bounds.
  ///   - budget: how many bytes may be fed; past it a seeded sample of the places is tried.
  ///   - seed: of the sample.
  public static func check(
    _ body: ExchangeBody, configuration: EventSourceConfiguration = EventSourceConfiguration(),
    budget: Int = 64 << 20, seed: UInt64 = 1
  ) -> Report {
    var report = Report()
    let bytes = body.bytes
    report.possible = bytes.count + 1
    let stream: ResumableStream
    do {
      stream = try ResumableStream(bytes, lastEventID: body.lastEventID, limits: configuration.limits)
    } catch {
      report.notApplicable = error.description
      return report
    }
    let events = stream.events

    var client = Client(body, configuration)
    let places = places(bytes.count, budget: budget, seed: seed)
    var fed = 0
    for place in places {
      client.feed(bytes[fed..<place])
      fed = place
      var broken = client
      broken.breakOff()
      report.breaks += 1
      if let id = broken.resumedAfter, let start = stream.start(after: id.utf8) {
        broken.feed(bytes[start...])
        report.bytesFed += bytes.count - start
      }
      if broken.events != events {
        let same = zip(broken.events, events).prefix { $0 == $1 }.count
        func line(_ events: [ServerSentEvent]) -> String? {
          same < events.count ? EventStreamParser.Output.event(events[same]).checkedJSON : nil
        }
        report.finding = Finding(
          offset: place, lastEventID: broken.resumedAfter, event: same + 1, expected: line(events),
          got: line(broken.events))
        break
      }
    }
    report.bytesFed += fed
    return report
  }

  private static func places(_ count: Int, budget: Int, seed: UInt64) -> [Int] {
    let affordable = budget / max(count, 1)
    if count + 1 <= affordable { return Array(0...count) }
    var generator = SplitMix64(seed: seed)
    var chosen: Set<Int> = [0, count]
    for _ in 0..<affordable { chosen.insert(Int(generator.next(below: UInt64(count + 1)))) }
    return chosen.sorted()
  }
}

/// The client's machine on a connection that answers at once; the consumer is as fast as can be.
private struct Client {
  private var machine: EventSourceStateMachine
  private var now: Duration = .zero
  private var timer: (at: Duration, generation: Int)?
  private var generation = 0
  private(set) var events: [ServerSentEvent] = []
  /// The `Last-Event-ID` of the second connection, once it is made.
  private(set) var resumedAfter: String?

  init(_ body: ExchangeBody, _ configuration: EventSourceConfiguration) {
    var configuration = configuration
    configuration.mode = .eventSource
    configuration.lastEventID = body.lastEventID
    configuration.buffer = EventSourceConfiguration.Buffer(events: .max, bytes: .max)
    configuration.delivery = .events
    machine = EventSourceStateMachine(
      EventStreamRequest(url: "http://127.0.0.1/"), configuration: configuration)
    perform(machine.start(at: moment))
  }

  private var moment: EventSourceStateMachine.Moment { .init(now: now) }

  mutating func feed(_ bytes: ArraySlice<UInt8>) {
    if !bytes.isEmpty { perform(machine.bytesReceived(bytes, generation: generation, at: moment)) }
  }

  mutating func breakOff() {
    perform(machine.connectionEnded(.reset, generation: generation, at: moment))
    guard let timer else { return }
    self.timer = nil
    now = timer.at
    perform(machine.timerFired(.reconnect, generation: timer.generation, at: moment))
  }

  private mutating func perform(_ actions: [EventSourceStateMachine.Action]) {
    for action in actions {
      switch action {
      case .connect(let request, let generation):
        if self.generation > 0 { resumedAfter = request.headers["Last-Event-ID"] ?? "" }
        self.generation = generation
        let head = EventStreamResponse(
          status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])
        perform(machine.responseReceived(head, generation: generation, at: moment))
      case .schedule(.reconnect, let at, let generation): timer = (at, generation)
      case .deliver(.event(let event)):
        events.append(event)
        perform(machine.eventConsumed(at: moment))
      case .deliver, .schedule, .unschedule, .cancel, .refreshCredentials, .publishState, .storeLastEventID,
        .stop:
        break
      }
    }
  }
}
