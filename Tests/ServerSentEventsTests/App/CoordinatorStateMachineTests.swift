// The coordinator's pure parts: its state machine by expectations and under random facts, the inbox, and the filter of
// repeated events.
import Testing

@testable import ServerSentEvents

@Suite("The coordinator, decisions") struct CoordinatorStateMachineTests {
  typealias Machine = EventStreamCoordinatorStateMachine

  @Test("a set of scenes: only the first and the last of them matter")
  func scenes() {
    var machine = Machine()
    #expect(machine.handle(.sceneActivated("a")) == [.showScene("a", true), .tellForeground(true), .start])
    #expect(machine.handle(.sceneActivated("a")) == [])
    #expect(machine.handle(.sceneActivated("b")) == [.showScene("b", true)])
    #expect(machine.handle(.sceneDeactivated("a")) == [.showScene("a", false)])
    #expect(machine.handle(.sceneDeactivated("a")) == [])
    #expect(machine.handle(.sceneDeactivated("b")) == [.showScene("b", false), .tellForeground(false)])
    #expect(machine.handle(.sceneActivated("b")) == [.showScene("b", true), .tellForeground(true)])
  }

  @Test(
    "each state of the event source has its name on the screen",
    arguments: [
      (.connecting, .connecting), (.open, .connected), (.reconnecting(at: .zero), .reconnecting),
      (.suspended(.background), .disconnected(.inactive)), (.suspended(.offline), .disconnected(.offline)),
      (.suspended(.refreshingCredentials), .reconnecting),
      (.suspended(.signedOut), .disconnected(.signedOut)),
      (.suspended(.blocked), .disconnected(.blocked)), (.suspended(.catchingUp), .reconnecting),
      (.closed(.noContent), .disconnected(.noContent)), (.closed(.fatalResponse), .disconnected(.refused)),
      (.closed(.cancelled), .disconnected(.cancelled)),
    ] as [(EventSourceState, EventStreamConnectionState)])
  func names(source: EventSourceState, state: EventStreamConnectionState) {
    var machine = Machine()
    _ = machine.handle(.sceneActivated("a"))
    let published = machine.handle(.sourceChanged(source))
    #expect(machine.state == state)
    #expect(published == (state == .disconnected(.inactive) ? [] : [.publish(state)]), "equal states are one")
    #expect(machine.handle(.sourceChanged(source)) == [])
  }

  @Test("connecting again after a connection is reconnecting; after a disconnection it's connecting")
  func reconnecting() {
    var machine = Machine()
    _ = machine.handle(.sceneActivated("a"))
    _ = machine.handle(.sourceChanged(.connecting))
    _ = machine.handle(.sourceChanged(.open))
    #expect(machine.handle(.sourceChanged(.connecting)) == [.publish(.reconnecting)])
    _ = machine.handle(.sourceChanged(.suspended(.offline)))
    #expect(machine.handle(.sourceChanged(.connecting)) == [.publish(.connecting)])
  }

  @Test("a login ends the run, forgets the ID and begins anew; what the old run still says is old news")
  func login() {
    var machine = Machine()
    _ = machine.handle(.sceneActivated("a"))
    _ = machine.handle(.sourceChanged(.connecting))
    #expect(machine.handle(.credentialsChanged(.loggedIn)) == [.end, .forgetLastEventID, .start])
    #expect(machine.handle(.sourceChanged(.open)) == [])
    #expect(machine.handle(.sourceChanged(.closed(.cancelled))) == [])
    #expect(machine.handle(.sourceChanged(.open)) == [.publish(.connected)])
  }

