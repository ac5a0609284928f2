// Cassettes that several suites need.

import EventCassettes
import ServerSentEvents

let eventStreamType = [HeaderField("Content-Type", "text/event-stream")]

/// Writes a session: each inner array is an exchange with its chunks, 10 ms apart, and how it ended.
func writeSession(
  _ path: String, _ exchanges: [(chunks: [String], cause: ConnectionEnd)], lastEventIDs: [String] = [],
  client: Cassette.Client? = Cassette.Client(mode: "eventSource", policy: "standard", initialRetryMs: 3000)
) throws {
  var writer = try CassetteWriter(creating: path)
  try writer.write(
    .header(Cassette.Header(recorder: "test 1", recordedAt: "2026-01-02T03:04:05Z", client: client)))
  for (index, exchange) in exchanges.enumerated() {
    let id = index < lastEventIDs.count ? lastEventIDs[index] : ""
    try writer.write(
      .request(
        Cassette.Request(
          delay: index == 0 ? 0 : 3_000_000, url: "http://h/e",
          headers: id.isEmpty ? [] : [HeaderField("Last-Event-ID", id)])))
    try writer.write(.response(Cassette.Response(delay: 1000, headers: eventStreamType)))
    for chunk in exchange.chunks {
      try writer.write(.chunk(Cassette.Chunk(delay: 10_000, bytes: Array(chunk.utf8))))
    }
    try writer.write(.end(Cassette.End(delay: 0, cause: exchange.cause)))
  }
  try writer.finish()
  try writer.close()
}
