// The bodies for people, as in a diff: where each exchange begins and how it ended is said in lines of their own, so that
// what one connection left unfinished doesn't run into the next one. Nothing in it says when: a session recorded anew
// differs where its stream does.

import ServerSentEvents

extension CassetteExporter {
  /// The bodies of all exchanges, between comment lines that say where each begins and how it ended.
  public static let text = CassetteExporter(
    name: "text", summary: "the bodies for people, with a comment line where an exchange begins and ends"
  ) {
    TextSteps()
  }
}

private struct TextSteps: ExportSteps {
  private var exchange = 0
  private var response: Cassette.Response?
  private var parser = EventStreamParser()
  private var line = PrintableLine()

  mutating func take(_ record: CassetteRecord, at: Int64) -> [UInt8] {
    switch record {
    case .request(let request):
      exchange += 1
      response = nil
      parser.reset()
      let id = request.headers["Last-Event-ID"].map { " · Last-Event-ID \($0)" } ?? ""
      return comment("exchange \(exchange) · \(request.method) \(request.url)\(id)")
    case .response(let response):
      self.response = response
      return comment("\(response.status) \(response.headers["Content-Type"] ?? "without a content type")")
    case .chunk(let chunk):
      parser.visit(chunk.bytes.span) { _, _, _, _ in }
      return line.take(chunk.bytes)
    case .end(let end):
      let unfinished = response?.head.isEventStream == true ? parser.finish() : 0
      let what = unfinished > 0 ? ", in the middle of an event" : ""
      return line.finish() + comment("end · \(end.causeText)\(what)")
    case .header, .requestBody, .note, .trailer, .unknown: return []
    }
  }

  mutating func finish() -> [UInt8] { line.finish() }

  /// A line that no text in it can end.
  private func comment(_ text: String) -> [UInt8] {
    Array((": " + text).utf8.map { $0 < 0x20 ? 0x20 : $0 }) + [0x0A]
  }
}

/// Bytes of a stream as lines for a terminal: each line end is LF, and what acts on a terminal stands there as `\u{…}`.
private struct PrintableLine {
  private var held: [UInt8] = []
  private var endedWithCR = false

  /// A line may be endless: so many bytes of it are shown as soon as they are there.
  private static let longestHeld = 64 << 10

  mutating func take(_ bytes: [UInt8]) -> [UInt8] {
    var shown: [UInt8] = []
    for byte in bytes {
      let belongsToCR = endedWithCR && byte == 0x0A
      endedWithCR = byte == 0x0D
      if belongsToCR { continue }
      if byte == 0x0A || byte == 0x0D {
        shown += text() + [0x0A]
      } else {
        // Where a character begins, so that none is cut; three more bytes don't begin one only where there is none.
        if held.count >= Self.longestHeld, byte & 0xC0 != 0x80 || held.count > Self.longestHeld + 3 {
          shown += text()
        }
        held.append(byte)
      }
    }
    return shown
  }

  /// What is left of a line without its end.
  mutating func finish() -> [UInt8] {
    endedWithCR = false
    return held.isEmpty ? [] : text() + [0x0A]
  }

  private mutating func text() -> [UInt8] {
    defer { held.removeAll(keepingCapacity: true) }
    let isPlain = held.allSatisfy { (0x20..<0x7F).contains($0) }
    if isPlain { return held }
    return String(decoding: held, as: UTF8.self).unicodeScalars.flatMap { scalar in
      let isShown = scalar == "\t" || !scalar.actsOnTerminal
      return isShown ? Array(String(scalar).utf8) : Array("\\u{\(String(scalar.value, radix: 16))}".utf8)
    }
  }
}