  @Test("after a logout nothing connects, whatever happens, until somebody logs in")
  func logout() {
    var machine = Machine()
    _ = machine.handle(.sceneActivated("a"))
    #expect(
      machine.handle(.credentialsChanged(.loggedOut))
        == [.end, .forgetLastEventID, .publish(.disconnected(.signedOut))])
    for fact: Machine.Fact in [
      .sceneDeactivated("a"), .sceneActivated("a"), .networkLost, .networkRestored, .restart,
      .sourceChanged(.closed(.cancelled)), .credentialsChanged(.loggedOut),
    ] {
      #expect(!machine.handle(fact).contains(.start))
    }
    #expect(machine.state == .disconnected(.signedOut))
    #expect(machine.handle(.credentialsChanged(.loggedIn)) == [.forgetLastEventID, .start])
  }

  @Test("a login in the background waits for a scene")
  func loginInBackground() {
    var machine = Machine()
    #expect(machine.handle(.credentialsChanged(.loggedIn)) == [.forgetLastEventID])
    #expect(machine.handle(.sceneActivated("a")).contains(.start))
  }

  @Test("the app's restart is for streams that the server closed, and for nothing else")
  func restart() {
    var machine = Machine()
    #expect(machine.handle(.restart) == [])
    _ = machine.handle(.sceneActivated("a"))
    #expect(machine.handle(.restart) == [])
    _ = machine.handle(.sourceChanged(.closed(.noContent)))
    #expect(machine.handle(.restart) == [.start])
  }

  @Test(
    "random facts: one run at a time, none without login or before a scene",
    arguments: 0..<20 as Range<UInt64>)
  func invariants(seed: UInt64) throws {
    var random = SplitMix(seed)
    var machine = Machine()
    var (isRunning, isForeground, isLoggedIn) = (false, false, true)
    var visible: Set<String> = []
    var last = machine.state
    let states: [EventSourceState] = [
      .connecting, .open, .reconnecting(at: .zero), .suspended(.offline), .suspended(.blocked),
      .closed(.noContent),
      .closed(.fatalResponse),
    ]
    var pending: [EventSourceState] = []  // of runs that were ended, in front of what the live run says
    for _ in 0..<10_000 {
      let scene = ["a", "b", "c"][Int(random.next() % 3)]
      let fact: Machine.Fact
      switch random.next() % 10 {
      case 0, 1: fact = .sceneActivated(scene)
      case 2, 3: fact = .sceneDeactivated(scene)
      case 4: fact = random.next() % 2 == 0 ? .networkLost : .networkRestored
      case 5:
        let change = EventStreamCredentialsChange.allCases[Int(random.next() % 3)]
        isLoggedIn = change != .loggedOut
        fact = .credentialsChanged(change)
      case 6: fact = .restart
      default:
        if !pending.isEmpty {
          fact = .sourceChanged(pending.removeFirst())
        } else if isRunning {
          let state = states[Int(random.next() % UInt64(states.count))]
          if case .closed = state { isRunning = false }
          fact = .sourceChanged(state)
        } else {
          continue
        }
      }
      for action in machine.handle(fact) {
        switch action {
        case .start:
          try #require(!isRunning && isLoggedIn && !machine.activeScenes.isEmpty)
          isRunning = true
        case .end:
          try #require(isRunning)
          isRunning = false
          pending += [.open, .closed(.cancelled)]
        case .tellForeground(let now):
          try #require(now != isForeground)
          isForeground = now
        case .showScene(let scene, true): try #require(visible.insert(scene).inserted)
        case .showScene(let scene, false): try #require(visible.remove(scene) != nil)
        case .publish(let state):
          try #require(state != last)
          last = state
        case .tellCredentials: try #require(isRunning)
        case .tellNetwork, .forgetLastEventID: break
        }
      }
      try #require(isForeground == !machine.activeScenes.isEmpty)
      try #require(visible == machine.activeScenes)
      if !isLoggedIn { try #require(!isRunning && machine.state == .disconnected(.signedOut)) }
    }
  }

  @Test("an inbox holds its capacity, and tells in order what it left out")
  func inbox() {
    var inbox = EventInboxState(capacity: 2, isVisible: true)
    func entry(_ data: String) -> EventInboxState.Entry {
      .init(event: ServerSentEvent(data: data), arrived: .zero)
    }
    for data in ["1", "2", "3", "4"] { inbox.add(entry(data)) }
    #expect(inbox.take() == .miss(.overflow(count: 2)))
    #expect(inbox.take() == .event(entry("3")))
    inbox.addGap()
    #expect(inbox.take() == .event(entry("4")))
    #expect(inbox.take() == .miss(.gap))
    #expect(inbox.take() == nil)
    inbox.add(entry("5"))
    inbox.show(false)
    inbox.add(entry("6"))
    inbox.addGap()
    #expect(inbox.take() == nil)
    inbox.show(true)
    inbox.add(entry("7"))
    #expect(inbox.take() == .miss(.gap))
    #expect(inbox.take() == .miss(.hidden(count: 2)))
    #expect(inbox.take() == .event(entry("7")))
    #expect(inbox.take() == nil)
  }

  @Test("repeated IDs are found within the window and no further")
  func repeats() {
    func new(_ ids: [String?], _ filter: inout RepeatedEventFilter) -> [Bool] {
      ids.map { filter.isNew(ServerSentEvent(data: "", id: $0, lastEventID: $0 ?? "3")) }
    }
    var filter = RepeatedEventFilter(window: 2)
    let (yes, no) = (true, false)
    #expect(
      new(["1", "2", "1", "3", "1", "", "", "3", nil], &filter) == [
        yes, yes, no, yes, yes, yes, yes, no, yes,
      ])
    filter.reset()
    #expect(new(["3", "3"], &filter) == [yes, no])
    var off = RepeatedEventFilter(window: 0)
    #expect(new(["1", "1"], &off) == [yes, yes])
  }
}
