// Which recorded exchange a request asks for, and how to say that none does. Shared by everything that plays a
// cassette to a real client (ReplayTransport, the URLProtocol). Pure.

import ServerSentEvents

/// What of a request must equal the recorded one.
public struct RequestMatching: OptionSet, Hashable, Sendable {
  /// The set's bits.
  public let rawValue: Int
  /// Creates a set.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The method.
  public static let method = RequestMatching(rawValue: 1)
  /// The URL's path and query, where a masked query value equals any. Scheme, host and port are not compared: a test
  /// may well talk to another place than the recording did.
  public static let url = RequestMatching(rawValue: 2)
  /// The `Last-Event-ID` field.
  public static let lastEventID = RequestMatching(rawValue: 4)
  /// All of them.
  public static let all: RequestMatching = [.method, .url, .lastEventID]
}

/// A request that the cassette has no answer for.
public struct ReplayMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the request in its session, from 1.
  public let request: Int
  /// The recorded exchange that comes closest, from 1; `nil` if there is none at all.
  public let closest: Int?
  /// What was asked, what differs, and the command that records it.
  public let description: String
}

/// Requests in order against exchanges in order: request n+1 gets exchange n+1, if it is the one that was recorded.
struct ExchangeQueue: Sendable {
  private let requests: [Cassette.Request]
  private let matching: RequestMatching
  private let cassetteName: String
  /// Index of the exchange that the next request gets.
  private(set) var next = 0
  private var asked = 0

  init(_ exchanges: [Cassette.Exchange], matching: RequestMatching, cassetteName: String) {
    requests = exchanges.map(\.request)
    self.matching = matching
    self.cassetteName = cassetteName
  }

  var isExhausted: Bool { next == requests.count }

  /// The index of the exchange for a request. A mismatch uses up no exchange.
  mutating func take(_ request: EventStreamRequest) throws(ReplayMismatch) -> Int {
    asked += 1
    guard next < requests.count else { throw mismatch(request, []) }
    let differences = differences(request, requests[next])
    guard differences.isEmpty else { throw mismatch(request, differences) }
    next += 1
    return next - 1
  }

  /// The next exchange is a redirect's next hop, or is known to have been played.
  mutating func skip() { next = min(next + 1, requests.count) }

  private func differences(_ request: EventStreamRequest, _ recorded: Cassette.Request) -> [String] {
    var differences: [String] = []
    if matching.contains(.method), request.method != recorded.method {
      differences.append("method \(recorded.method)")
    }
    if matching.contains(.url), !Self.sameTarget(request.url, recorded.url) {
      differences.append("URL \(Self.target(recorded.url))")
    }
    if matching.contains(.lastEventID) {
      let sent = request.headers["Last-Event-ID"] ?? ""
      let wanted = recorded.headers["Last-Event-ID"] ?? ""
      if !sent.utf8.elementsEqual(wanted.utf8), !wanted.contains(Self.mask) {
        differences.append(wanted.isEmpty ? "no Last-Event-ID" : "Last-Event-ID ‘\(wanted)’")
      }
    }
    return differences
  }

  private func mismatch(_ request: EventStreamRequest, _ differences: [String]) -> ReplayMismatch {
    let id = request.headers["Last-Event-ID"].map { " with Last-Event-ID ‘\($0)’" } ?? ""
    var text = "request \(asked) is \(request.method) \(Self.target(request.url))\(id), but \(cassetteName) "
    // The next one is the closest unless another fits better.
    let ranked = requests.indices.sorted { a, b in
      let (left, right) = (
        self.differences(request, requests[a]).count, self.differences(request, requests[b]).count
      )
      return (left, abs(a - next), a) < (right, abs(b - next), b)
    }
    if next < requests.count {
      text += "expects \(differences.joined(separator: ", ")) for exchange \(next + 1)"
    } else {
      text +=
        "holds \(requests.count == 1 ? "one exchange" : "\(requests.count) exchanges"), and all are played"
    }
    if let closest = ranked.first {
      let others = self.differences(request, requests[closest])
      text += "; the closest is exchange \(closest + 1)"
      text +=
        others.isEmpty ? ", which fits but is not its turn" : ", which has \(others.joined(separator: ", "))"
    }
    let file = cassetteName.contains(" ") ? "'\(cassetteName)'" : cassetteName
    text += "; record it anew with: wiretape record --reconnect '\(request.url)' -o \(file) --force"
    return ReplayMismatch(request: asked, closest: ranked.first.map { $0 + 1 }, description: text)
  }

  private static let mask = "[FILTERED]"

  /// The URL without scheme, authority and fragment.
  static func target(_ url: String) -> String {
    var rest = url[...]
    if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
    if let scheme = rest.range(ofASCII: "://") {
      rest = rest[scheme...]
      guard let path = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
      rest = rest[path...]
    }
    return rest.first == "?" ? "/" + rest : String(rest)
  }

  private static func sameTarget(_ a: String, _ recorded: String) -> Bool {
    let (a, recorded) = (target(a), target(recorded))
    if a.utf8.elementsEqual(recorded.utf8) { return true }
    // A masked value in the query stands for any; its brackets may be percent-encoded.
    let left = a.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let right = recorded.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard left.count == 2, right.count == 2, left[0] == right[0] else { return false }
    let items = left[1].split(separator: "&", omittingEmptySubsequences: false)
    let wanted = right[1].split(separator: "&", omittingEmptySubsequences: false)
    return items.count == wanted.count
      && zip(items, wanted).allSatisfy { item, want in
        if item == want { return true }
        guard let equals = want.firstIndex(of: "=") else { return false }
        let value = want[want.index(after: equals)...]
        return (value == mask || value == "%5BFILTERED%5D") && item.hasPrefix(want[...equals])
      }
  }
}

extension Substring {
  /// The index after the first place of an ASCII text.
  fileprivate func range(ofASCII text: String) -> Index? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
