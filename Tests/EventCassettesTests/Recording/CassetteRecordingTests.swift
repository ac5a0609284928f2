import ServerSentEvents
import Testing

@testable import EventCassettes

/// A transport that plays a script; what it is asked for it gives, and nothing after the script's end.
private struct ScriptedTransport: EventStreamTransport {
  var facts: [StampedTransportFact]
  var staysOpen = false

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    AsyncStream { continuation in
      for fact in facts { continuation.yield(fact) }
      if !staysOpen { continuation.finish() }
    }
  }
}

/// Time that stands where the test puts it; who sleeps sleeps until cancelled.
private struct StandingClock: EventStreamClock {
  var now: Duration
  func sleep(until deadline: Duration) async throws {
    let (never, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}
    throw CancellationError()
  }
}

@Suite struct CassetteRecordingTests {
  private let script = [
    StampedTransportFact(at: .milliseconds(10), .response(EventStreamResponse(status: 200))),
    StampedTransportFact(at: .milliseconds(20), .bytes(Array("data: 1\n\n".utf8))),
    StampedTransportFact(at: .milliseconds(30), .ended(.complete, detail: "")),
  ]

  private func makeRecording() throws -> CassetteRecording {
    try CassetteRecording(inMemory: Samples.header, clock: StandingClock(now: .milliseconds(5)))
  }

  @Test("the app sees every fact, and the cassette holds them with lifecycle notes between")
  func transport() async throws {
    let recording = try makeRecording()
    let transport = recording.transport(around: ScriptedTransport(facts: script))
    for _ in 0..<2 {
      var seen: [StampedTransportFact] = []
      for await fact in transport.connect(EventStreamRequest(url: "http://h/e")) { seen.append(fact) }
      #expect(seen == script)
      await recording.note(.background, ["scene": .integer(1)])
    }
    try await recording.finish()
    let cassette = try await Cassette(bytes: recording.bytes)
    #expect(cassette.isFinished)
    #expect(cassette.exchanges.count == 2)
    #expect(
      cassette.exchanges.allSatisfy { $0.body == Array("data: 1\n\n".utf8) && $0.end?.cause == .complete })
    #expect(cassette.exchanges[0].response?.delay == 5_000)
    #expect(cassette.notes.map(\.note.event) == [.background, .background])
  }

  @Test("a connection that the app drops is recorded as cancelled")
  func dropped() async throws {
    let recording = try makeRecording()
    let transport = recording.transport(
      around: ScriptedTransport(facts: Array(script.prefix(2)), staysOpen: true))
    let app = Task {
      for await fact in transport.connect(EventStreamRequest(url: "u")) {
        if case .bytes = fact.fact { break }
      }
    }
    await app.value
    // The end is told once the connection inside has ended: the next connection or the finish comes after it.
    try await recording.finish()
    let cassette = try await Cassette(bytes: recording.bytes)
    #expect(cassette.exchanges.map { $0.end?.cause } == [.cancelled])
    #expect(cassette.exchanges[0].chunks.count <= 1)
  }

  @Test("a full queue leaves chunks out, keeps begin and end, and says so at their place")
  func overflow() async throws {
    let queue = RecordingQueue(limit: 1_000)
    let connection = RecordedConnection()
    func offer(_ fact: EventStreamTransportFact, at: Int64) async {
      _ = await queue.offer(.fact(connection, StampedTransportFact(at: .milliseconds(at), fact)))
    }
    _ = await queue.offer(.begin(connection, EventStreamRequest(url: "u"), at: .zero))
    await offer(.response(EventStreamResponse(status: 200)), at: 1)
    for at in 2...4 as ClosedRange<Int64> { await offer(.bytes([UInt8](repeating: 1, count: 500)), at: at) }
    await offer(.ended(.complete, detail: ""), at: 5)
    let items = try #require(await queue.take())
    let kinds = items.map { item -> String in
      switch item {
      case .begin: "begin"
      case .note(let event, let other, let at):
        "\(event.rawValue) \(other["chunks"] ?? .null) \(other["bytes"] ?? .null) \(at == .milliseconds(4))"
      case .fact(_, let fact): if case .ended = fact.fact { "end" } else { "fact" }
      }
    }
    #expect(kinds == ["begin", "fact", "overflow integer(3) integer(1500) true", "end"])
    // Once it was emptied it takes chunks again.
    await offer(.bytes([1]), at: 6)
    await queue.close()
    #expect(await queue.take()?.count == 1)
    #expect(await queue.take() == nil)
  }

  @Test("where the disk is full the app's stream goes on, and finish says why nothing more was written")
  func failing() async throws {
    #if os(Linux)
      let recording = try CassetteRecording(
        creating: "/dev/full", overwriting: true, header: Samples.header,
        clock: StandingClock(now: .milliseconds(5)))
      let transport = recording.transport(around: ScriptedTransport(facts: script))
      var seen = 0
      for await _ in transport.connect(EventStreamRequest(url: "u")) { seen += 1 }
      #expect(seen == 3)
      await #expect(throws: CassetteError(.noSpace, "")) { try await recording.finish() }
    #endif
  }

  @Test("of overlapping connections the later one is kept to the end")
  func overlapping() async throws {
    let recording = try makeRecording()
    let first = RecordedConnection()
    let second = RecordedConnection()
    let request = EventStreamRequest(url: "u")
    func fact(_ connection: RecordedConnection, _ fact: EventStreamTransportFact) async {
      await recording.offer(.fact(connection, StampedTransportFact(at: .seconds(1), fact)))
    }
    await recording.offer(.begin(first, request, at: .zero))
    await fact(first, .response(EventStreamResponse(status: 200)))
    await recording.offer(.begin(second, request, at: .seconds(1)))
    await fact(first, .bytes([1]))
    await fact(first, .ended(.complete, detail: ""))
    await fact(second, .response(EventStreamResponse(status: 200)))
    await fact(second, .bytes([2]))
    await fact(second, .ended(.complete, detail: ""))
    try await recording.finish()
    let cassette = try await Cassette(bytes: recording.bytes)
    #expect(cassette.exchanges.map(\.body) == [[], [2]])
    #expect(cassette.exchanges.map { $0.end?.cause } == [.cancelled, .complete])
  }
}
