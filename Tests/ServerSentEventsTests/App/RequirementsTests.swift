// What an app asks of the client, row by row, and the tests that hold it to that. The table is checked: a test that is
// renamed or removed must be renamed or replaced here too.
import Foundation
import Testing

@Suite("What an app asks for") struct RequirementsTests {
  struct Requirement: Sendable, CustomTestStringConvertible {
    var row: String
    var tests: [String]
    var testDescription: String { row }

    init(_ row: String, _ tests: String...) {
      self.row = row
      self.tests = tests
    }
  }

  // MARK: The order-status architecture

  static let architecture: [Requirement] = [
    .init(
      "Typed events from JSON, with the backend's date format",
      "dates come in the backend's format",
      "typed events over the network: dates, a bad payload between good ones, unknown names and heartbeats"),
    .init(
      "An invalid payload is reported without its content and does not end the stream",
      "an invalid payload is reported without its content and does not end the stream"),
    .init(
      "Unknown event names and heartbeats are ignored",
      "unknown names and heartbeats are ignored; a bad payload is reported and a good one follows"),
    .init(
      "One streaming request: open, messages, and an end with status, error, cancelled or not",
      "signals come in one order: open, comment, event, error, reconnecting, closed",
      "a fatal answer is thrown with its status and body, after the events before it",
      "a transport that was cancelled underneath stays closed",
      "cancelling the task closes the connection and ends the sequence"),
    .init(
      "Retry-After in seconds or as a date", "seconds are read as they stand and saturate",
      "all three date forms are read", "Retry-After in seconds and as each kind of date"),
    .init(
      "A fresh request at every reconnect",
      "each request is prepared afresh; preparing that throws is a connection that failed",
      "every connection gets a fresh request"),
    .init(
      "Replaced requests' callbacks are dead", "whatever an old connection still says changes nothing",
      "a login ends the run, forgets the ID and begins anew; what the old run still says is old news"),
    .init(
      "One connection while at least one scene is active, closed in the background, reopened in the foreground",
      "a set of scenes: only the first and the last of them matter",
      "one connection while at least one scene is active, closed in the background, resumed in the foreground",
      "a coordinator over real sockets: the server sees the background, and the foreground resumes"),
    .init(
      "Connection states, distinct and observable by many",
      "states are distinct, and observable by many; a loss is reconnecting until there is a connection again",
      "each state of the event source has its name on the screen"),
    .init(
      "Pending reconnects go with the network, and it connects when that is back",
      "pending reconnects are cancelled when the network goes; its return connects at once",
      "no network closes the connection, its return opens one at once"),
    .init(
      "Cancel and recreate after login, logout and token refresh",
      "login, logout and token refresh make the connection anew; another account knows nothing of the last one's ID",
      "after a logout nothing connects, whatever happens, until somebody logs in"),
    .init(
      "The reconnect policy by cause",
      "429, 503 and other 5xx wait; 401 and 403 without credentials, other 4xx and other types are fatal",
      "401 refreshes once, connects again, and a second 401 is signed out until credentials change",
      "403 is blocked until credentials change; the foreground asks again only if told to",
      "204 stops, before and after a stream", "every other end reconnects"),
    .init(
      "Only one scheduled reconnect", "keep every promise, whatever happens in whatever order",
      "random facts: one run at a time, none without login or before a scene"),
    .init(
      "Backoff with jitter",
      "without a wish the wait is full jitter under a doubling ceiling, and 100 ms at least",
      "jitter lengthens what the server asked for by up to a tenth, and never shortens it"),
    .init(
      "Refreshes are debounced, at most one for each key",
      "signals for one key are debounced into one refresh",
      "random inputs: never two runs of a key, and no signal is forgotten"),
    .init(
      "A signal that comes during a refresh runs after it",
      "a signal that arrives during a refresh runs after it, once",
      "a signal during a refresh runs after it; other keys don't wait"),
    .init("Keys are independent", "keys are independent"),
    .init(
      "Failure unlocks as success does", "a failed refresh unlocks its key, and a good one follows"),
    .init(
      "A stale result never overwrites a newer one", "a stale result never overwrites a newer one",
      "a result that was superseded while it was fetched is dropped"),
    .init(
      "Metrics without payloads", "measurements tell what happened, in numbers and causes",
      "measurements hold attempts, latency to the handler and time to the first event, and no payload"),
    .init(
      "The app's own secured session", "the app's own configuration is used: its additional headers are sent",
      "the app's own answer to an authentication challenge is used",
      "one shot by a whole URLRequest and by URL on an app's own session"),
    .init(
      "A screen takes only its resource's events",
      "different resources together: each subscriber gets its own events, all from one connection"),
    .init(
      "A screen takes events only while it is visible",
      "a screen takes events only while its scene is active, and learns how many it missed"),
    .init(
      "A subscription does not keep its screen alive",
      "events come on the main actor when asked, and a subscription does not keep its screen alive"),
  ]

  // MARK: Its checklist before shipping

