// The table of client scenarios (Corpus/conformance/client.jsonl) as values, and what was observed when one was played
// held against what it expects. How it is played, on a virtual clock or over HTTP, is not decided here.

import Foundation
import ServerSentEvents

struct Scenario: Decodable, Sendable, CustomStringConvertible {
  struct Client: Decodable, Sendable {
    var closeAfterEvents: Int?
    var closeOnOpen: Bool?
    var closeAfterMs: Int?
    var defaultReconnectMs: Int?
    var initialLastEventId: String?
    var requestHeaders: [String: String]?
    var idleTimeoutMs: Int?
    var maxEventBytes: Int?
    var reconnect: Bool?
  }

  struct Response: Decodable, Sendable {
    struct Repetition: Decodable, Sendable {
      var index: Int
      var times: Int
    }

    enum Ending: String, Decodable, Sendable { case close, reset, cut, hang }

    var status: Int?
    var headers: [[String]]
    var chunksB64: [String]
    var then: Ending
    var settleMs: Int?
    var chunkDelayMs: Int?
    var firstChunkDelayed: Bool?
    var framing: String?
    var lengthExtra: Int?
    var httpVersion: String?
    var repeatChunk: Repetition?

    var fields: [HeaderField] { headers.map { HeaderField($0[0], $0[1]) } }
    var chunks: [[UInt8]] { chunksB64.map { [UInt8](Data(base64Encoded: $0) ?? Data()) } }

    func delay(ofChunk index: Int) -> Duration {
      index > 0 || firstChunkDelayed == true ? .milliseconds(chunkDelayMs ?? 0) : .zero
    }

    func times(ofChunk index: Int) -> Int { repeatChunk?.index == index ? repeatChunk?.times ?? 1 : 1 }
  }

  struct Event: Decodable, Sendable {
    var type: String
    var data: String
    var lastEventId: String
  }

  struct Request: Decodable, Sendable {
    var path: String
    var must: [String: String]?
    var mustHex: [String: String]?
    var mustNot: [String]?
    var afterMs: [Int]?
  }

  struct Expectation: Decodable, Sendable {
    var requests: [Request]
    var events: [Event]
    var opens: Int
    var connectionErrors: Int
    var finalState: String
    var observeMs: Int
    var serverSeesCloseMs: Int?
    var alternativePaths: [String: [String]]?
    var headerMayBeOmitted: [String: [String]]?
    var extraRequestsAllowed: Int?
  }

  var name: String
  var client: Client
  var responses: [Response]
  var expect: Expectation

  var description: String { name }

  var configuration: EventSourceConfiguration {
    var configuration = EventSourceConfiguration(delivery: .signals)
    if client.reconnect == false { configuration.mode = .oneShot }
    if let milliseconds = client.defaultReconnectMs {
      configuration.policy.initialDelay = .milliseconds(milliseconds)
    }
    configuration.idleTimeout = client.idleTimeoutMs.map { .milliseconds($0) }
    if let bytes = client.maxEventBytes {
      configuration.limits = EventStreamParser.Limits(event: bytes)
    }
    configuration.lastEventID = client.initialLastEventId ?? ""
    return configuration
  }

  func request(to url: String) -> EventStreamRequest {
    let headers = (client.requestHeaders ?? [:]).map { HeaderField($0.key, $0.value) }
    return EventStreamRequest(url: url, headers: headers.sorted { $0.name < $1.name })
  }

  static let all: [Scenario] = {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("Corpus/conformance/client.jsonl")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    do {
      return try Data(contentsOf: file).split(separator: UInt8(ascii: "\n")).map {
        try decoder.decode(Scenario.self, from: $0)
      }
    } catch {
      preconditionFailure("\(file.path) can't be read as scenarios: \(error)")
    }
  }()
}

/// What happened when a scenario was played.
struct Observation: Sendable {
  struct Request: Sendable {
    var path: String
    var fields: [(name: String, bytes: [UInt8])]
    /// From the end of the previous answer.
    var after: Duration?
  }

