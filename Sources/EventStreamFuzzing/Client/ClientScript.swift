// Inputs for the client's state machine as lines of text, so that any bytes are a script and a finding can be read:
// the first byte of a line says what happens, the rest is its argument.

import ServerSentEvents

/// What happens to a client, in order.
///
/// ```
/// p                    (first lines) the resilient policy; 1 one shot; l small parser limits that skip, L that fail;
///                      s all signals; i no idle timeout; g the foreground unblocks;
///                      u7 the last event ID begun with, U7 the same as a field of the request; w500 the retry begun with
/// r200                 a response: status, then perhaps the text of a Retry-After, and behind a tab that of a Date: r503 7
/// bid: 1               bytes: the line and an LF; B: the line alone
/// e2                   the connection ends, by number of the cause, perhaps with details: e2 broken off
/// t500                 half a second passes (an hour at most); timers that are due fire; T all fire before their time
/// c                    the consumer is done with the oldest delivery; C with all
/// nN fF k yx o q d S a network gone, back; background, foreground; credentials changed, refreshed or not; overflow;
///                      stop; redirect; facts of an older connection; a start though it has started
/// ```
struct ClientScript {
  enum Step {
    case response(status: Int, retryAfter: String?, date: String?)
    case bytes([UInt8])
    case end(ConnectionEnd, detail: String)
    case time(milliseconds: Int)
    case earlyTimers
    case consume(all: Bool)
    case network(Bool)
    case foreground(Bool)
    case credentialsChanged
    case refreshed(Bool)
    case overflow
    case stop
    case redirect
    case stale
    case start
  }

  var configuration = EventSourceConfiguration(
    idleTimeout: .seconds(20), buffer: .init(events: 6, bytes: 4096), hasCredentials: true)
  /// The request's own `Last-Event-ID`, and the reconnection time of an earlier run in milliseconds.
  var requestedID: String?
  var retry: Int64?
  var steps: [Step] = []

  init(_ input: [UInt8]) {
    var isBeginning = true
    for line in input.split(separator: 0x0A, omittingEmptySubsequences: false) {
      guard let first = line.first else { continue }
      let rest = Array(line.dropFirst())
      if isBeginning, configure(first, rest) { continue }
      isBeginning = false
      if let step = Self.step(first, rest) { steps.append(step) }
    }
  }

  private mutating func configure(_ option: UInt8, _ rest: [UInt8]) -> Bool {
    switch option {
    case UInt8(ascii: "p"): configuration.policy = .resilient
    case UInt8(ascii: "1"): configuration.mode = .oneShot
    case UInt8(ascii: "l"): configuration.limits = .init(line: 24, event: 16, policy: .skipEvent)
    case UInt8(ascii: "L"): configuration.limits = .init(line: 24, event: 16, policy: .fail)
    case UInt8(ascii: "s"): configuration.delivery = .signals
    case UInt8(ascii: "i"): configuration.idleTimeout = nil
    case UInt8(ascii: "g"): configuration.foregroundUnblocks = true
    case UInt8(ascii: "u"): configuration.lastEventID = String(decoding: rest, as: UTF8.self)
    case UInt8(ascii: "U"): requestedID = String(decoding: rest, as: UTF8.self)
    case UInt8(ascii: "w"): retry = Int64(Self.number(rest[...]))
    default: return false
    }
    return true
  }

  private static func step(_ kind: UInt8, _ rest: [UInt8]) -> Step? {
    let number = Self.number(rest[...])
    switch kind {
    case UInt8(ascii: "r"):
      let fields = Self.text(of: rest)?.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
      let date = fields.flatMap { $0.count > 1 ? String($0[1]) : nil }
      return .response(status: number, retryAfter: fields.map { String($0[0]) }, date: date)
    case UInt8(ascii: "b"): return .bytes(rest + [0x0A])
    case UInt8(ascii: "B"): return .bytes(rest)
    case UInt8(ascii: "e"):
      let end = ConnectionEnd.allCases[number % ConnectionEnd.allCases.count]
      return .end(end, detail: Self.text(of: rest) ?? "")
    case UInt8(ascii: "t"): return .time(milliseconds: min(number, 3_600_000))
    case UInt8(ascii: "T"): return .earlyTimers
    case UInt8(ascii: "c"), UInt8(ascii: "C"): return .consume(all: kind == UInt8(ascii: "C"))
    case UInt8(ascii: "n"), UInt8(ascii: "N"): return .network(kind == UInt8(ascii: "N"))
    case UInt8(ascii: "f"), UInt8(ascii: "F"): return .foreground(kind == UInt8(ascii: "F"))
    case UInt8(ascii: "k"): return .credentialsChanged
    case UInt8(ascii: "y"), UInt8(ascii: "x"): return .refreshed(kind == UInt8(ascii: "y"))
    case UInt8(ascii: "o"): return .overflow
    case UInt8(ascii: "q"): return .stop
    case UInt8(ascii: "d"): return .redirect
    case UInt8(ascii: "S"): return .stale
    case UInt8(ascii: "a"): return .start
    default: return nil
    }
  }

  /// What is behind the first blank.
  private static func text(of bytes: [UInt8]) -> String? {
    bytes.firstIndex(of: 0x20).map { String(decoding: bytes[($0 + 1)...], as: UTF8.self) }
  }

  /// The digits at the beginning, at most nine of them.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(9).prefix { (0x30...0x39).contains($0) }.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}