  static let checklist: [Requirement] = [
    .init(
      "A whole event in one chunk; split, also inside a character; many in one chunk; several data lines",
      "every case passes whole, byte by byte, at hostile cuts and at 20 random plans",
      "every case passes at every single split", "bytes, and chunks of every size, give the same events",
      "a multi-field event arrives with all of its fields, however it is cut"),
    .init(
      "Heartbeats and unknown names; bad JSON, then a good event",
      "unknown names and heartbeats are ignored; a bad payload is reported and a good one follows",
      "an invalid payload is reported without its content and does not end the stream"),
    .init("Retry values", "retry takes ASCII digits alone and saturates"),
    .init(
      "Network loss and recovery", "the last obstacle to go opens the connection, in any order",
      "pending reconnects are cancelled when the network goes; its return connects at once"),
    .init(
      "Foreground, background, scene gone",
      "one connection while at least one scene is active, closed in the background, resumed in the foreground",
      "background and foreground, told before the start and meanwhile"),
    .init(
      "Login, logout, expiry, 401, 403, 429, 5xx",
      "login, logout and token refresh make the connection anew; another account knows nothing of the last one's ID",
      "expiry: 401 gets new credentials once, then signed out, until the app logs in",
      "without a way to refresh them, 401 is signed out at once",
      "403 is blocked until credentials change: the foreground doesn't ask again",
      "429 and 503 wait as asked; neither the foreground nor the network comes before"),
    .init(
      "Duplicates", "duplicates are left out if asked for",
      "what a burst of events and its duplicates say changed is fetched once for each resource"),
    .init(
      "Different resources together",
      "different resources together: each subscriber gets its own events, all from one connection"),
    .init(
      "Leaving during a refresh", "leaving during a refresh drops its result, and coming back fetches anew"),
    .init("A failed refresh, then a good one", "a failed refresh unlocks its key, and a good one follows"),
  ]

  // MARK: On a phone

  static let mobile: [Requirement] = [
    .init(
      "The last event id persists across launches, and what was missed arrives once",
      "the last event id is kept across launches, and every event missed in between arrives once",
      "what is stored is loaded, by every store",
      "storing replaces the file as a whole: a reader sees the old ID or the new one, never a part",
      "an ID is stored when the consumer comes back, not before"),
    .init(
      "Inactivity timeout above twice the heartbeat",
      "heartbeats within the inactivity timeout keep a connection; silence beyond it gives it up"),
    .init("Empty lines are kept", "a multi-field event arrives with all of its fields, however it is cut"),
    .init(
      "Events on the main actor when asked",
      "events come on the main actor when asked, and a subscription does not keep its screen alive",
      "events are shown on the main actor by a loop of its own"),
    .init(
      "Exponential backoff with jitter up to 30 s, reset on success",
      "without a wish the wait is full jitter under a doubling ceiling, and 100 ms at least",
      "an event or five seconds make a connection healthy, and the count begins anew"),
    .init(
      "Start and stop with the scene phase",
      "one connection while at least one scene is active, closed in the background, resumed in the foreground"
    ),
    .init(
      "The cached snapshot first",
      "the cached snapshot comes first, before any connection, then what is live"),
  ]

  // MARK: Over URLSession, as sequences, in one shot

  static let sequences: [Requirement] = [
    .init(
      "An Express-like server, events as an AsyncStream, cancelling tears the request down",
      "an Express-like server that sends an update every 500 ms is consumed as an AsyncStream, and cancelled",
      "cancelling the task that takes payloads ends what is beneath",
      "leaving the loop over payloads ends what is beneath",
      "cancelling the task closes the socket: the server sees it"),
    .init(
      "Multi-field events", "a multi-field event arrives with all of its fields, however it is cut"),
    .init(
      "for try await event in EventSource(url:): reconnects, honours retry, sends Last-Event-ID, ends on 204",
      "for try await event in EventSource(url:) reconnects, resumes, and ends after 204",
      "events come in order over a reconnect, and the sequence ends after 204"),
    .init(
      "Ends on an unrecoverable response, thrown, and on cancellation",
      "a fatal answer is thrown with its status and body, after the events before it",
      "cancelling the task closes the connection and ends the sequence"),
    .init("Resumes from a stored id and interval", "resumes from a stored id and interval"),
    .init(
      "One connection, validated, with its state readable for a reconnection by hand",
      "after one connection its last id and retry are there for a reconnection by hand",
      "200 with the right type opens"),
    .init(
      ".sse() on any async sequence of bytes: lazy, rethrowing, stopping at cancellation",
      "nothing is read before it is asked for, and no byte past the end of the event",
      "an error of the base is thrown after the events before it",
      "a base that can't throw gives a sequence that can't throw",
      "a cancelled task stops, even on a base that does not look; the base is asked once more, to hear of it"),
    .init(
      "A synchronous parser: feed chunks, finish, or parse a whole payload",
      "the events of a whole stream",
      "finish discards the unfinished block, tells its bytes, and keeps last event ID and retry",
      "equality compares everything that a further byte could depend on"),
    .init(
      "Events carry data, name and type, the block's id and the last one, and its own retry",
      "a multi-field event arrives with all of its fields, however it is cut",
      "bytes, and chunks of every size, give the same events"),
    .init(
      "One shot for LLM endpoints: POST, isDone, decode, and leaving the loop closes the connection",
      "an LLM's answer: POST a body with headers, decode its tokens, stop at [DONE]",
      "only [DONE] itself is the end mark", "decode gives nil on a mismatch",
      "breaking out of a one-shot loop closes the socket: the server sees it"),
    .init(
      "An error with the HTTP status", "an error status is thrown with 4 KiB of its body at most"),
    .init(
      "One shot by GET, by POST, by a whole URLRequest",
      "one shot by a whole URLRequest and by URL on an app's own session"),
    .init("Line-by-line feeding of the parser", "a stream can be fed line by line"),
  ]

  /// The text of every test source of the package, without line breaks inside of calls.
  static let sources: String = {
    let tests = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    var text = ""
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift", file.path != #filePath else { continue }
      text += (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    }
    return text
  }()

  @Test("each has a test that names it", arguments: architecture + checklist + mobile + sequences)
  func named(requirement: Requirement) {
    for test in requirement.tests {
      #expect(Self.sources.contains("\"\(test)\""), "no test is called '\(test)'")
    }
  }
}
