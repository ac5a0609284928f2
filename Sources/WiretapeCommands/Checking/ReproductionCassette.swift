// A reproduction as a cassette: one exchange whose recorded chunks show the fault.

import EventCassettes
import ServerSentEvents

extension Reproduction {
  /// Writes the cassette; what a failing write leaves is removed.
  func writeCassette(
    to path: String, overwriting: Bool, url: String, labels: [String: String], _ context: CommandContext
  ) throws {
    var writer = try CassetteWriter(creating: path, overwriting: overwriting)
    do {
      try writer.write(
        .header(
          Cassette.Header(
            recorder: "wiretape \(Wiretape.version)",
            recordedAt: Cassette.Header.timestamp(unixSeconds: context.wallClock()), timing: .synthetic,
            labels: labels)))
      try writer.write(.request(Cassette.Request(url: url)))
      let type = HeaderField("Content-Type", "text/event-stream")
      try writer.write(.response(Cassette.Response(status: 200, headers: [type])))
      for chunk in chunks { try writer.write(.chunk(Cassette.Chunk(bytes: chunk))) }
      try writer.write(.end(Cassette.End(cause: .complete)))
      try writer.finish()
      try writer.close()
    } catch {
      writer.discard()
      throw error
    }
  }
}
