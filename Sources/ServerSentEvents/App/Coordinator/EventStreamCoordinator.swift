// The coordinator as apps see it: facts go in from anywhere without waiting, and subscriptions and states come out. The
// work is the engine's, the decisions the state machine's.

/// One connection for any number of screens: open while a scene is active and somebody is logged in, shared by all who
/// subscribe, and rid of every detail of the app's life cycle that a screen should not know.
///
/// ```swift
/// let updates = EventStreamCoordinator(request, environment: environment)
/// updates.sceneActivated(scene.session.persistentIdentifier)
/// for await event in updates.events(where: { $0.type == "order" }) { … }
/// ```
///
/// Facts may be told from any thread, at any moment, as often as one likes: they are taken in the order in which they
/// were told, and telling doesn't wait. Dropping the coordinator closes the connection and ends all subscriptions.
///
/// It runs an ``EventSource`` with the resilient policy, so what ends a connection decides what comes next.
public final class EventStreamCoordinator: Sendable {
  typealias Fact = EventStreamCoordinatorEngine.Fact

  private let engine: EventStreamCoordinatorEngine
  private let facts: AsyncStream<Fact>.Continuation
  private let clock: any EventStreamClock
  private let metrics: (any EventSourceMetrics)?

  /// The default settings: the resilient policy, and a connection that is given up after 45 s of silence, which is
  /// twice the usual 15 s heartbeat and half again.
  public static let defaultConfiguration = EventSourceConfiguration(
    policy: .resilient, idleTimeout: .seconds(45))

  /// Creates a coordinator; it connects when the first scene is active.
  ///
  /// - Parameters:
  ///   - request: what to send. `environment.prepareRequest` makes it fresh for each connection.
  ///   - configuration: the event source's settings, which can't be one shot.
  ///   - environment: transport, clock, store, metrics and credentials. Without `refreshCredentials` a 401 means
  ///     signed out.
  ///   - repeats: an event with the ID of one of so many before it is left out. 0 lets all through: for servers that
  ///     use an ID more than once.
  public init(
    _ request: EventStreamRequest, configuration: EventSourceConfiguration = defaultConfiguration,
    environment: EventSourceEnvironment, repeats: Int = 0
  ) {
    precondition(
      configuration.mode == .eventSource, "a coordinator reconnects: its event source can't be one shot")
    precondition(repeats >= 0, "a coordinator can't remember a negative number of events")
    let (stream, continuation) = AsyncStream.makeStream(of: Fact.self)
    facts = continuation
    clock = environment.clock
    metrics = environment.metrics
    engine = EventStreamCoordinatorEngine(
      request, configuration: configuration, environment: environment, repeats: repeats, facts: continuation)
    Task { [engine] in await engine.run(stream) }
  }

  deinit { facts.finish() }

  // MARK: Facts

  /// A scene became active. The ID is the app's choice: a scene session's persistent identifier, or any name.
  public func sceneActivated(_ scene: String) { facts.yield(.machine(.sceneActivated(scene))) }
  /// A scene went to the background, was disconnected, or has gone.
  public func sceneDeactivated(_ scene: String) { facts.yield(.machine(.sceneDeactivated(scene))) }
  /// There's no network any more: nothing is tried until it's back.
  public func networkLost() { facts.yield(.machine(.networkLost)) }
  /// The network is back.
  public func networkRestored() { facts.yield(.machine(.networkRestored)) }
  /// The app's login changed: the connection is made anew, or closed after a logout.
  public func credentialsChanged(_ change: EventStreamCredentialsChange) {
    facts.yield(.machine(.credentialsChanged(change)))
  }
  /// Tries again after the server closed the stream for good (204, or an answer that no retry changes).
  public func restart() { facts.yield(.machine(.restart)) }

  // MARK: What comes out

  /// The connection's states from now on, the present one first, each distinct from the one before. Any number may
  /// watch; one that falls behind loses the oldest.
  public func states() -> AsyncStream<EventStreamConnectionState> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: EventStreamConnectionState.self,
      bufferingPolicy: .bufferingNewest(EventSourceBroadcast<EventStreamConnectionState>.depth))
    facts.yield(.observe(continuation))
    return stream
  }

  /// Subscribes to events, from now on.
  ///
  /// - Parameters:
  ///   - scene: events come only while this scene is active; `nil` for always. What is missed meanwhile is reported
  ///     when it's active again, so that the screen can fetch its resource anew.
  ///   - capacity: how many events may wait. Past that the oldest is dropped, and reported.
  ///   - filter: which events are the subscriber's: those of its resource.
  ///   - onMiss: takes what the subscriber did not get, before the next event it gets.
  public func events(
    in scene: String? = nil, capacity: Int = 256,
    where filter: @escaping @Sendable (ServerSentEvent) -> Bool = { _ in true },
    onMiss: @escaping @Sendable (EventStreamMiss) -> Void = { _ in }
  ) -> EventStreamSubscription {
    precondition(capacity > 0, "a subscription must have room for one event")
    let inbox = EventInbox(capacity: capacity, isVisible: scene == nil)
    let id = ObjectIdentifier(inbox)
    facts.yield(.subscribe(.init(inbox: inbox, scene: scene, filter: filter)))
    return EventStreamSubscription(
      inbox: inbox, lifetime: EventStreamSubscriptionLifetime { [facts] in facts.yield(.unsubscribe(id)) },
      onMiss: onMiss,
      onTaken: { [clock, metrics] arrived in metrics?.record(.eventHandled(latency: clock.now - arrived)) })
  }

  /// Subscribes an object, a screen's model for instance, with a handler that is called on the main actor.
  ///
  /// The object is held weakly: it goes when its screen goes, and the subscription ends with it, or before it with the
  /// token. Let the object hold the token.
  public func subscribe<Owner: AnyObject & Sendable>(
    _ owner: Owner, in scene: String? = nil, capacity: Int = 256,
    where filter: @escaping @Sendable (ServerSentEvent) -> Bool = { _ in true },
    onMiss: (@MainActor @Sendable (Owner, EventStreamMiss) -> Void)? = nil,
    handler: @escaping @MainActor @Sendable (Owner, ServerSentEvent) -> Void
  ) -> EventStreamSubscriptionToken {
    let events = events(
      in: scene, capacity: capacity, where: filter,
      onMiss: { [weak owner] miss in
        guard let onMiss else { return }
        Task { @MainActor in if let owner { onMiss(owner, miss) } }
      })
    return EventStreamSubscriptionToken(
      Task { @MainActor [weak owner] in
        for await event in events {
          guard !Task.isCancelled, let owner else { break }
          handler(owner, event)
        }
      })
  }
}
