// `wiretape listen`: the client as a command. It connects, reconnects and prints what the event source signals; nothing
// is decided here but when to stop.

import ServerSentEvents

enum ListenVerb {
  static let oneShot = Option.flag("--one-shot", help: "Makes one connection; its end is the end.")
  static let initialRetry = Option.milliseconds(
    "--initial-retry", help: "The reconnection time until the server sends one.")
  static let maxEventBytes = Option.number(
    "--max-event-bytes", help: "Gives up on an event with more bytes of data than this.")
  static let json = Option.flag("--json", help: "Prints one JSON object a line.")

  static let verb = Verb(
    name: "listen",
    summary: "Connect like a browser’s EventSource and print the events",
    discussion: """
      Connects to an event stream and prints its events as they come. It reconnects as an EventSource does, with \
      Last-Event-ID and the server’s reconnection time, until the server answers 204, an answer is fatal, a limit is \
      reached or a signal comes (exit 0, or 69 after a fatal answer).
      """,
    positionals: [Positional(name: "URL", completion: .none, help: "An http or https URL.")],
    options: ConnectionOptions.request + [oneShot.row, ConnectionOptions.policy.row, initialRetry.row]
      + ConnectionOptions.limits + [maxEventBytes.row, json.row],
    notes: [
      .policies,
      Verb.Note(
        heading: "JSON lines",
        text: """
          {"kind":"open"} for each accepted response.
          {"kind":"event","type","data","lastEventId","id"}
          {"kind":"comment","comment"}
          {"kind":"error","error","status"} for each connection that ends other than by our own closing; after it
          {"kind":"reconnecting","delayMs"} or {"kind":"closed","reason"}.
          """),
    ],
    stopsInOrder: true,
    examples: [
      "wiretape listen http://127.0.0.1:8080/events",
      "wiretape listen --json --max-events 10 http://127.0.0.1:8080/events",
      "wiretape listen --one-shot -d '{\"stream\":true}' http://127.0.0.1:8080/chat",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let request = try ConnectionOptions.makeRequest(to: arguments.positionals[0], arguments, context)
    var configuration = EventSourceConfiguration(
      mode: arguments.has(oneShot) ? .oneShot : .eventSource, policy: ConnectionOptions.makePolicy(arguments),
      idleTimeout: arguments[ConnectionOptions.idleTimeout], delivery: .signals,
      lastEventID: arguments[ConnectionOptions.lastEventID] ?? "")
    if let delay = arguments[initialRetry] { configuration.policy.initialDelay = delay }
    if let most = arguments[maxEventBytes] { configuration.limits.event = most }
    let limit = ByteLimit(arguments[ConnectionOptions.maxBytes], configuration)
    let transport = ObservedTransport(base: context.transport(), clock: context.clock) {
      await limit.take($0.fact)
    }
    let wallClock = context.wallClock
    let source = EventSource(
      request, configuration: configuration,
      environment: EventSourceEnvironment(
        transport: transport, clock: context.clock, unixTime: { wallClock() }))
    let printer = SignalPrinter(json: arguments.has(json), output: context.output)
    let maxEvents = arguments[ConnectionOptions.maxEvents]
    let reason = try await runUntilStopped(in: context, maxDuration: arguments[ConnectionOptions.maxDuration])
    { stop in
      await limit.whenReached { stop(.maxBytes) }
      for await signal in source.signals {
        let delivered = try await printer.print(signal)
        if let maxEvents, delivered.events >= maxEvents { return stop(.maxEvents) }
        await limit.printed(delivered.signals)
      }
    }
    return try await printer.finish(reason, url: request.url)
  }
}

extension Verb.Note {
  /// The two policies.
  static let policies = Verb.Note(
    heading: "Policies",
    text: """
      standard: as the WHATWG text says, 200 with the right type, or 204, or fatal; network errors and ends reconnect.
      resilient: by cause: 429, 503 and other 5xx are tried again too, with Retry-After or growing delays with jitter.
      """)
}

/// Prints signals and remembers how it ended.
private actor SignalPrinter {
  private let json: Bool
  private let output: CommandOutput
  private var events = 0
  private var signals = 0
  private var lastError: EventSourceError?
  private var closed: EventSourceCloseReason?

  init(json: Bool, output: CommandOutput) {
    self.json = json
    self.output = output
  }

  /// Prints a signal; returns how many events and how many signals with bytes of the stream there were so far.
  func print(_ signal: EventSourceSignal) throws -> (events: Int, signals: Int) {
    switch signal {
    case .event:
      events += 1
      signals += 1
    case .comment, .dropped: signals += 1
    case .error(let error): lastError = error
    case .closed(let reason): closed = reason
    case .open, .gap, .reconnecting: break
    }
    if signal != .closed(.cancelled) { try output.lines(json ? [signal.json] : signal.text) }
    return (events, signals)
  }

  /// Prints why it is over, where the event source did not, and says what to exit with.
  func finish(_ reason: StopReason, url: String) throws -> ExitCode {
    guard reason == .ended, let closed, closed != .cancelled else {
      var line = JSONLine()
      line.add("kind", "closed")
      line.add("reason", reason == .ended ? StopReason.signal.name : reason.name)
      try output.line(
        json ? line.closed : "closed · \(reason == .ended ? StopReason.signal.name : reason.name)")
      return .success
    }
    switch closed {
    case .noContent, .cancelled: return .success
    case .oneShot where lastError == nil || lastError?.code == .streamEnded || lastError?.code == .noContent:
      return .success
    case .oneShot, .fatalResponse:
      throw CommandError(
        .unavailable, "\(url): \(lastError?.description ?? "the answer was fatal")",
        next: lastError?.code == .limitExceeded
          ? "--max-event-bytes allows an event more data; “wiretape record” keeps such a stream to look at."
          : lastError?.status == nil
            ? "" : "“wiretape record” keeps such an answer on a cassette to look at.")
    }
  }
}

/// Counts the bytes of streams, and knows after which signal the limit was passed: the driver works through a chunk on
/// its own time, and what the chunk completed shall still be printed.
private actor ByteLimit {
  private let limit: Int?
  private let configuration: EventSourceConfiguration
  private var parser: EventStreamParser
  private var bytes = 0
  private var signals = 0
  private var printed = 0
  private var isPassed = false
  private var stop: (@Sendable () -> Void)?

  init(_ limit: Int?, _ configuration: EventSourceConfiguration) {
    self.limit = limit
    self.configuration = configuration
    parser = EventStreamParser(limits: configuration.limits)
  }

  func take(_ fact: EventStreamTransportFact) -> ObservedTransport.Verdict {
    guard let limit else { return .goOn }
    switch fact {
    case .bytes(let chunk):
      bytes += chunk.count
      for output in parser.append(chunk) {
        switch output {
        case .event, .comment, .dropped: signals += 1
        case .retry, .failed: break
        }
      }
      isPassed = bytes >= limit
      stopIfReached()
      return isPassed ? .hold : .goOn
    case .response: parser = EventStreamParser(limits: configuration.limits)
    case .redirect, .ended: break
    }
    return .goOn
  }

  func whenReached(_ stop: @escaping @Sendable () -> Void) { self.stop = stop }

  func printed(_ count: Int) {
    printed = count
    stopIfReached()
  }

  private func stopIfReached() { if isPassed, printed >= signals { stop?() } }
}
