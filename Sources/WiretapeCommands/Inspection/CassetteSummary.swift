// What `inspect` says about a cassette as a whole, gathered in one walk.

import EventCassettes
import ServerSentEvents

/// Totals and a line for each exchange.
struct CassetteSummary {
  struct Exchange {
    var method: String
    var url: String
    var status: Int?
    var cause: String?
    var detail = ""
    var chunks = 0
    var bytes = 0
    var events = 0
    var startUs: Int64
    var durationUs: Int64 = 0
    var timing = TimingBins()

    /// Counts a chunk that came at a time since the recording's beginning, in microseconds.
    mutating func add(_ count: Int, at: Int64) {
      chunks += 1
      bytes += count
      durationUs = at - startUs
      timing.add(count, at: at)
    }
  }

  struct Warning {
    var exchange: Int
    var offset: Int
    var what: String
  }

  var headers: [Cassette.Header] = []
  var exchanges: [Exchange] = []
  var comments = 0
  var durationUs: Int64 = 0
  var notes: [String] = []
  var redaction: Cassette.Redaction?
  var warnings: [Warning] = []
  var end = CassetteWalkEnd(status: .reading, fileBytes: 0)

  var finished: Bool { end.status == .finished }
  var chunks: Int { exchanges.reduce(0) { $0 + $1.chunks } }
  var bytes: Int { exchanges.reduce(0) { $0 + $1.bytes } }
  var events: Int { exchanges.reduce(0) { $0 + $1.events } }

  /// Reads the whole cassette.
  init(of path: String) throws {
    var content = ExchangeContent(exchange: 1)
    var recordingUs: Int64 = 0
    var trailerRedaction: Cassette.Redaction?
    func closeRecording(_ summary: inout CassetteSummary) {
      guard let header = summary.headers.last else { return }
      summary.redaction = summary.redaction.merged(with: trailerRedaction ?? header.redaction)
      summary.durationUs += recordingUs
      trailerRedaction = nil
      recordingUs = 0
    }
    func closeExchange(_ summary: inout CassetteSummary) {
      summary.warnings += content.finish()
      summary.comments += content.comments
      if let last = summary.exchanges.indices.last { summary.exchanges[last].events = content.events }
      content = ExchangeContent(exchange: summary.exchanges.count + 1)
    }
    var summary = CassetteSummary()
    var isOpen = false
    summary.end = try walkCassette(path) { bytes, _, place in
      recordingUs = place.atUs
      summary.exchanges[place.exchange - 1].add(bytes.count, at: place.atUs)
      content.append(bytes)
    } step: { step, place in
      let at = place.atUs
      if case .header = step {} else { recordingUs = at }
      let last = summary.exchanges.count - 1
      switch step {
      case .header(let header):
        closeRecording(&summary)
        summary.headers.append(header)
      case .request(let request):
        isOpen = true
        summary.exchanges.append(Exchange(method: request.method, url: request.url, startUs: at))
      case .response(let response):
        summary.exchanges[last].status = response.status
        content.take(response)
      case .end(let end):
        isOpen = false
        summary.exchanges[last].cause = end.causeText
        summary.exchanges[last].detail = end.detail
        summary.exchanges[last].durationUs = at - summary.exchanges[last].startUs
        closeExchange(&summary)
      case .note(let note): if summary.notes.count < 50 { summary.notes.append(note.event.rawValue) }
      case .trailer(let trailer): trailerRedaction = trailer.redaction
      }
    }
    if isOpen { closeExchange(&summary) }
    closeRecording(&summary)
    self = summary
  }

  private init() {}
}

extension CassetteSummary {
  /// The object of `inspect --json`.
  var json: String {
    var line = JSONLine()
    line.add("format", 1)
    line.add("finished", finished)
    line.add("timing", headers.first?.timing.rawValue)
    line.add("recordedAt", headers.first?.recordedAt)
    line.add("exchanges", json: jsonArray(exchanges.map(\.json)))
    line.add("chunks", chunks)
    line.add("bytes", bytes)
    line.add("events", events)
    line.add("comments", comments)
    line.add("durationUs", durationUs)
    line.add("fileBytes", end.fileBytes)
    line.add("redaction", json: redaction.map(\.json) ?? "null")
    var labels = JSONObject()
    for header in headers { for (name, value) in header.labels { labels[name] = .string(value) } }
    line.add("labels", json: String(decoding: labels.canonicalBytes, as: UTF8.self))
    line.add("warnings", json: jsonArray(warnings.map(\.json)))
    return line.closed
  }
}

extension CassetteSummary.Exchange {
  /// One member of `exchanges`.
  var json: String {
    var line = JSONLine()
    line.add("method", method)
    line.add("url", url)
    line.add("status", status)
    line.add("cause", cause)
    line.add("chunks", chunks)
    line.add("bytes", bytes)
    line.add("events", events)
    line.add("durationUs", durationUs)
    return line.closed
  }
}

extension CassetteSummary.Warning {
  /// One member of `warnings`.
  var json: String {
    var line = JSONLine()
    line.add("exchange", exchange)
    line.add("offset", offset)
    line.add("what", what)
    return line.closed
  }
}

extension Cassette.Redaction {
  fileprivate var json: String {
    var line = JSONLine()
    line.add("headers", json: jsonArray(headers.map(quoted)))
    line.add("query", json: jsonArray(query.map(quoted)))
    line.add("keys", json: jsonArray(keys.map(quoted)))
    line.add("echoes", echoes)
    line.add("matches", matches)
    line.add("unsearched", unsearched)
    return line.closed
  }
}
