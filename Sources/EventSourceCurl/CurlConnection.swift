// One connection with libcurl, redirects included: sets a transfer up, drives it on the thread that calls `run`, and turns
// the library's callbacks into facts.
//
// UNSAFE, and why: libcurl is C. It gets pointers to texts that it copies, a pointer to this object, which outlives the
// transfer because `run` is its method, and it lends bytes for the time of a callback. Handles are made and freed in
// `transfer`; the one that another thread may touch, to wake us, is behind the lock.

import CCurl
import EventSourceURLSession
import Foundation
import ServerSentEvents

/// A connection while it runs.
@safe final class CurlConnection: @unchecked Sendable {
  // @unchecked: `multi` and `isCancelled` are touched with the lock held; all else by the thread of `run` alone.

  private typealias End = (cause: ConnectionEnd, detail: String)

  /// How a transfer came to its end.
  private enum Outcome {
    case ended(ConnectionEnd, String)
    case redirected(EventStreamRequest)
    case cancelled
  }

  private let treatment: CurlEventStreamTransport.Treatment
  private let credit: ReceivingCredit?
  private let facts: AsyncStream<StampedTransportFact>.Continuation
  private let clock = SystemEventStreamClock()
  private let first: EventStreamRequest

  private let lock = NSLock()
  private var multi: OpaquePointer?
  private var isCancelled = false

  private var request: EventStreamRequest
  private var redirection: Redirection
  private var head = ResponseHeadReader()
  /// Bytes of the body that came since it last brought anything: sizes and extensions of chunks.
  private var framing = 0
  /// What a callback decided: the transfer is broken off, and this is how.
  private var decided: Outcome?

  init(
    _ request: EventStreamRequest, _ treatment: CurlEventStreamTransport.Treatment,
    _ credit: ReceivingCredit?,
    _ facts: AsyncStream<StampedTransportFact>.Continuation
  ) {
    first = request
    self.request = request
    self.treatment = treatment
    self.credit = credit
    self.facts = facts
    redirection = Redirection(of: request)
  }

  /// Breaks the connection off; from any thread, at any time.
  func cancel() {
    lock.withLock {
      isCancelled = true
      if let multi = unsafe multi { _ = unsafe ccurl_multi_wakeup(multi) }
    }
  }

  /// Makes the connection and stays until it is over.
  func run() {
    defer { facts.finish() }
    while true {
      switch transfer() {
      case .redirected(let next): request = next
      case .cancelled: return
      case .ended(let cause, let detail): return tell(.ended(cause, detail: detail))
      }
    }
  }

  private func tell(_ fact: EventStreamTransportFact) {
    facts.yield(StampedTransportFact(at: clock.now, fact))
  }

  // MARK: One transfer

