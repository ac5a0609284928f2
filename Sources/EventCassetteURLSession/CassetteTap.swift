// The delegate-side tap: callbacks of a URLSession that the app owns, turned into facts for a recording. What is here
// runs inside the app's callbacks, so it stamps, appends to a mailbox and returns; the rest is done elsewhere.

public import EventCassettes
import EventSourceURLSession
public import ServerSentEvents

#if canImport(FoundationNetworking)
  public import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

/// Records what the delegate of an app's own URLSession is told, for apps that can't hand their connections to a
/// transport.
///
/// The methods are named like the delegate's: forward each callback first, then do what the app does.
///
/// ```swift
/// final class StreamDelegate: NSObject, URLSessionDataDelegate {
///   let tap: CassetteTap  // CassetteTap(into: try CassetteRecording(creating: path, header: header))
///
///   func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
///     tap.urlSession(session, dataTask: dataTask, didReceive: data)
///     parser.append(data)
///   }
///   …the same in didReceive response, willPerformHTTPRedirection and didCompleteWithError
/// }
/// tap.note(.background)     // from sceneDidEnterBackground, say
/// try await tap.finish()    // writes what waits, and the trailer
/// ```
///
/// Each call costs the caller a lock and an append. What waits is bounded: where the recording can't keep up, chunks are
/// left out and a note `overflow` says on the cassette how many; the app is never held up. A cassette holds one exchange
/// at a time: forward the callbacks of the event stream's tasks alone. The request is recorded as URLSession shows it:
/// a body given as a stream, and on Apple systems some headers that the system adds, are not in it.
public final class CassetteTap: Sendable {
  private let recording: CassetteRecording
  private let clock: any EventStreamClock
  private let mailbox: TapMailbox
  private let tasks = TappedTasks()
  private let pump: Task<Void, Never>

  /// Creates a tap.
  ///
  /// - Parameters:
  ///   - recording: where to; its notes may be used beside the tap's, which keep their place among the callbacks.
  ///   - limit: about how many bytes may wait before chunks are left out.
  ///   - clock: where the stamps come from; the recording's.
  public init(
    into recording: CassetteRecording, limit: Int = 4 << 20,
    clock: any EventStreamClock = SystemEventStreamClock()
  ) {
    self.recording = recording
    self.clock = clock
    let mailbox = TapMailbox(limit: limit)
    self.mailbox = mailbox
    pump = Task.detached(priority: .utility) {
      for await item in mailbox.items {
        mailbox.took(item)
        switch item {
        case .begin(let connection, let request, let at): await recording.begin(connection, request, at: at)
        case .fact(let connection, let fact): await recording.record(fact, of: connection)
        case .data(let connection, let data, let at):
          await recording.record(StampedTransportFact(at: at, .bytes([UInt8](data))), of: connection)
        case .note(let event, let other, let at): await recording.note(event, other, at: at)
        }
      }
    }
  }

  deinit { mailbox.close() }

  /// A task was created: its exchange begins now. Without this call it begins with the first of the others.
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    _ = connection(of: task, at: clock.now)
  }

  /// A redirect came. Call it with the request that the app lets URLSession follow, or `nil` if with none: then the
  /// redirect is the task's answer and comes as its response.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest?
  ) {
    guard let request else { return }
    let at = clock.now
    let connection = connection(of: task, request: task.originalRequest, at: at)
    let fact = EventStreamTransportFact.redirect(
      EventStreamResponse(response), to: EventStreamRequest(request))
    mailbox.put(.fact(connection, StampedTransportFact(at: at, fact)))
  }

  /// The response head came.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) {
    let at = clock.now
    let connection = connection(of: dataTask, at: at)
    respond(response, of: dataTask, connection, at: at)
  }

  /// A chunk of the body came.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let at = clock.now
    mailbox.put(.data(connection(of: dataTask, at: at), data, at: at))
  }

  /// The task is over.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    let at = clock.now
    let connection = connection(of: task, at: at)
    var end = EventStreamTransportFact.ended(.complete, detail: "")
    if let error {
      let cause = ConnectionEnd(urlSessionError: error)
      end = .ended(cause, detail: cause.detail(of: error))
    } else if !tasks.isAnswered(task) {
      // Linux ends a redirect without a usable Location like this: no error, and the response was never shown.
      if let response = task.response { respond(response, of: task, connection, at: at) }
      let location = (task.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Location") ?? ""
      end = .ended(.protocol, detail: RefusedRedirect.unusable(location: location, followed: 0).description)
    }
    tasks.remove(task)
    mailbox.put(.fact(connection, StampedTransportFact(at: at, end)))
  }

  /// Adds a note, such as `background` or `networkLost`, in its place among the callbacks.
  public func note(_ event: Cassette.Note.Event, _ other: JSONObject = [:]) {
    mailbox.put(.note(event, other, at: clock.now))
  }

  /// Ends the recording once everything that was forwarded before is written. What is forwarded later is left out.
  ///
  /// - Throws: `CassetteError`; the first failure of writing if there was one.
  @discardableResult
  public func finish() async throws(CassetteError) -> Cassette.Trailer {
    mailbox.close()
    await pump.value
    return try await recording.finish()
  }

  /// The connection that a task's callbacks belong to; it begins if this is the first of them.
  private func connection(
    of task: URLSessionTask, request: URLRequest? = nil, at: Duration
  ) -> RecordedConnection {
    let (connection, isNew) = tasks.connection(of: task)
    if isNew {
      let request = request ?? task.currentRequest ?? task.originalRequest
      mailbox.put(
        .begin(connection, request.map(EventStreamRequest.init) ?? EventStreamRequest(url: ""), at: at))
    }
    return connection
  }

  private func respond(
    _ response: URLResponse, of task: URLSessionTask, _ connection: RecordedConnection, at: Duration
  ) {
    guard let response = response as? HTTPURLResponse else { return }
    tasks.setAnswered(task)
    mailbox.put(
      .fact(connection, StampedTransportFact(at: at, .response(EventStreamResponse(response)))))
  }
}

/// Which connection on the cassette each task is. The lock also keeps callbacks of several queues apart.
private final class TappedTasks: Sendable {
  private struct Entry {
    /// A task that is gone without having completed must not pass its place on to one at the same address.
    weak var task: URLSessionTask?
    let connection = RecordedConnection()
    var isAnswered = false
  }

  private let entries = Locked<[ObjectIdentifier: Entry]>([:])

  func connection(of task: URLSessionTask) -> (RecordedConnection, isNew: Bool) {
    entries.withLock { entries in
      if let entry = entries[ObjectIdentifier(task)], entry.task === task { return (entry.connection, false) }
      let entry = Entry(task: task)
      entries[ObjectIdentifier(task)] = entry
      return (entry.connection, true)
    }
  }

  func setAnswered(_ task: URLSessionTask) {
    entries.withLock { $0[ObjectIdentifier(task)]?.isAnswered = true }
  }

  func isAnswered(_ task: URLSessionTask) -> Bool {
    entries.withLock { $0[ObjectIdentifier(task)]?.isAnswered ?? false }
  }

  func remove(_ task: URLSessionTask) {
    entries.withLock { $0[ObjectIdentifier(task)] = nil }
  }
}
