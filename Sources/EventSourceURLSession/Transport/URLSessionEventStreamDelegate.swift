// URLSession's callbacks turned into transport facts, nothing else. All of them come on one serial queue.

import Foundation
import ServerSentEvents

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The delegate of a transport's session. It must not hold the transport: the session holds it until invalidated.
///
/// Unchecked, because NSObject is no value: its only state is the table of connections, and a lock guards that.
final class URLSessionEventStreamDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  private typealias Facts = AsyncStream<StampedTransportFact>.Continuation

  private struct Connection {
    var continuation: Facts
    var origin: WebOrigin?
    /// The header fields that stay there.
    var namesOfCredentials: [String]
    var isCancelled = false
    var hasLeftOrigin = false
    var hasResponse = false
    var redirects = 0
    /// Linux shows the answer that carries a challenge before it asks for credentials: what waits until that is decided.
    var heldBack: [StampedTransportFact]?
    var heldBytes = 0

    /// Keeps a fact back, or says that it's time to let all of them go.
    mutating func holds(_ stamped: StampedTransportFact) -> Bool {
      switch stamped.fact {
      case .redirect, .ended: return false
      case .response: break
      case .bytes(let bytes):
        heldBytes += bytes.count
        if heldBytes > URLSessionEventStreamDelegate.mostHeldBytes { return false }
      }
      heldBack?.append(stamped)
      return true
    }

    /// What was held back; from now on nothing is.
    mutating func release() -> [StampedTransportFact] {
      defer { heldBack = nil }
      return heldBack ?? []
    }
  }

  /// Whether a redirect leads to an HTTP server. Linux makes a request to the redirecting host of any other address.
  private static func canFollow(_ response: HTTPURLResponse) -> Bool {
    guard let location = response.value(forHTTPHeaderField: "Location"), !location.isEmpty,
      let target = URL(string: location, relativeTo: response.url)?.absoluteURL
    else { return false }
    return ["http", "https"].contains(target.scheme?.lowercased()) && target.host?.isEmpty == false
  }

  /// More of a refused answer's body than any client keeps.
  private static let mostHeldBytes = 16 << 10

  let challenge: URLSessionEventStreamTransport.ChallengeHandler?
  private let credit: ReceivingCredit?
  private let clock = SystemEventStreamClock()
  /// Held while facts are handed over, so that they keep their order. Never taken by a cancellation: that comes with the
  /// task locked that takes the facts, and who hands them over wants to lock it.
  private let handover = NSLock()
  private let lock = NSLock()
  private var connections: [Int: Connection] = [:]

  init(challenge: URLSessionEventStreamTransport.ChallengeHandler?, credit: ReceivingCredit?) {
    self.challenge = challenge
    self.credit = credit
  }

  func add(
    _ task: URLSessionTask, of request: EventStreamRequest,
    _ continuation: AsyncStream<StampedTransportFact>.Continuation
  ) {
    let connection = Connection(
      continuation: continuation, origin: task.originalRequest?.url.flatMap(WebOrigin.init),
      namesOfCredentials: request.namesOfCredentials)
    lock.withLock { connections[task.taskIdentifier] = connection }
  }

  private func send(_ fact: EventStreamTransportFact, of task: URLSessionTask) {
    let stamped = StampedTransportFact(at: clock.now, fact)
    handOver(of: task) { connection in
      if connection.heldBack == nil { return [stamped] }
      return connection.holds(stamped) ? [] : connection.release() + [stamped]
    }
  }

  private func release(_ task: URLSessionTask, droppingAll: Bool) {
    handOver(of: task) { connection in
      let held = connection.release()
      return droppingAll ? [] : held
    }
  }

  private func handOver(of task: URLSessionTask, _ facts: (inout Connection) -> [StampedTransportFact]) {
    handover.withLock {
      let (continuation, due) = lock.withLock {
        guard var connection = connections[task.taskIdentifier] else {
          return (nil as Facts?, [StampedTransportFact]())
        }
        let due = facts(&connection)
        connections[task.taskIdentifier] = connection
        return (connection.continuation, due)
      }
      for fact in due { continuation?.yield(fact) }
    }
  }

  /// Nothing is handed over any more.
  private func finish(_ task: URLSessionTask) {
    handover.withLock {
      lock.withLock { connections.removeValue(forKey: task.taskIdentifier) }?.continuation.finish()
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard Self.canFollow(response) else {
      answerRedirect(of: task, with: nil, completionHandler)
      received(response, of: task)
      refuse(response, of: task)
      finish(task)
      return
    }
    var request = request
    let target = request.url.flatMap(WebOrigin.init)
    let left = lock.withLock { () -> [String] in
      guard var connection = connections[task.taskIdentifier] else { return CredentialFields.names }
      // Once away it stays away: a chain that comes back through a stranger gets nothing either.
      connection.redirects += 1
      connection.hasLeftOrigin = connection.hasLeftOrigin || target == nil || target != connection.origin
      connections[task.taskIdentifier] = connection
      return connection.hasLeftOrigin ? connection.namesOfCredentials : []
    }
    for name in left { request.setValue(nil, forHTTPHeaderField: name) }
    answerRedirect(of: task, with: request, completionHandler)
    send(.redirect(EventStreamResponse(response), to: EventStreamRequest(request)), of: task)
  }

  /// Ends a connection at a redirect that can't be followed.
  private func refuse(_ response: HTTPURLResponse?, of task: URLSessionTask) {
    let refused = RefusedRedirect.unusable(
      location: response?.value(forHTTPHeaderField: "Location") ?? "",
      followed: lock.withLock { connections[task.taskIdentifier]?.redirects ?? 0 })
    send(.ended(.protocol, detail: refused.description), of: task)
  }

  /// Answers before anybody hears of the redirect, who might cancel: on Linux a cancelled task that gets the answer
  /// ends the process. The lock keeps a cancellation from coming in between.
  private func answerRedirect(
    of task: URLSessionTask, with request: URLRequest?, _ completionHandler: (URLRequest?) -> Void
  ) {
    lock.withLock {
      #if canImport(FoundationNetworking)
        guard connections[task.taskIdentifier]?.isCancelled == false else { return }
      #endif
      completionHandler(request)
    }
  }

  /// Cancels a task.
  func cancel(_ task: URLSessionTask) {
    lock.withLock {
      connections[task.taskIdentifier]?.isCancelled = true
      task.cancel()
    }
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    received(response, of: dataTask)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if data.isEmpty { return }
    send(.bytes([UInt8](data)), of: dataTask)
    credit?.spend(data.count)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let isAnswered = lock.withLock { connections[task.taskIdentifier]?.hasResponse ?? true }
    if let error {
      let end = ConnectionEnd(urlSessionError: error)
      send(.ended(end, detail: end.detail(of: error)), of: task)
    } else if isAnswered {
      let problem = (task.response as? HTTPURLResponse).map(EventStreamResponse.init)?.contentLengthProblem
      send(.ended(problem == nil ? .complete : .protocol, detail: problem ?? ""), of: task)
    } else {
      // Linux ends a redirect without a usable Location like this: no error, and the response was never shown.
      if let response = task.response { received(response, of: task) }
      refuse(task.response as? HTTPURLResponse, of: task)
    }
    finish(task)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge) { [self] disposition, credential in
      // With a credential the request is sent again, and the refused answer was part of asking. Without, it's the
      // answer; what follows it on Linux may never come.
      release(task, droppingAll: disposition == .useCredential && credential != nil)
      completionHandler(disposition, credential)
    }
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    answer(challenge, completionHandler)
  }

  private func answer(
    _ challenge: URLAuthenticationChallenge,
    _ completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let handler = self.challenge else { return completionHandler(.performDefaultHandling, nil) }
    Task {
      let (disposition, credential) = await handler(challenge)
      completionHandler(disposition, credential)
    }
  }

  private func received(_ response: URLResponse, of task: URLSessionTask) {
    // Linux shows interim answers (1xx) too; the answer is the one that follows them (RFC 9110, section 15.2).
    guard let response = response as? HTTPURLResponse, !(100..<200).contains(response.statusCode) else {
      return
    }
    lock.withLock {
      connections[task.taskIdentifier]?.hasResponse = true
      #if canImport(FoundationNetworking)
        if challenge != nil, response.statusCode == 401,
          response.value(forHTTPHeaderField: "WWW-Authenticate") != nil
        {
          connections[task.taskIdentifier]?.heldBack = []
          connections[task.taskIdentifier]?.heldBytes = 0
        }
      #endif
    }
    send(.response(EventStreamResponse(response)), of: task)
  }
}
