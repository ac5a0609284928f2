// A transport around another one: the app gets every fact first, the recording gets it after, and neither waits for
// the other. Only a test, which ends when its client does, has each fact recorded first.

public import ServerSentEvents

/// Records what another transport does; to the app it is that transport.
public struct RecordingTransport: EventStreamTransport {
  private let base: any EventStreamTransport
  private let recording: CassetteRecording
  private let clock: any EventStreamClock
  private let recordsFirst: Bool

  init(
    around base: any EventStreamTransport, recording: CassetteRecording, clock: any EventStreamClock,
    recordsFirst: Bool
  ) {
    self.recordsFirst = recordsFirst
    self.base = base
    self.recording = recording
    self.clock = clock
  }

  /// Opens a connection by the transport inside. Dropping the sequence closes it, and it is recorded as cancelled.
  public func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (facts, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let begun = clock.now
    let source = base.connect(request)
    let task = Task { [recording, clock, recordsFirst] in
      let connection = RecordedConnection()
      await recording.offer(.begin(connection, request, at: begun))
      var hasEnded = false
      for await fact in source {
        if case .ended = fact.fact { hasEnded = true }
        if recordsFirst { await recording.offer(.fact(connection, fact)) }
        continuation.yield(fact)
        if !recordsFirst { await recording.offer(.fact(connection, fact)) }
      }
      continuation.finish()
      if !hasEnded {
        let end = EventStreamTransportFact.ended(.cancelled, detail: "closed by the client")
        await recording.offer(.fact(connection, StampedTransportFact(at: clock.now, end)))
      }
    }
    continuation.onTermination = { reason in
      if case .cancelled = reason { task.cancel() }
    }
    return facts
  }
}
