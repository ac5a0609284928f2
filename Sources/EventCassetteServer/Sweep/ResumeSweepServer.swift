// The resume sweep for clients in any language: a server that keeps the cassette's events, cuts connections one place
// after the other, and looks at what the client asks for when it comes back. What each connection gets is decided by
// `SweepSession`; this file sends it.

public import EventCassettes
public import ServerSentEvents

/// Cuts a client's connections until there was a cut after every byte of a stream, and resumes each time after the
/// `Last-Event-ID` that the client sends.
///
/// ```swift
/// let sweep = try ResumeSweepServer(cassette, options: .init(cuts: .byte))
/// for _ in 1...sweep.passes { /* let the client run on sweep.url, from no ID until it gets a 204 */ }
/// await sweep.stop()
/// #expect(sweep.report.passed, "\(sweep.report)")
/// ```
///
/// The stream is all finished blocks of the cassette's event streams; its events must have IDs of their own, for no
/// server could resume it otherwise. A run of the client is a pass: each of its connections begins after the event whose
/// ID it sent, and is cut so many bytes into the next one: none in the first pass, one in the second, and so on. So each
/// connection but the first brings an event, as clients want that wait the longer the less they get, and there are as
/// many passes as the longest event has bytes. At the end the stream ends properly; after it comes a 204, which ends an
/// event source. Cuts are ends of the TCP connection in the middle of the chunked body, so all bytes before them arrive.
///
/// What the server sees is the client's last event ID: an earlier one than that of the last complete event means that
/// events come twice, a later one that some are lost. What the client then makes of its events it can compare with the
/// cassette's itself.
public final class ResumeSweepServer: Sendable {
  /// Where connections are cut.
  public enum Cuts: String, Hashable, Sendable, CaseIterable {
    /// After every byte, in as many passes as the longest event has bytes.
    case byte
    /// Right before each event is complete, and right after it, in one pass.
    case event
  }

  /// How a sweep is made.
  public struct Options: Hashable, Sendable {
    /// The port, or 0 for any free one.
    public var port: UInt16
    /// Where connections are cut.
    public var cuts: Cuts
    /// The reconnection time that each connection begins with, as a `retry` field in the first block; `nil` to send
    /// none. Standard clients wait for three seconds each time otherwise.
    public var retry: Duration?

    /// Creates options.
    public init(port: UInt16 = 0, cuts: Cuts = .byte, retry: Duration? = .milliseconds(10)) {
      self.port = port
      self.cuts = cuts
      self.retry = retry
    }
  }

  /// What a sweep says so far.
  public struct Report: Hashable, Sendable, CustomStringConvertible {
    /// After how many cuts a client came back.
    public var breaks = 0
    /// How many cuts there are.
    public var possible = 0
    /// How many events the stream holds.
    public var events = 0
    /// Whether clients came back after each of them, and at the end of each pass, for a 204.
    public var isComplete = false
    /// What the clients did wrong.
    public var findings: [ResumeFinding] = []

    /// Whether the sweep was complete, and nothing was lost or repeated.
    public var passed: Bool { isComplete && findings.isEmpty }

    /// The report in a line, and one for each finding.
    public var description: String {
      let lost = findings.reduce(0) { $0 + $1.lost.count }
      let repeated = findings.reduce(0) { $0 + $1.repeated.count }
      let outcome =
        findings.isEmpty ? "nothing lost or repeated" : "\(lost) events lost, \(repeated) repeated"
      let end = isComplete ? "" : "; incomplete: the client did not come back for the rest"
      return
        (["\(breaks) of \(possible) cuts in a stream of \(events) events: \(outcome)\(end)"]
        + findings.map { "  \($0)" }).joined(separator: "\n")
    }
  }

  private let server: LoopbackServer
  private let state: Locked<SweepSessions>
  private let completion: AsyncStream<Void>

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - cassette: what is played.
  ///   - options: how.
  ///   - clock: the server's clock.
  ///   - onFinding: told of each finding at once, on the server's thread.
  /// - Throws: ``CassetteServerError`` for a cassette that can't be resumed, ``LoopbackServerError`` for a port that
  ///   can't be had.
  public init(
    _ cassette: Cassette, options: Options = Options(),
    clock: any EventStreamClock = SystemEventStreamClock(),
    onFinding: @escaping @Sendable (ResumeFinding) -> Void = { _ in }
  ) throws {
    let stream = try Self.stream(of: cassette)
    let passes = Self.passes(over: stream, options.cuts)
    self.passes = passes.count
    let state = Locked(SweepSessions(stream: stream, passes: passes))
    self.state = state
    let (completion, continuation) = AsyncStream.makeStream(of: Void.self)
    self.completion = completion
    let retry = options.retry.map { Array("retry: \($0.milliseconds)\n".utf8) } ?? []
    server = try LoopbackServer(port: options.port, clock: clock) { request, response in
      if let refusal = request.refusal { return try await response.send(refusal) }
      let asked = ReplayRequest(request, peer: response.connection.peer)
      let (turn, isComplete) = state.withLock { ($0.begin(asked), $0.report.isComplete) }
      guard let turn else {
        try await response.send(ScriptedResponse(status: 204))
        if isComplete { continuation.finish() }
        return
      }
      if let finding = turn.finding { onFinding(finding) }
      let headers = [
        HeaderField("Content-Type", "text/event-stream"), HeaderField("Cache-Control", "no-store"),
      ]
      try await response.send(
        ScriptedResponse(
          version: request.version, headers: headers, chunks: [.init(retry + stream.bytes[turn.part])],
          framing: request.version == .http11 ? .chunked : .connection,
          ending: turn.isLast ? .close : .cut))
    }
  }

  private static func stream(of cassette: Cassette) throws -> ResumableStream {
    do throws(NotResumable) {
      let stream = try ResumableStream(cassette.joinedBlocks)
      if !stream.events.isEmpty { return stream }
      throw NotResumable(description: "there is no event in it")
    } catch {
      throw CassetteServerError(
        code: .notResumable,
        description:
          "no server can resume this session: \(error.description); a sweep needs a session whose events have IDs of their own"
      )
    }
  }

  /// The places of each pass, ascending; the last of each is the stream's end.
  private static func passes(over stream: ResumableStream, _ cuts: Cuts) -> [[Int]] {
    let count = stream.bytes.count
    switch cuts {
    case .byte:
      let starts = stream.starts
      let blocks = zip(starts, starts.dropFirst() + [count]).map { $0..<$1 }
      return (0..<(blocks.map(\.count).max() ?? 0)).map { pass in
        blocks.filter { pass < $0.count }.map { $0.lowerBound + pass } + [count]
      }
    case .event:
      let around = stream.ends.flatMap { [$0 - 1, $0] }
      return [around.last == count ? around : around + [count]]
    }
  }

  /// How many passes there are, each a run of the client.
  public let passes: Int
  /// The port that it listens on.
  public var port: UInt16 { server.port }
  /// The address of the event stream. Any other path has it too.
  public var url: String { server.url("/events") }
  /// What the sweep says so far.
  public var report: Report { state.withLock { $0.report } }

  /// Waits until all passes are over.
  public func completed() async {
    for await _ in completion {}
  }

  /// Closes all connections and returns when everything is gone.
  public func stop() async { await server.stop() }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000
  }
}
