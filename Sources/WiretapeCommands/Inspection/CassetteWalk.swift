// One pass over a cassette in constant memory: the records with what is known about each (exchange, time, offset) and
// the events that they complete. Verbs that look into cassettes go through here.

import EventCassettes
import ServerSentEvents

/// Something met on the way through a cassette.
enum CassetteStep {
  case header(Cassette.Header)
  case request(Cassette.Request)
  case response(Cassette.Response)
  /// A chunk, and where it begins in the session's body bytes.
  case chunk([UInt8], offset: Int)
  /// An output of the parser, and the bytes of the exchange consumed by then.
  case output(EventStreamParser.Output, offset: Int)
  case end(Cassette.End)
  case note(Cassette.Note)
  case trailer(Cassette.Trailer)
}

/// What is left to say at the end of a walk.
struct CassetteWalkEnd {
  var status: CassetteReader.Status
  var fileBytes: Int
}

/// Reads a cassette from its first record to its last.
///
/// The last event ID goes from one exchange to the next of a recording, as in a client. `exchange` counts from 1 over
/// the whole file; `atUs` is the time since the beginning of the recording, in microseconds.
func walkCassette(
  _ path: String, _ body: (_ step: CassetteStep, _ exchange: Int, _ atUs: Int64) throws -> Void
) throws -> CassetteWalkEnd {
  var reader = try CassetteReader(contentsOf: path)
  var parser = EventStreamParser()
  var exchange = 0
  var offset = 0
  while let record = try reader.next() {
    let at = reader.elapsed
    switch record {
    case .header(let header):
      parser = EventStreamParser()
      try body(.header(header), exchange, at)
    case .request(let request):
      exchange += 1
      try body(.request(request), exchange, at)
    case .requestBody, .unknown: break
    case .response(let response): try body(.response(response), exchange, at)
    case .chunk(let chunk):
      try body(.chunk(chunk.bytes, offset: offset), exchange, at)
      offset += chunk.bytes.count
      var outputs: [(EventStreamParser.Output, Int)] = []
      parser.append(chunk.bytes) { outputs.append(($0, $1)) }
      for (output, consumed) in outputs { try body(.output(output, offset: consumed), exchange, at) }
    case .end(let end):
      let (id, retry) = (parser.lastEventID, parser.retry)
      if parser.failure == nil {
        parser.finish()
      } else {
        parser = EventStreamParser(lastEventID: id, retry: retry)
      }
      try body(.end(end), exchange, at)
    case .note(let note): try body(.note(note), exchange, at)
    case .trailer(let trailer): try body(.trailer(trailer), exchange, at)
    }
  }
  return CassetteWalkEnd(status: reader.status, fileBytes: reader.bytesRead)
}
