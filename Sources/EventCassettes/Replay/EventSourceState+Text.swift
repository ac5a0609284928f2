// The client's state in words, for findings.

import ServerSentEvents

extension EventSourceState {
  /// The state as a finding says it.
  var words: String {
    switch self {
    case .idle: "idle"
    case .connecting: "connecting"
    case .open: "open"
    case .reconnecting: "waiting to reconnect"
    case .suspended(let reason): "suspended (\(reason.rawValue))"
    case .closed(let reason): "closed (\(reason.rawValue))"
    }
  }
}
