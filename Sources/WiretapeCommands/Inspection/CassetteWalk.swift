// One pass over a cassette in constant memory: the records with what is known about each (exchange, time, offset), and
// chunks where they lie, with the parser that they are for. Verbs that look into cassettes go through here.

import EventCassettes
import ServerSentEvents

/// Something met on the way through a cassette.
enum CassetteStep {
  case header(Cassette.Header)
  case request(Cassette.Request)
  case response(Cassette.Response)
  case end(Cassette.End)
  case note(Cassette.Note)
  case trailer(Cassette.Trailer)
}

/// Where a chunk or a step belongs.
struct CassettePlace {
  /// Counts from 1 over the whole file; 0 before the first.
  var exchange = 0
  /// Time since the beginning of the recording, in microseconds.
  var atUs: Int64 = 0
  /// The session's body bytes before it.
  var offset = 0
}

/// What is left to say at the end of a walk.
struct CassetteWalkEnd {
  var status: CassetteReader.Status
  var fileBytes: Int
}

/// Reads a cassette from its first record to its last.
///
/// The parser is the exchange's; whoever wants events feeds it. The last event ID goes from one exchange to the next of a
/// recording, as in a client.
func walkCassette(
  _ path: String,
  chunk: (_ bytes: Span<UInt8>, _ parser: inout EventStreamParser, _ place: CassettePlace) throws -> Void,
  step: (_ step: CassetteStep, _ place: CassettePlace) throws -> Void = { _, _ in }
) throws -> CassetteWalkEnd {
  var reader = try CassetteReader(contentsOf: path)
  var parser = EventStreamParser()
  var place = CassettePlace()
  while try reader.advance() {
    place.atUs = reader.elapsed
    if reader.isAtChunk {
      try reader.withChunkBytes { buffer, range in
        try chunk(buffer.span.extracting(range), &parser, place)
        place.offset += range.count
      }
      continue
    }
    switch try reader.current() {
    case .header(let header):
      parser = EventStreamParser()
      try step(.header(header), place)
    case .request(let request):
      place.exchange += 1
      try step(.request(request), place)
    case .chunk, .requestBody, .unknown: break
    case .response(let response): try step(.response(response), place)
    case .end(let end):
      let (id, retry) = (parser.lastEventID, parser.retry)
      if parser.failure == nil {
        parser.finish()
      } else {
        parser = EventStreamParser(lastEventID: id, retry: retry)
      }
      try step(.end(end), place)
    case .note(let note): try step(.note(note), place)
    case .trailer(let trailer): try step(.trailer(trailer), place)
    }
  }
  return CassetteWalkEnd(status: reader.status, fileBytes: reader.bytesRead)
}