  private func transfer() -> Outcome {
    head = ResponseHeadReader()
    framing = 0
    decided = nil
    guard let url = Self.address(of: request, asIs: !treatment.contains(.redirectsFollowed)) else {
      return .ended(.unreachable, "not a web address: \(request.url)")
    }
    guard let fields = HeaderLines(of: request) else {
      return .ended(.protocol, "the request has a method or a header field that can't be sent")
    }
    guard let easy = unsafe ccurl_easy_new(), let multi = unsafe ccurl_multi_new() else {
      return .ended(.unknown, "no memory for a connection")
    }
    let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CCURL_ERROR_SIZE))
    unsafe message.initialize(repeating: 0, count: Int(CCURL_ERROR_SIZE))
    var list: OpaquePointer?
    defer {
      lock.withLock { unsafe self.multi = nil }
      _ = unsafe ccurl_multi_remove(multi, easy)
      unsafe ccurl_multi_free(multi)
      unsafe ccurl_easy_free(easy)
      unsafe ccurl_list_free(list)
      unsafe message.deallocate()
    }
    for line in fields.lines {
      guard let longer = unsafe ccurl_list_append(list, line) else { return .ended(.unknown, "no memory") }
      unsafe list = longer
    }
    unsafe set(easy, url: url, list: list, message: message)
    _ = unsafe ccurl_multi_add(multi, easy)
    lock.withLock { unsafe self.multi = multi }
    var running: CInt = 0
    while true {
      let problem = unsafe ccurl_multi_perform(multi, &running)
      if lock.withLock({ isCancelled }) { return .cancelled }
      if problem != 0 { return .ended(.unknown, "libcurl gave up [curl multi \(problem)]") }
      if running == 0 || decided != nil { break }
      _ = unsafe ccurl_multi_poll(multi, 60_000)
    }
    if let decided { return decided }
    let text = unsafe String(cString: message)
    return outcome(of: unsafe ccurl_multi_result(multi), text)
  }

  /// The request's URL in ASCII, as HTTP wants it: what a person wrote is encoded, what a proxy passes on stays as it is.
  private static func address(of request: EventStreamRequest, asIs: Bool) -> String? {
    guard let url = URL(string: request.url), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false
    else { return nil }
    let text = asIs ? request.url : url.absoluteString
    return text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F } ? text : nil
  }

  private func outcome(of code: CInt, _ message: String) -> Outcome {
    // The library takes one of two lengths, or none where it can't read it; what came is kept, but where it ends is a guess.
    if code == 0 || code == 18, let problem = head.contentLengthProblem { return .ended(.protocol, problem) }
    if code == 0 {
      // The library calls it a success when a server goes away in the middle of a head.
      if head.isComplete { return .ended(.complete, "") }
      return .ended(.reset, "the server closed the connection in the middle of the response's head")
    }
    // What the library says to a line that it has no room for is "Out of memory".
    if let part = ConnectionEnd.partWithOverlongLine(curlCode: code, message: message) {
      return .ended(.protocol, "a line of the response's \(part) is too long [curl \(code)]")
    }
    let text = message.isEmpty ? unsafe String(cString: ccurl_text(code)) : message
    return .ended(ConnectionEnd(curlCode: code, message: text), "\(text) [curl \(code)]")
  }

  private func set(
    _ easy: OpaquePointer, url: String, list: OpaquePointer?, message: UnsafeMutablePointer<CChar>
  ) {
    unsafe ccurl_set_pointer(easy, CInt(CCURL_ERRORBUFFER), message)
    unsafe ccurl_set_long(easy, CInt(CCURL_NOSIGNAL), 1)
    unsafe ccurl_set_long(easy, CInt(CCURL_PROTOCOLS), Int(CCURL_PROTOCOLS_WEB))
    unsafe ccurl_set_long(easy, CInt(CCURL_TCP_KEEPALIVE), 1)
    unsafe ccurl_set_long(easy, CInt(CCURL_PATH_AS_IS), 1)
    unsafe ccurl_set_long(easy, CInt(CCURL_SUPPRESS_CONNECT_HEADERS), 1)
    unsafe ccurl_set_text(easy, CInt(CCURL_URL), url)
    // A request with a body is set up as a POST, whatever it's called then.
    if request.method == "HEAD" {
      unsafe ccurl_set_long(easy, CInt(CCURL_NOBODY), 1)
    } else if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) {
      unsafe ccurl_set_long(easy, CInt(CCURL_POST), 1)
      unsafe ccurl_set_int64(easy, CInt(CCURL_POSTFIELDSIZE_LARGE), Int64(request.body.count))
      let body = request.body.isEmpty ? [0] : request.body  // the address of nothing would be no address
      unsafe body.withUnsafeBytes { bytes in
        _ = unsafe ccurl_set_bytes(easy, CInt(CCURL_COPYPOSTFIELDS), bytes.baseAddress)
      }
    } else {
      unsafe ccurl_set_long(easy, CInt(CCURL_HTTPGET), 1)
    }
    unsafe ccurl_set_text(easy, CInt(CCURL_CUSTOMREQUEST), request.method)
    unsafe ccurl_set_list(easy, CInt(CCURL_HTTPHEADER), list)
    if treatment.contains(.contentDecoded) { unsafe ccurl_set_text(easy, CInt(CCURL_ACCEPT_ENCODING), "") }
    if let file = Self.certificates { unsafe ccurl_set_text(easy, CInt(CCURL_CAINFO), file) }

    let me = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe ccurl_set_pointer(easy, CInt(CCURL_HEADERDATA), me)
    unsafe ccurl_set_function(easy, CInt(CCURL_HEADERFUNCTION)) { bytes, size, count, me in
      unsafe CurlConnection.call(me, bytes, size * count) { unsafe $0.took(line: $1) }
    }
    unsafe ccurl_set_pointer(easy, CInt(CCURL_WRITEDATA), me)
    unsafe ccurl_set_function(easy, CInt(CCURL_WRITEFUNCTION)) { bytes, size, count, me in
      unsafe CurlConnection.call(me, bytes, size * count) { unsafe $0.took(body: $1) }
    }
    unsafe ccurl_set_pointer(easy, CInt(CCURL_DEBUGDATA), me)
    unsafe ccurl_set_hearing(easy, CInt(CCURL_DEBUGFUNCTION)) { _, kind, _, count, me in
      guard kind == CInt(CCURL_HEARS_BODY), let me = unsafe me else { return 0 }
      unsafe Unmanaged<CurlConnection>.fromOpaque(me).takeUnretainedValue().heard(bodyBytes: count)
      return 0
    }
    unsafe ccurl_set_long(easy, CInt(CCURL_VERBOSE), 1)
  }

  /// The file of certificates that the environment names, as curl the program looks for it.
  private static let certificates: String? = {
    let environment = ProcessInfo.processInfo.environment
    return ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].compactMap { environment[$0] }.first { !$0.isEmpty }
  }()

  // MARK: Callbacks

  /// Hands lent bytes to the connection; what it returns tells the library whether to go on.
  private static func call(
    _ me: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int,
    _ take: (CurlConnection, UnsafeRawBufferPointer) -> Bool
  ) -> Int {
    guard let me = unsafe me else { return 0 }
    let connection = unsafe Unmanaged<CurlConnection>.fromOpaque(me).takeUnretainedValue()
    let goesOn = unsafe take(connection, UnsafeRawBufferPointer(start: bytes, count: count))
    return goesOn ? count : count + 1
  }

  private func took(line: UnsafeRawBufferPointer) -> Bool {
    switch unsafe head.append(Array(line)) {
    case .incomplete: return !lock.withLock { isCancelled }
    case .refused(let reason):
      decided = .ended(.protocol, reason)
      return false
    case .complete(var response):
      response.contentDecoded = treatment.contains(.contentDecoded) && response.hasKnownEncoding
      return answered(response)
    }
  }

  private func answered(_ response: EventStreamResponse) -> Bool {
    guard treatment.contains(.redirectsFollowed) else {
      tell(.response(response))
      return true
    }
    switch redirection.next(after: response, to: request) {
    case .none:
      tell(.response(response))
      return true
    case .follow(let next):
      tell(.redirect(response, to: next))
      decided = .redirected(next)
    case .refuse(let reason):
      tell(.response(response))
      decided = .ended(.protocol, reason.description)
    }
    return false
  }

  /// The library passes over a chunk's extension, however long, and says nothing: only here it is heard of.
  private func heard(bodyBytes count: Int) {
    framing += count
    if framing > ResponseHeadReader.mostBytes, decided == nil {
      let most = ResponseHeadReader.mostBytes >> 10
      decided = .ended(.protocol, "more than \(most) KiB of the body's chunk framing, and nothing in it")
    }
  }

  private func took(body: UnsafeRawBufferPointer) -> Bool {
    framing = 0
    let bytes = unsafe Array(body)
    if bytes.isEmpty { return true }
    if case .terminated = facts.yield(StampedTransportFact(at: clock.now, .bytes(bytes))) { return false }
    credit?.spend(bytes.count)
    return !lock.withLock { isCancelled }
  }
}
