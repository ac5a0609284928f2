// Parsers with one deliberate fault each, as they are met in the wild. The checks must catch every one of them.

import EventCassettes
import ServerSentEvents

/// The classic: splits each chunk into lines and forgets the unfinished one.
struct ForgetfulParser: EventStreamParsing {
  private var data: [String] = []

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for line in String(decoding: chunk, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.isEmpty, !data.isEmpty {
        events.append(ServerSentEvent(data: data.joined(separator: "\n")))
        data = []
      } else if line.hasPrefix("data: ") {
        data.append(String(line.dropFirst(6)))
      }
    }
    return events
  }
}

/// Right but for one thing: it decodes each chunk's text by itself, so a character that is split becomes U+FFFD.
struct ChunkDecodingParser: EventStreamParsing, Equatable {
  private var parser = EventStreamParser()

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    parser.append(Array(String(decoding: chunk, as: UTF8.self).utf8)).events
  }
}

/// Right but for one thing: an empty chunk counts as the end of the stream.
struct EmptyIsEndParser: EventStreamParsing {
  private var parser = EventStreamParser()

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    if chunk.isEmpty { parser.finish() }
    return parser.append(chunk).events
  }
}

/// Right but for chunks of exactly 37 bytes, whose last one it loses: no plan in common use finds it, a proof does.
struct OneLengthParser: EventStreamParsing, Equatable {
  private var parser = EventStreamParser()

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    parser.append(chunk.count == 37 ? chunk.dropLast() : chunk[...]).events
  }
}

/// Right, but it counts its chunks: equal outputs from states that differ.
struct CountingParser: EventStreamParsing, Equatable {
  private var parser = EventStreamParser()
  private var chunks = 0

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    chunks += 1
    return parser.append(chunk).events
  }
}

/// Right, and late: it gives an event only when something comes after it, or at the end.
struct LateParser: EventStreamParsing, Equatable {
  private var parser = EventStreamParser()
  private var held: [ServerSentEvent] = []

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    if chunk.isEmpty { return [] }
    defer { held = parser.append(chunk).events }
    return held
  }

  mutating func end() -> [ServerSentEvent] {
    defer { held = [] }
    return held
  }
}

/// Our parser's events alone.
struct RightParser: EventStreamParsing, Equatable {
  private var parser = EventStreamParser()

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] { parser.append(chunk).events }
}

extension [EventStreamParser.Output] {
  var events: [ServerSentEvent] { compactMap { if case .event(let event) = $0 { event } else { nil } } }
}
