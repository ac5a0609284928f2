// The facts of a session that its picture needs, read record by record: when chunks came, what events they completed,
// where connections began and ended. The page that draws them is SessionReport+Page.swift.

import ServerSentEvents

/// A session as a page: chunks, events, gaps and reconnects over time.
public struct SessionReport: Sendable {
  /// More chunks or events than this are drawn as one mark for several; all of them count in the totals.
  public static let mostMarks = 20_000
  /// Characters of an event's texts that the page shows.
  static let longestPreview = 160

  var facts: JSONObject

  /// Reads a cassette to its end.
  ///
  /// - Parameters:
  ///   - reader: the cassette.
  ///   - title: the page's title, such as the file's name.
  /// - Throws: ``CassetteError`` of reading.
  public init(_ reader: inout CassetteReader, title: String) throws(CassetteError) {
    var session = Session()
    while let record = try reader.next() { session.take(record, at: reader.elapsed) }
    session.closeExchange(at: reader.elapsed)
    facts = session.facts
    facts["title"] = .string(title)
    facts["finished"] = .bool(reader.isFinished)
    facts["durationUs"] = .integer(reader.elapsed)
  }
}

private struct Session {
  private var header: Cassette.Header?
  private var parser = EventStreamParser()
  private var inspector = StreamInspector()
  private var exchanges: [JSONValue] = []
  private var exchange: JSONObject?
  private var chunks = Marks()
  private var events = Marks()
  private var notes: [JSONValue] = []
  private var warnings: [JSONValue] = []
  private var sizes = [Int64](repeating: 0, count: 24)
  private var counts = (chunks: Int64(0), bytes: Int64(0), events: Int64(0), comments: Int64(0))

  mutating func take(_ record: CassetteRecord, at: Int64) {
    switch record {
    case .header(let header):
      if self.header == nil { self.header = header }
      parser.reset()
    case .request(let request):
      closeExchange(at: at)
      parser.finish()
      inspector = StreamInspector()
      exchange = ["method": .string(request.method), "url": .string(request.url), "at": .integer(at)]
      if let id = request.headers["Last-Event-ID"] { exchange?["lastEventId"] = .string(id) }
    case .response(let response):
      exchange?["status"] = .integer(Int64(response.status))
      exchange?["respondedAt"] = .integer(at)
      inspector = StreamInspector(
        response: EventStreamResponse(status: response.status, headers: response.headers))
    case .chunk(let chunk): take(chunk.bytes, at: at)
    case .end(let end):
      exchange?["cause"] = .string(end.causeText)
      exchange?["detail"] = .string(end.detail)
      closeExchange(at: at)
    case .note(let note):
      if notes.count < 1000 { notes.append(.array([.integer(at), .string(note.event.rawValue)])) }
    case .requestBody, .trailer, .unknown: break
    }
  }

  private mutating func take(_ bytes: [UInt8], at: Int64) {
    let number = Int64(exchanges.count)
    counts.chunks += 1
    counts.bytes += Int64(bytes.count)
    sizes[Swift.min(Int.bitWidth - bytes.count.leadingZeroBitCount, sizes.count - 1)] += 1
    chunks.append(.array([.integer(at), .integer(number), .integer(Int64(bytes.count))]))
    inspector.append(bytes.span)
    for output in parser.append(bytes) {
      switch output {
      case .event(let event):
        counts.events += 1
        events.append(
          .array([
            .integer(at), .integer(number), Self.preview(event.type), .integer(Int64(event.data.utf8.count)),
            Self.preview(event.data), Self.preview(event.lastEventID),
          ]))
      case .comment: counts.comments += 1
      case .retry, .dropped, .failed: break
      }
    }
  }

  /// The beginning of a text: an ID of 64 KiB goes with every event that comes after it.
  private static func preview(_ text: String) -> JSONValue {
    .string(String(text.unicodeScalars.prefix(SessionReport.longestPreview)))
  }

  mutating func closeExchange(at: Int64) {
    guard var exchange else { return }
    self.exchange = nil
    exchange["endedAt"] = .integer(at)
    for warning in inspector.finish() where warnings.count < 1000 {
      warnings.append(
        .array([.integer(Int64(exchanges.count + 1)), .integer(Int64(warning.offset)), .string(warning.what)])
      )
    }
    exchanges.append(.object(exchange))
  }

  var facts: JSONObject {
    [
      "recordedAt": .string(header?.recordedAt ?? ""),
      "timing": .string(header?.timing.rawValue ?? "unknown"),
      "exchanges": .array(exchanges), "chunks": .array(chunks.kept), "events": .array(events.kept),
      "notes": .array(notes), "warnings": .array(warnings), "sizes": .array(sizes.map { .integer($0) }),
      "chunkCount": .integer(counts.chunks), "byteCount": .integer(counts.bytes),
      "eventCount": .integer(counts.events), "commentCount": .integer(counts.comments),
    ]
  }
}

/// Marks to draw, thinned out evenly where there are too many: every 2nd, 4th, 8th … is kept.
private struct Marks {
  private(set) var kept: [JSONValue] = []
  private var step = 1
  private var seen = 0

  mutating func append(_ mark: @autoclosure () -> JSONValue) {
    defer { seen += 1 }
    guard seen % step == 0 else { return }
    kept.append(mark())
    guard kept.count > SessionReport.mostMarks else { return }
    step *= 2
    kept = kept.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
  }
}
