// Raw event-stream bytes: a body that somebody saved. There is no request, no head and no time in it.

import ServerSentEvents

extension CassetteImporter {
  /// A body as it was saved.
  public static let sse = CassetteImporter(
    name: "sse", summary: "raw event-stream bytes", endings: ["sse", "txt", "events", "bin"],
    convert: { (source, emit) throws(CassetteError) in
      try emit(.request(Cassette.Request(method: "GET", url: "file:" + source.name)))
      let type = HeaderField("Content-Type", "text/event-stream")
      try emit(.response(Cassette.Response(status: 200, headers: [type])))
      while true {
        let piece = try source.next()
        if piece.isEmpty { break }
        try emit(.chunk(Cassette.Chunk(bytes: Array(piece))))
      }
      try emit(.end(Cassette.End(cause: .complete)))
    }, timing: .unknown)
}
