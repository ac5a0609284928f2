// What a coordinator decides beyond its event source: which scenes want the stream, when a run of the event source
// starts and ends, and what the connection's state is called. Pure: facts in, actions out, carried out in order.
//
//                     first scene, and somebody may be logged in
//        ┌──────────▶ none ───────────────────────▶ running ◀───┐ logged in: ended and begun anew, without an ID
//        │             ▲                            │  │  └─────┘
//        │ logged out  │ logged out                 │  │ closed by the server (204, fatal answer)
//        │ (from all)  └────────────────────────────┘  ▼
//        └────────────────────────────────────────── closed ── restart, new credentials ──▶ running (or none)
//
// Without an active scene a run is kept, in the background: the event source has no connection then, but its place in
// the stream. Network, retries, 401 and 403 are the event source's own decisions; it gets them as they come.

/// What happened to an app's login.
public enum EventStreamCredentialsChange: Hashable, Sendable, CaseIterable {
  /// The same account has a new token. The connection is made anew, and goes on where it was.
  case tokenRefreshed
  /// An account logged in, maybe another one. The connection is made anew and knows of no earlier event.
  case loggedIn
  /// Nobody is logged in. There's no connection until somebody is.
  case loggedOut
}

/// Decides for an ``EventStreamCoordinator``.
public struct EventStreamCoordinatorStateMachine: Equatable, Sendable {
  /// Something that happened.
  public enum Fact: Hashable, Sendable {
    /// A scene, named by an ID of the app's choice, became active.
    case sceneActivated(String)
    /// A scene went to the background, was disconnected, or has gone.
    case sceneDeactivated(String)
    /// There's no network any more.
    case networkLost
    /// The network is back.
    case networkRestored
    /// The app's login changed.
    case credentialsChanged(EventStreamCredentialsChange)
    /// The app wants another try after the server closed the stream for good.
    case restart
    /// The event source's state changed.
    case sourceChanged(EventSourceState)
  }

  /// What the coordinator has to do, in order.
  public enum Action: Hashable, Sendable {
    /// Begin a run of the event source.
    case start
    /// End the run.
    case end
    /// Tell the event source that it's in the foreground or in the background.
    case tellForeground(Bool)
    /// Tell the event source that there's a network, or none.
    case tellNetwork(Bool)
    /// Tell the event source that its credentials changed.
    case tellCredentials
    /// Forget the last event ID, also in the store.
    case forgetLastEventID
    /// Let these scenes' subscriptions have events, or no more.
    case showScene(String, Bool)
    /// Publish the state.
    case publish(EventStreamConnectionState)
  }

  private enum Run: Equatable, Sendable { case none, running, closed }

  /// The scenes that are active.
  public private(set) var activeScenes: Set<String> = []
  /// Where the connection stands.
  public private(set) var state = EventStreamConnectionState.disconnected(.inactive)
  private var run = Run.none
  private var isLoggedOut = false
  /// The run had a connection, so the next attempt is a reconnection.
  private var wasLost = false
  /// Runs that were ended here and haven't said yet that they closed.
  private var endedRuns = 0

  /// Creates a machine without scenes, for an app that is logged in or needs no login.
  public init() {}

  /// Takes a fact.
  public mutating func handle(_ fact: Fact) -> [Action] {
    var actions: [Action] = []
    switch fact {
    case .sceneActivated(let scene):
      guard activeScenes.insert(scene).inserted else { break }
      actions.append(.showScene(scene, true))
      if activeScenes.count == 1 {
        actions.append(.tellForeground(true))
        if run == .none, !isLoggedOut { start(&actions) }
      }
    case .sceneDeactivated(let scene):
      guard activeScenes.remove(scene) != nil else { break }
      actions.append(.showScene(scene, false))
      if activeScenes.isEmpty { actions.append(.tellForeground(false)) }
    case .networkLost: actions.append(.tellNetwork(false))
    case .networkRestored: actions.append(.tellNetwork(true))
    case .credentialsChanged(.tokenRefreshed):
      isLoggedOut = false
      if run == .running { actions.append(.tellCredentials) } else { restart(&actions) }
    case .credentialsChanged(.loggedIn):
      isLoggedOut = false
      end(&actions)
      actions.append(.forgetLastEventID)
      restart(&actions)
    case .credentialsChanged(.loggedOut):
      isLoggedOut = true
      end(&actions)
      actions.append(.forgetLastEventID)
      publish(.disconnected(.signedOut), &actions)
    case .restart:
      if run == .closed, !isLoggedOut { restart(&actions) }
    case .sourceChanged(let source): follow(source, &actions)
    }
    return actions
  }

  private mutating func start(_ actions: inout [Action]) {
    run = .running
    actions.append(.start)
  }

  /// Starts now, or with the next scene.
  private mutating func restart(_ actions: inout [Action]) {
    run = .none
    if activeScenes.isEmpty { publish(.disconnected(.inactive), &actions) } else { start(&actions) }
  }

  private mutating func end(_ actions: inout [Action]) {
    if run == .running {
      actions.append(.end)
      endedRuns += 1
    }
    run = .none
    wasLost = false
  }

  private mutating func follow(_ source: EventSourceState, _ actions: inout [Action]) {
    // What an ended run still says is old news; the last of it is that it closed.
    if endedRuns > 0 {
      if case .closed = source { endedRuns -= 1 }
      return
    }
    guard run == .running else { return }
    switch source {
    case .idle: break
    case .connecting: publish(wasLost ? .reconnecting : .connecting, &actions)
    case .open:
      wasLost = true
      publish(.connected, &actions)
    case .reconnecting:
      wasLost = true
      publish(.reconnecting, &actions)
    case .suspended(.refreshingCredentials), .suspended(.catchingUp): publish(.reconnecting, &actions)
    case .suspended(.background): disconnected(.inactive, &actions)
    case .suspended(.offline): disconnected(.offline, &actions)
    case .suspended(.signedOut): disconnected(.signedOut, &actions)
    case .suspended(.blocked): disconnected(.blocked, &actions)
    case .closed(.noContent): closed(.noContent, &actions)
    case .closed(.fatalResponse), .closed(.oneShot): closed(.refused, &actions)
    case .closed(.cancelled): closed(.cancelled, &actions)
    }
  }

  private mutating func disconnected(_ reason: EventStreamDisconnection, _ actions: inout [Action]) {
    wasLost = false
    publish(.disconnected(reason), &actions)
  }

  private mutating func closed(_ reason: EventStreamDisconnection, _ actions: inout [Action]) {
    run = .closed
    disconnected(reason, &actions)
  }

  private mutating func publish(_ state: EventStreamConnectionState, _ actions: inout [Action]) {
    guard state != self.state else { return }
    self.state = state
    actions.append(.publish(state))
  }
}
