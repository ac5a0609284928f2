// `wiretape record`: a live stream, or standard input, onto a cassette. What is recorded is RecordingSession's
// business; this file says what to connect to, when to stop, and what to tell.

import EventCassettes
import EventSourceURLSession
import ServerSentEvents

enum RecordVerb {
  static let output = Option.file("-o", "--output", help: "The cassette to write, such as events.cassette.")
  static let reconnect = Option.flag(
    "--reconnect", help: "Reconnects like a client; the whole session goes on one cassette.")
  static let level = Option.number(
    "--level", value: "0…9", in: 0...9, help: "How hard to compress; 6 unless given.")
  static let force = Option.flag("--force", help: "Overwrites the file if it exists.")
  static let labels = Option.pair(
    "--label", repeats: true, help: "Puts a label on the cassette, such as build=42. Repeatable.")

  static let verb = Verb(
    name: "record",
    summary: "Record a live stream onto a cassette",
    discussion: """
      Connects to an event stream and records every chunk as it is delivered, with its time, until the stream ends, a \
      limit is reached or a signal comes (Ctrl-C finishes the cassette). Any answer is recorded, also an error. With \
      “-” as URL it records standard input.
      """,
    positionals: [
      Positional(name: "URL", completion: .none, help: "An http or https URL, or “-” for standard input.")
    ],
    options: [output.row.required] + ConnectionOptions.request + [
      reconnect.row, ConnectionOptions.policy.row,
    ]
      + ConnectionOptions.limits + [level.row, force.row, labels.row] + RedactionOptions.all,
    notes: [
      .policies, .redaction,
      Verb.Note(
        heading: "Headers",
        text: """
          Accept: text/event-stream, Cache-Control: no-cache and Accept-Encoding: identity are sent unless -H says \
          otherwise.
          """),
    ],
    stopsInOrder: true,
    examples: [
      "wiretape record http://127.0.0.1:8080/events -o events.cassette --max-events 10",
      "wiretape record http://127.0.0.1:8080/events -o session.cassette --reconnect --max-duration 5",
      "printf 'data: hello\\n\\n' | wiretape record - -o piped.cassette",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    guard let path = arguments[output] else {
      throw CommandError.usage(of: "record", "-o FILE is missing: where shall the cassette go?")
    }
    let source = arguments.positionals[0]
    let isPipe = source == "-"
    let reconnects = arguments.has(reconnect)
    var request =
      isPipe ? try pipeRequest(arguments) : try ConnectionOptions.makeRequest(to: source, arguments, context)
    // What must not reach the disk must not reach a stranger.
    request.credentialHeaders = arguments.all(RedactionOptions.headers)
    let policy = ConnectionOptions.makePolicy(arguments)
    let session = try RecordingSession(
      creating: path, overwriting: arguments.has(force), level: arguments[level] ?? 6,
      header: Cassette.Header(
        recorder: "wiretape \(Wiretape.version)",
        recordedAt: Cassette.Header.timestamp(unixSeconds: context.wallClock()),
        labels: Dictionary(arguments.all(labels).map { ($0.name, $0.value) }) { $1 },
        client: Cassette.Client(
          mode: reconnects ? "eventSource" : "oneShot", policy: policy.rules.rawValue,
          initialRetryMs: milliseconds(policy.initialDelay))),
      redaction: try RedactionOptions.rules(arguments, of: "record"),
      maxEvents: arguments[ConnectionOptions.maxEvents],
      maxBytes: arguments[ConnectionOptions.maxBytes], endsWithoutAnswer: !reconnects, clock: context.clock)
    let credit = ReceivingCredit(limit: 1 << 20)
    let inputFailure = InputFailure()
    let noAnswer = MissingAnswer(output: context.diagnostics)
    let transport = ObservedTransport(
      base: isPipe
        ? StandardInputTransport(
          input: context.input, clock: context.clock, credit: credit, failure: inputFailure)
        : network(context, credit),
      clock: context.clock, idleTimeout: arguments[ConnectionOptions.idleTimeout],
      began: { await session.begin($0, at: $1) },
      observed: { fact in
        let verdict = await session.take(fact)
        if reconnects { try? await noAnswer.tell(fact.fact, of: session) }
        if case .bytes(let bytes) = fact.fact { credit.refund(bytes.count) }
        return verdict
      })
    let id = arguments[ConnectionOptions.lastEventID] ?? ""
    let wallClock = context.wallClock
    let line = LiveLine(context)
    let watching = Task { await line?.run { LiveLine.text(await session.progress, elapsed: $0) } }
    let reason = try await runUntilStopped(in: context, maxDuration: arguments[ConnectionOptions.maxDuration])
    { [request] stop in
      await session.whenOver(stop)
      if reconnects {
        let client = EventSource(
          request, configuration: EventSourceConfiguration(policy: policy, lastEventID: id),
          environment: EventSourceEnvironment(
            transport: transport, clock: context.clock, unixTime: { wallClock() }))
        for await _ in client.signals {}
      } else {
        var request = request
        if !id.isEmpty, request.headers["Last-Event-ID"] == nil {
          request.headers.append(HeaderField("Last-Event-ID", id))
        }
        for await _ in transport.connect(request) {}
      }
    }
    watching.cancel()
    await watching.value
    if let error = inputFailure.error { try await conclude(session, error) }
    return try await conclude(session, reason, path, source, context)
  }

  /// The network, held back where the disk is slower. A transport of another kind goes at its own pace.
  private static func network(
    _ context: CommandContext, _ credit: ReceivingCredit
  ) -> any EventStreamTransport {
    let transport = context.transport()
    return (transport as? any HeldBackTransport)?.heldBack(by: credit) ?? transport
  }

  /// A pipe can't be asked for anything.
  private static func pipeRequest(_ arguments: Arguments) throws -> EventStreamRequest {
    for row in ConnectionOptions.request + [reconnect.row, ConnectionOptions.policy.row]
    where arguments.values[row.name] != nil {
      throw CommandError.usage(of: "record", "\(row.name) needs a URL; standard input can only be read")
    }
    return StandardInputTransport.request
  }

  /// Ends a recording whose input failed: what came before is kept.
  private static func conclude(_ session: RecordingSession, _ failure: CommandError) async throws -> Never {
    var failure = failure
    if await session.progress.chunks > 0 {
      do { try await session.finish() } catch let error as CassetteError {
        throw CommandError(keeping: error)
      }
      failure.next = "What was read until then is on the cassette."
    } else {
      await session.discard()
    }
    throw failure
  }

  /// What helps where no answer came.
  private static func advice(after cause: ConnectionEnd?) -> String {
    switch cause {
    case .tls:
      "The server was reached: check its certificate, the name in the URL, and whether it serves https."
    case .protocol, .reset, .truncated:
      "The server was reached: check whether this scheme and port are right, and look into its log."
    default: "Check the URL, and that the server runs and can be reached from here."
    }
  }

  private static func conclude(
    _ session: RecordingSession, _ reason: StopReason, _ path: String, _ source: String,
    _ context: CommandContext
  ) async throws -> ExitCode {
    let hasFailed = await session.failure != nil
    // A pipe's answer is made up: until a byte came, nothing was recorded.
    let seen = await session.progress
    if source == "-" ? reason != .signal || seen.chunks > 0 : seen.hasAnswer || hasFailed {
      do { try await session.finish() } catch let error as CassetteError {
        throw CommandError(keeping: error)
      }
    } else {
      await session.discard()
      guard reason != .signal else {
        throw CommandError(
          .interrupted, "interrupted before anything was recorded; no file was written", next: "")
      }
      let end = await session.progress.lastEnd
      let why = end.map { printable($0.cause.words($0.detail)) }
      throw CommandError(
        .unavailable, "\(source): no answer (\(why ?? "time was up")); no file was written",
        next: advice(after: end?.cause))
    }
    let progress = await session.progress
    for answer in progress.oddAnswers.prefix(3) {
      try context.diagnostics.line(
        "wiretape record: warning: \(printable(answer)): recorded as it came, but it is no event stream")
    }
    if let warning = RedactionOptions.warning(of: await session.redaction) {
      try context.diagnostics.line("wiretape record: warning: " + warning)
    }
    let ended =
      reason == .ended
      ? progress.lastEnd.map { ", ended: " + printable($0.cause.words($0.detail)) } ?? ""
      : ", stopped: \(reason.name)"
    try context.diagnostics.line(
      "wiretape record: \(printable(path)): \(counted(progress.exchanges, "exchange")), "
        + "\(counted(progress.chunks, "chunk")), \(sizeText(progress.bytes)), \(counted(progress.events, "event"))\(ended)"
    )
    return .success
  }
}

/// Says once that a server doesn't answer, which a client that reconnects would try again and again without a word.
private actor MissingAnswer {
  private let output: CommandOutput
  private var isTold = false

  init(output: CommandOutput) { self.output = output }

  func tell(_ fact: EventStreamTransportFact, of session: RecordingSession) async throws {
    guard case .ended(let cause, let detail) = fact, !isTold, await !session.progress.hasAnswer else {
      return
    }
    isTold = true
    try output.line(
      "wiretape record: no answer yet (\(printable(cause.words(detail)))); trying again"
    )
  }
}
