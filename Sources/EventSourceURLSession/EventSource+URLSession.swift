// Event sources for apps that start from a URL, a URLRequest or a URLSession: conveniences over the transport.

public import Foundation
public import ServerSentEvents

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

extension EventSourceEnvironment {
  /// An environment over URLSession, with the system's clocks.
  public static func urlSession(
    _ transport: any EventStreamTransport = URLSessionEventStreamTransport.shared
  ) -> EventSourceEnvironment {
    EventSourceEnvironment(
      transport: transport, unixTime: { Int64(Date().timeIntervalSince1970.rounded(.down)) })
  }
}

extension EventSource {
  /// An event source for a URL: `for try await event in EventSource(url: url) { … }`.
  public convenience init(
    url: URL, headers: [HeaderField] = [],
    configuration: EventSourceConfiguration = EventSourceConfiguration(),
    environment: EventSourceEnvironment = .urlSession()
  ) {
    self.init(
      EventStreamRequest(url: url.absoluteString, headers: headers), configuration: configuration,
      environment: environment)
  }

  /// An event source for a whole request, with its method, header fields and body.
  public convenience init(
    _ request: URLRequest, configuration: EventSourceConfiguration = EventSourceConfiguration(),
    environment: EventSourceEnvironment = .urlSession()
  ) {
    self.init(EventStreamRequest(request), configuration: configuration, environment: environment)
  }

  /// One request and its answer, as from an LLM: `POST` with a JSON body where there's a body.
  ///
  /// It ends when the answer does, and throws if there's another status than 200, another type than an event stream,
  /// a connection that breaks off, or `idleTimeout` without a byte.
  public static func oneShot(
    url: URL, headers: [HeaderField] = [], body: Data? = nil, idleTimeout: Duration? = nil,
    environment: EventSourceEnvironment = .urlSession()
  ) -> EventSource {
    var request = EventStreamRequest(
      method: body == nil ? "GET" : "POST", url: url.absoluteString, headers: headers,
      body: body.map { [UInt8]($0) } ?? [])
    if body != nil, request.headers["Content-Type"] == nil {
      request.headers["Content-Type"] = "application/json"
    }
    return EventSource(
      request, configuration: EventSourceConfiguration(mode: .oneShot, idleTimeout: idleTimeout),
      environment: environment)
  }
}

extension URLSession {
  /// One connection for a request, validated (200, `text/event-stream`); its end is the end of the sequence.
  ///
  /// A session of the same configuration is made for it, because URLSession gives a body's bytes to its session's
  /// delegate alone; authentication challenges go on to this session's delegate.
  public func serverSentEvents(for request: URLRequest, idleTimeout: Duration? = nil) -> EventSource {
    EventSource(
      request, configuration: EventSourceConfiguration(mode: .oneShot, idleTimeout: idleTimeout),
      environment: .urlSession(URLSessionEventStreamTransport(like: self)))
  }

  /// One connection for a `GET` of a URL.
  public func serverSentEvents(from url: URL, idleTimeout: Duration? = nil) -> EventSource {
    serverSentEvents(for: URLRequest(url: url), idleTimeout: idleTimeout)
  }
}

extension URLSessionEventStreamTransport {
  /// A transport with an existing session's configuration, and its delegate for authentication challenges.
  public convenience init(like session: URLSession) {
    let forwarder = ChallengeForwarder(session)
    self.init(configuration: session.configuration, challenge: forwarder.answer)
  }
}

/// Hands challenges to another session's delegate, at the session level, where server trust is asked for.
private struct ChallengeForwarder: Sendable {
  private let session: URLSession

  init(_ session: URLSession) { self.session = session }

  @Sendable func answer(
    _ challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard let delegate = session.delegate else { return (.performDefaultHandling, nil) }
    return await withCheckedContinuation { continuation in
      #if canImport(FoundationNetworking)
        delegate.urlSession(session, didReceive: challenge) { continuation.resume(returning: ($0, $1)) }
      #else
        // An optional method there: without it the system decides.
        let answered: Void? = delegate.urlSession?(session, didReceive: challenge) {
          continuation.resume(returning: ($0, $1))
        }
        if answered == nil { continuation.resume(returning: (.performDefaultHandling, nil)) }
      #endif
    }
  }
}
