// Cassettes made in memory for the tests of replaying and checking, as a recorder would have written them.

import EventCassettes
import ServerSentEvents

/// A cassette of these records; a trailer that fits is added unless the last record is one or `finishes` is false.
func makeCassette(
  _ records: [CassetteRecord],
  client: Cassette.Client? = Cassette.Client(
    mode: "eventSource", policy: "standard", initialRetryMs: 3000), finishes: Bool = true
) throws -> Cassette {
  var writer = try CassetteWriter(inMemoryAtLevel: 6)
  try writer.write(
    .header(
      Cassette.Header(
        recorder: "tests", recordedAt: "2026-01-02T03:04:05Z", timing: .synthetic, client: client)))
  for record in records { try writer.write(record) }
  if finishes { try writer.write(.trailer(writer.totals)) }
  try writer.close()
  return try Cassette(bytes: writer.bytes)
}

/// One exchange: a request, a response of 200, chunks a second apart, an end.
func makeExchange(
  _ chunks: [String], id: String? = nil, after delay: Int64 = 0, status: Int = 200,
  headers: [HeaderField] = [HeaderField("Content-Type", "text/event-stream")], end: ConnectionEnd? = .complete
) -> [CassetteRecord] {
  var request = Cassette.Request(delay: delay, url: "http://127.0.0.1:1/events")
  if let id { request.headers.append(HeaderField("Last-Event-ID", id)) }
  var records: [CassetteRecord] = [
    .request(request), .response(Cassette.Response(delay: 1_000, status: status, headers: headers)),
  ]
  records += chunks.map { .chunk(Cassette.Chunk(delay: 1_000_000, bytes: Array($0.utf8))) }
  if let end { records.append(.end(Cassette.End(delay: 1_000, cause: end))) }
  return records
}

func makeNote(_ event: Cassette.Note.Event, after delay: Int64) -> CassetteRecord {
  .note(Cassette.Note(delay: delay, event: event))
}

extension Cassette {
  /// Everything that a replay tells, one short text for each.
  func replayed(_ options: ReplayOptions = ReplayOptions()) throws -> [String] {
    var replayer = CassetteReplayer(self, options: options)
    var lines: [String] = []
    while let output = try replayer.next() {
      switch output.what {
      case .state: break
      case .finding(let finding): lines.append("\(output.exchange) finding \(finding.kind)")
      case .signal(let signal):
        let text =
          switch signal {
          case .open: "open"
          case .event(let event): "event \(event.data)"
          case .comment(let comment): "comment\(comment)"
          case .dropped(let bytes): "dropped \(bytes)"
          case .gap(let gap): "gap \(gap)"
          case .error(let error): "error \(error.code)"
          case .reconnecting(let delay): "reconnecting \(delay)"
          case .closed(let reason): "closed \(reason)"
          }
        lines.append("\(output.exchange) \(output.microseconds / 1000)ms \(text)")
      }
    }
    return lines
  }
}
