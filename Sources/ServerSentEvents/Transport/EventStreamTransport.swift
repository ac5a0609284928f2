// What the client needs from a network, without Foundation: a request goes in, facts come out in order, each with
// its time. URLSession, a cassette, a recorder around either, and a test's script are all transports.

/// A header field. Names compare without case where they are looked up; both are kept as given.
public struct HeaderField: Hashable, Sendable {
  /// The field's name as given.
  public var name: String
  /// The field's value as given.
  public var value: String

  /// Creates a header field.
  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

extension [HeaderField] {
  /// The first value of the named field, names compared without ASCII case; setting replaces every one.
  public subscript(name: String) -> String? {
    get { first { $0.name.equalsIgnoringASCIICase(name) }?.value }
    set {
      let place = firstIndex { $0.name.equalsIgnoringASCIICase(name) }
      removeAll { $0.name.equalsIgnoringASCIICase(name) }
      if let newValue { insert(HeaderField(name, newValue), at: Swift.min(place ?? count, count)) }
    }
  }

  /// Every value of the named field in order, names compared without ASCII case.
  public func values(of name: String) -> [String] {
    filter { $0.name.equalsIgnoringASCIICase(name) }.map(\.value)
  }
}

extension String {
  /// Whether both are the same bytes once ASCII letters are folded (RFC 9110, section 5.1).
  package func equalsIgnoringASCIICase(_ other: String) -> Bool {
    utf8.count == other.utf8.count
      && zip(utf8, other.utf8).allSatisfy { a, b in
        a == b || ((a ^ b) == 0x20 && (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(a | 0x20))
      }
  }
}

/// A request for an event stream.
public struct EventStreamRequest: Hashable, Sendable {
  /// The method, `GET` by default.
  public var method: String
  /// The absolute URL as text.
  public var url: String
  /// The header fields to send, in order. What the transport adds of its own is not here.
  public var headers: [HeaderField]
  /// The body's bytes; empty for none.
  public var body: [UInt8]
  /// Names of header fields that are not sent on when a redirect leads to another origin: the request's own credentials,
  /// beside those that are known by their usual names (`Authorization`, `Cookie`, `X-API-Key` …).
  public var credentialHeaders: [String] = []

  /// Creates a request.
  public init(method: String = "GET", url: String, headers: [HeaderField] = [], body: [UInt8] = []) {
    self.method = method
    self.url = url
    self.headers = headers
    self.body = body
  }

  /// The names of all header fields that stay behind when a redirect leads to another origin.
  package var namesOfCredentials: [String] { CredentialFields.names + credentialHeaders }
}

/// The head of a response.
public struct EventStreamResponse: Hashable, Sendable {
  /// The status code.
  public var status: Int
  /// The header fields as the transport gives them.
  public var headers: [HeaderField]
  /// Whether the transport undid a content encoding that the headers still name.
  public var contentDecoded: Bool

  /// Creates a response head.
  public init(status: Int, headers: [HeaderField] = [], contentDecoded: Bool = false) {
    self.status = status
    self.headers = headers
    self.contentDecoded = contentDecoded
  }
}

/// How a connection ended. The raw values are the cassette format's `cause` texts.
public enum ConnectionEnd: String, Hashable, Sendable, CaseIterable {
  /// The response body was received in full.
  case complete
  /// The body broke off before its length or last chunk.
  case truncated
  /// The peer reset the connection.
  case reset
  /// Nothing arrived for longer than the idle timeout.
  case timedOut
  /// The client closed the connection.
  case cancelled
  /// No connection could be made, or the network is gone.
  case unreachable
  /// The secure connection could not be made.
  case tls
  /// The peer broke the protocol (HTTP framing, redirect).
  case `protocol`
  /// Anything else; the detail says what.
  case unknown
}

extension ConnectionEnd {
  /// The end in words: its name, and what else is known of it.
  package func words(_ detail: String) -> String { detail.isEmpty ? rawValue : "\(rawValue): \(detail)" }
}

/// One fact about a connection.
public enum EventStreamTransportFact: Hashable, Sendable {
  /// The server answered with a redirect that the transport follows by sending `to`.
  case redirect(EventStreamResponse, to: EventStreamRequest)
  /// The response head arrived.
  case response(EventStreamResponse)
  /// One chunk of the body, cut as the network delivered it; never empty.
  case bytes([UInt8])
  /// The connection is over; nothing follows. `detail` is for people: it may name the underlying error.
  case ended(ConnectionEnd, detail: String)
}

/// A fact and the moment it became known to the transport.
public struct StampedTransportFact: Hashable, Sendable {
  /// Monotonic time since an origin that the transport's clock chooses; it runs on during sleep.
  public var at: Duration
  /// What happened.
  public var fact: EventStreamTransportFact

  /// Creates a stamped fact.
  public init(at: Duration, _ fact: EventStreamTransportFact) {
    self.at = at
    self.fact = fact
  }
}

/// Something that opens connections for event streams.
public protocol EventStreamTransport: Sendable {
  /// Opens one connection and returns its facts in order; the last is `ended`.
  ///
  /// Cancelling the task that iterates, or dropping the stream, closes the connection; a closed connection may end
  /// the sequence without a last fact. Facts wait in the sequence until they are taken, so take them at once.
  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact>
}

/// Monotonic time that runs on during sleep, and waiting on it. Tests and replays bring a virtual one.
public protocol EventStreamClock: Sendable {
  /// The time since the clock's origin.
  var now: Duration { get }
  /// Returns at `deadline`, at once if it has passed. Throws `CancellationError` if the task is cancelled.
  func sleep(until deadline: Duration) async throws
}

/// The system's continuous clock.
public struct SystemEventStreamClock: EventStreamClock {
  // One origin for the whole process, so stamps of different transports compare.
  private static let origin = ContinuousClock.now

  /// Creates the clock; all of them share one origin in a process.
  public init() {}

  /// The time since the first use of the clock in this process.
  public var now: Duration { Self.origin.duration(to: .now) }

  /// Sleeps on the continuous clock.
  public func sleep(until deadline: Duration) async throws {
    try await ContinuousClock().sleep(until: Self.origin + deadline, tolerance: nil)
  }
}