  var requests: [Request] = []
  var events: [ServerSentEvent] = []
  var opens = 0
  var errors = 0
  var state = EventSourceState.idle
  /// From the client's close to the server's seeing it.
  var closeSeenAfter: Duration?

  mutating func note(_ signal: EventSourceSignal) {
    switch signal {
    case .open: opens += 1
    case .event(let event): events.append(event)
    case .error: errors += 1
    case .comment, .dropped, .gap, .reconnecting, .closed: break
    }
  }
}

extension Scenario {
  /// Whether as much has happened as is expected at least; what comes beyond is waited for `observe_ms`.
  func isSettled(_ seen: Observation) -> Bool {
    isSettledButForState(seen) && stateName(seen.state) == expect.finalState
  }

  func isSettledButForState(_ seen: Observation) -> Bool {
    seen.requests.count >= expect.requests.count && seen.events.count >= expect.events.count
      && seen.opens >= expect.opens && seen.errors >= expect.connectionErrors
  }

  private func stateName(_ state: EventSourceState) -> String {
    switch state {
    case .idle: "idle"
    case .open: "open"
    case .connecting, .reconnecting: "reconnecting"
    case .suspended: "suspended"
    case .closed: "closed"
    }
  }

  /// Every difference, in words.
  ///
  /// - Parameter countsLateness: whether coming too late is a finding. On the system's clock it isn't: how late a busy
  ///   machine is says nothing of the client, and the virtual clock holds it to the millisecond.
  func findings(_ seen: Observation, countsLateness: Bool) -> [String] {
    var findings: [String] = []
    func expect<Value: Equatable>(_ what: String, _ got: Value, _ wanted: Value) {
      if got != wanted { findings.append("\(what): \(got) instead of \(wanted)") }
    }
    expect("opens", seen.opens, self.expect.opens)
    expect("connection errors", seen.errors, self.expect.connectionErrors)
    expect("final state", stateName(seen.state), self.expect.finalState)
    expect(
      "events", seen.events.map { [$0.type, $0.data, $0.lastEventID].map { Array($0.utf8) } },
      self.expect.events.map { [$0.type, $0.data, $0.lastEventId].map { Array($0.utf8) } })
    let extra = seen.requests.count - self.expect.requests.count
    if extra < 0 || extra > self.expect.extraRequestsAllowed ?? 0 {
      findings.append("\(seen.requests.count) requests instead of \(self.expect.requests.count)")
    }
    for (number, (got, wanted)) in zip(seen.requests, self.expect.requests).enumerated() {
      let number = number + 1
      let paths = [wanted.path] + (self.expect.alternativePaths?["\(number)"] ?? [])
      if !paths.contains(got.path) { findings.append("request \(number): path \(got.path), not \(paths)") }
      func values(_ name: String) -> [[UInt8]] {
        got.fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.bytes)
      }
      for (name, value) in wanted.must ?? [:] {
        expect("request \(number): \(name)", values(name), [Array(value.utf8)])
      }
      for (name, hex) in wanted.mustHex ?? [:] {
        let got = values(name).map { $0.map { String(format: "%02x", $0) }.joined() }
        if got.isEmpty, self.expect.headerMayBeOmitted?["\(number)"]?.contains(name) == true { continue }
        expect("request \(number): \(name)", got, [hex])
      }
      for name in wanted.mustNot ?? [] { expect("request \(number): \(name)", values(name), []) }
      if let range = wanted.afterMs, let after = got.after,
        after < .milliseconds(range[0]) || countsLateness && after > .milliseconds(range[1])
      {
        findings.append("request \(number): came \(after) after the previous answer, not \(range) ms")
      }
    }
    if let limit = self.expect.serverSeesCloseMs {
      if let after = seen.closeSeenAfter {
        if countsLateness, after > .milliseconds(limit) {
          findings.append("the server saw the close after \(after)")
        }
      } else {
        findings.append("the server never saw the client's close")
      }
    }
    return findings
  }
}
