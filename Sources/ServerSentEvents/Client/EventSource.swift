// The event source as apps see it: an asynchronous sequence of events (or of signals), and the few things an app tells
// it. The work is the driver's, the decisions the state machine's.

/// A stream of server-sent events that reconnects, or with ``EventSourceConfiguration/Mode/oneShot`` ends after one
/// request.
///
/// ```swift
/// for try await event in EventSource(request, environment: environment) {
///   print(event.type, event.data)
/// }
/// ```
///
/// The connection is made when the first event is asked for. The sequence ends after a 204 and after cancellation of an
/// event source; it throws an ``EventSourceError`` after a fatal answer, and `CancellationError` where a one-shot stream
/// is cancelled, so that half an answer is never taken for a whole one. Leaving the loop, cancelling its task or
/// dropping the iterator closes the connection.
///
/// A consumer that falls behind takes what waits without a crossing to another thread for each event: the main actor
/// may consume as well. Where a ``LastEventIDStore`` or ``EventSourceMetrics`` follow each event, there is one.
///
/// One iteration at a time: a new one ends the one before, and goes on after the last event that was processed. An event
/// counts as processed when the consumer comes back for the next one.
///
/// A consumer slower than its server is no problem where events have IDs: past the buffer's bounds the connection is
/// given up and resumed after the last event handed over, once all of them are taken. Where the server has no IDs, or
/// doesn't go on where it was asked to, ``notices()`` and ``signals`` say so with a ``EventSourceSignal/gap(_:)``.
public final class EventSource: AsyncSequence, Sendable {
  /// The sequence's element.
  public typealias Element = ServerSentEvent

  let driver: EventSourceDriver
  private let mode: EventSourceConfiguration.Mode

  /// Creates an event source; nothing is sent yet.
  public init(
    _ request: EventStreamRequest, configuration: EventSourceConfiguration = EventSourceConfiguration(),
    environment: EventSourceEnvironment
  ) {
    driver = EventSourceDriver(request, configuration: configuration, environment: environment)
    mode = configuration.mode
  }

  /// Starts an iteration over the events.
  public func makeAsyncIterator() -> Iterator { Iterator(run: EventSourceRun(driver, .events, mode)) }

  /// All that happens, in order, the events among it. It ends after ``EventSourceSignal/closed(_:)``, or at once when
  /// its consumer is cancelled; it never throws, an `error` signal says why.
  public var signals: Signals { Signals(driver: driver, mode: mode) }

  /// The states from now on, the present one first. Any number may watch; one that falls behind loses the oldest.
  public func states() async -> AsyncStream<EventSourceState> { await driver.observeStates() }

  /// Everything but events (`open`, `comment`, `error`, `reconnecting`, `closed`, gaps) from now on. Any number may
  /// watch; one that falls behind loses the oldest.
  public func notices() async -> AsyncStream<EventSourceSignal> { await driver.observeNotices() }

  /// Where it stands.
  public var state: EventSourceState { get async { await driver.machine.state } }
  /// The ID up to which the consumer has processed everything; empty for none.
  public var lastEventID: String { get async { await driver.processedLastEventID } }
  /// The server's reconnection time in milliseconds, if it sent one.
  public var retry: Int64? { get async { await driver.machine.retry } }

  /// Closes the connection and ends the iteration; what waits is given up.
  public func close() async { await driver.close() }
  /// Closes as ``close()`` does, and forgets the last event ID, also in the store: for another account's login.
  public func forgetLastEventID() async { await driver.forgetLastEventID() }
  /// Tells that the network is gone: no connection is tried until it's back.
  public func networkLost() async { await driver.networkChanged(isOnline: false) }
  /// Tells that the network is back.
  public func networkRestored() async { await driver.networkChanged(isOnline: true) }
  /// Tells that the app, or what shows this stream, is in the background: the connection closes until it's back.
  public func enteredBackground() async { await driver.appChanged(isForeground: false) }
  /// Tells that it's back in the foreground.
  public func enteredForeground() async { await driver.appChanged(isForeground: true) }
  /// Tells of a login, a logout or a new token: the connection is made anew, also after a 401 or a 403.
  public func credentialsChanged() async { await driver.credentialsChanged() }

  /// An iteration over the events. Dropping it closes the connection.
  public struct Iterator: AsyncIteratorProtocol {
    @usableFromInline let run: EventSourceRun

    init(run: EventSourceRun) { self.run = run }

    /// The next event, or `nil` at the end.
    @inlinable public mutating func next() async throws -> ServerSentEvent? {
      try await next(isolation: #isolation)
    }

    /// The next event, without leaving the consumer's actor where one waits already. Inlinable, since what asks
    /// whether that actor has to be switched to would cost as much as to take the event.
    @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async throws
      -> ServerSentEvent?
    {
      if let event = run.takeNextEvent() { return event }
      try await run.fetch()
      return run.popEvent()
    }
  }

  /// The sequence of all signals. Iterating it is iterating the event source: one iteration at a time.
  public struct Signals: AsyncSequence, Sendable {
    /// The sequence's element.
    public typealias Element = EventSourceSignal

    let driver: EventSourceDriver
    let mode: EventSourceConfiguration.Mode

    /// Starts an iteration.
    public func makeAsyncIterator() -> Iterator { Iterator(run: EventSourceRun(driver, .signals, mode)) }

    /// An iteration over the signals. Dropping it closes the connection.
    public struct Iterator: AsyncIteratorProtocol {
      @usableFromInline let run: EventSourceRun

      init(run: EventSourceRun) { self.run = run }

      /// The next signal, or `nil` at the end.
      @inlinable public mutating func next() async -> EventSourceSignal? { await next(isolation: #isolation) }

      /// The next signal, without leaving the consumer's actor where one waits already.
      @inlinable public mutating func next(isolation actor: isolated (any Actor)?) async -> EventSourceSignal?
      {
        if let signal = run.takeNext() { return signal }
        try? await run.fetch()
        return run.pop()
      }
    }
  }
}
