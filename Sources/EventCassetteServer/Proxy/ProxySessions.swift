// Which requests go on which cassette: method, URL, peer host and program make a client, a Last-Event-ID makes a request
// one of a session that goes on, and one cassette holds one connection at a time. Pure, but for the recordings that it hands around.

import EventCassettes

/// The recordings of a proxy that are open.
struct ProxySessions: Sendable {
  struct Session: Sendable {
    var number: Int
    var key: String
    var path: String
    var recording: CassetteRecording
    var isBusy = true
  }

  let most: Int
  private(set) var open: [Session] = []
  private var last = 0

  init(most: Int) { self.most = most }

  enum Place: Sendable {
    /// The recording of a client that came back.
    case existing(Session)
    /// A new recording with this number; `closing` was idle and makes room.
    case new(Int, closing: Session?)
    /// As many as may be are busy.
    case full
  }

  mutating func place(key: String, isReconnect: Bool) -> Place {
    if isReconnect, let index = open.lastIndex(where: { $0.key == key && !$0.isBusy }) {
      open[index].isBusy = true
      return .existing(open[index])
    }
    var closing: Session?
    if open.count >= most {
      guard let idle = open.firstIndex(where: { !$0.isBusy }) else { return .full }
      closing = open.remove(at: idle)
    }
    last += 1
    return .new(last, closing: closing)
  }

  mutating func add(_ session: Session) { open.append(session) }

  /// Its connection is over; the client may come back to it.
  mutating func release(_ number: Int) {
    guard let index = open.firstIndex(where: { $0.number == number }) else { return }
    var session = open.remove(at: index)
    session.isBusy = false
    open.append(session)
  }

  mutating func removeAll() -> [Session] {
    defer { open = [] }
    return open
  }
}
