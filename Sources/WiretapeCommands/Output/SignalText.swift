// How an event source's signals read, on a terminal and as JSON lines. `listen` prints them live, `replay` from a
// cassette.

import ServerSentEvents

extension EventSourceSignal {
  /// The line of JSON.
  var json: String { jsonLine.closed }

  /// The line of JSON, open for more members.
  var jsonLine: JSONLine {
    var line = JSONLine()
    switch self {
    case .open: line.add("kind", "open")
    case .event(let event): return JSONLine(event)
    case .comment(let comment): return JSONLine(comment: comment)
    case .dropped(let bytes):
      line.add("kind", "dropped")
      line.add("bytes", bytes)
    case .gap(let gap):
      line.add("kind", "gap")
      switch gap {
      case .noLastEventID: line.add("after", String?.none)
      case .notResumed(let id): line.add("after", id)
      }
    case .error(let error):
      line.add("kind", "error")
      line.add("error", error.code.description)
      line.add("status", error.status)
    case .reconnecting(let delay):
      line.add("kind", "reconnecting")
      line.add("delayMs", milliseconds(delay))
    case .closed(let reason):
      line.add("kind", "closed")
      line.add("reason", reason == .cancelled ? "signal" : reason.rawValue)
    }
    return line
  }

  /// The lines for people.
  var text: [String] {
    switch self {
    case .open(let response): ["open · status \(response.status)"]
    case .event(let event): event.text()
    case .comment(let comment): ["comment ·" + printable(comment)]
    case .dropped(let bytes): ["dropped · an event of \(counted(bytes, "byte")), over the limit"]
    case .gap(.noLastEventID): ["gap · events may be missing: the server gives no ids to resume from"]
    case .gap(.notResumed(let id)):
      ["gap · events may be missing or repeated: the server did not resume after \(printable(id))"]
    case .error(let error):
      [
        (error.code == .streamEnded || error.code == .noContent ? "ended · " : "error · ")
          + printable(error.description)
      ]
    case .reconnecting(let delay): ["reconnecting · in \(durationText(milliseconds(delay) * 1000))"]
    case .closed(let reason): ["closed · \(reason.rawValue)"]
    }
  }
}

/// Whole milliseconds, rounded up: a wait is never told shorter than it is.
func milliseconds(_ duration: Duration) -> Int64 {
  let (seconds, attoseconds) = duration.components
  let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
  guard !overflow else { return .max }
  return product.addingReportingOverflow((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    .partialValue
}
