// Event streams over URLSession, with one delegate on Linux and Apple alike. This file holds the session and its
// settings; what its callbacks mean is in URLSessionEventStreamDelegate, how its errors are named in
// ConnectionEnd+URLError, how requests and responses are translated in EventStreamRequest+URLRequest.

public import ServerSentEvents

#if canImport(FoundationNetworking)
  import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Opens event streams with URLSession.
///
/// The session is made from the app's own configuration, so its proxies, protocols, cookies, additional headers and TLS
/// settings hold; authentication challenges and server trust go to the app's handler. Three things are changed in the
/// copy: URLSession's own timeouts are set out of the way (a heartbeat every two minutes is no failure; the idle timeout
/// is the event source's), the cache is off, and a host may have any number of connections, because each stream keeps
/// one for as long as it's open.
///
/// What the app's credentials are for one origin stays there: on a redirect to another origin, `Authorization`,
/// `Proxy-Authorization` and `Cookie` headers of the request are left out (Linux would send them on).
public final class URLSessionEventStreamTransport: EventStreamTransport {
  /// Answers an authentication challenge: a server's certificate, a client certificate, or HTTP authentication.
  public typealias ChallengeHandler =
    @Sendable (URLAuthenticationChallenge) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// A transport with `URLSessionConfiguration.default`, for everyone who asks for nothing else.
  public static let shared = URLSessionEventStreamTransport()

  /// Longer than any stream lives.
  private static let outOfTheWay: TimeInterval = 365 * 86_400

  private let session: URLSession
  private let delegate: URLSessionEventStreamDelegate
  private let credit: ReceivingCredit?

  /// Creates a transport with a session of its own.
  ///
  /// - Parameters:
  ///   - configuration: the app's; it's copied.
  ///   - challenge: answers authentication challenges; without it URLSession's default handling goes on.
  public convenience init(
    configuration: URLSessionConfiguration = .default, challenge: ChallengeHandler? = nil
  ) {
    self.init(configuration, challenge, credit: nil)
  }

  private init(
    _ configuration: URLSessionConfiguration, _ challenge: ChallengeHandler?, credit: ReceivingCredit?
  ) {
    self.credit = credit
    let copy = (configuration.copy() as? URLSessionConfiguration) ?? configuration
    copy.requestCachePolicy = .reloadIgnoringLocalCacheData
    copy.urlCache = nil
    copy.timeoutIntervalForRequest = Self.outOfTheWay
    copy.timeoutIntervalForResource = Self.outOfTheWay
    copy.httpMaximumConnectionsPerHost = 1024
    delegate = URLSessionEventStreamDelegate(challenge: challenge, credit: credit)
    #if canImport(FoundationNetworking)
      let queue = credit == nil ? CallbackQueue() : BoundedCallbackQueue()
    #else
      let queue = OperationQueue()
    #endif
    queue.maxConcurrentOperationCount = 1  // the order of the callbacks is the order of the facts
    queue.name = "EventSourceURLSession"
    session = URLSession(configuration: copy, delegate: delegate, delegateQueue: queue)
  }

  deinit {
    // Streams that are open go on; afterwards the session lets its delegate go.
    session.finishTasksAndInvalidate()
  }

  /// Opens one connection. Dropping the stream or cancelling its task closes the socket.
  public func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    guard var urlRequest = URLRequest(eventStream: request) else {
      let end = EventStreamTransportFact.ended(.unreachable, detail: "not a URL: \(request.url)")
      continuation.yield(StampedTransportFact(at: SystemEventStreamClock().now, end))
      continuation.finish()
      return stream
    }
    urlRequest.timeoutInterval = Self.outOfTheWay
    urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
    let task = session.dataTask(with: urlRequest)
    delegate.add(task, of: request, continuation)
    var credits = credit.map { [$0] } ?? []
    #if canImport(FoundationNetworking)
      if let queue = session.delegateQueue as? BoundedCallbackQueue { credits.append(queue.places) }
    #endif
    for credit in credits { credit.begin() }
    continuation.onTermination = { [credits, delegate] _ in
      for credit in credits { credit.end() }  // first, because cancelling may wait for who waits for these
      delegate.cancel(task)
    }
    task.resume()
    return stream
  }
}

extension URLSessionEventStreamTransport: HeldBackTransport {
  /// The same transport for one connection at a time, whose server is held back while too much waits to be taken in.
  package func heldBack(by credit: ReceivingCredit) -> any EventStreamTransport {
    URLSessionEventStreamTransport(session.configuration, delegate.challenge, credit: credit)
  }
}
