// Terminal recordings (asciicast, versions 2 and 3) of a stream: what `export` writes, and what a terminal recorder makes
// of `curl -sN`. Each output event is a chunk at its time; the markers of our own exporter begin exchanges. CR LF becomes
// LF again, which is what a terminal was given; in a stream both end a line.

import ServerSentEvents

extension CassetteImporter {
  /// A terminal recording whose output is an event stream.
  public static let asciicast = CassetteImporter(
    name: "asciicast",
    summary: "asciicast v2 and v3, a terminal recording of a stream; all line ends become LF",
    endings: ["cast"],
    convert: { (source, emit) throws(CassetteError) in
      let name = source.name
      var number = 1
      guard let head = try source.line() else { throw source.fault("no asciicast: it is empty") }
      var events = try AsciicastEvents(head, of: source)
      var isOpen = false
      func begin(_ marker: AsciicastEvents.Exchange?, delay: Int64) throws(CassetteError) {
        if isOpen { try emit(.end(Cassette.End(cause: .complete))) }
        let url = marker?.url ?? "file:" + name
        // The first record of a recording is where its time begins.
        try emit(
          .request(Cassette.Request(delay: isOpen ? delay : 0, method: marker?.method ?? "GET", url: url)))
        let type = HeaderField("Content-Type", "text/event-stream")
        try emit(.response(Cassette.Response(status: 200, headers: [type])))
        isOpen = true
      }
      while let line = try source.line() {
        number += 1
        guard let event = try events.read(line, number, of: source) else { continue }
        switch event {
        case .exchange(let exchange): try begin(exchange, delay: events.takeDelay())
        case .output(let bytes):
          if !isOpen { try begin(nil, delay: 0) }
          try emit(.chunk(Cassette.Chunk(delay: events.takeDelay(), bytes: bytes)))
        }
      }
      if !isOpen { try begin(nil, delay: 0) }
      try emit(.end(Cassette.End(delay: events.takeDelay(), cause: .complete)))
    }, timing: .recorded)
}

/// Reads the lines and adds up the time between those that matter.
private struct AsciicastEvents {
  /// What a marker of our exporter tells of an exchange.
  struct Exchange {
    var method: String
    var url: String
  }

  enum Event {
    case exchange(Exchange)
    case output([UInt8])
  }

  /// Whether times count from the beginning (version 2), or from the event before (version 3).
  private let timesAreAbsolute: Bool
  private var last: Int64 = 0
  private var delay: Int64 = 0

  init(_ head: [UInt8], of source: borrowing ImportSource) throws(CassetteError) {
    let object: JSONObject
    do throws(JSONFault) {
      object = try JSONParser.object(of: head[...])
    } catch {
      throw source.fault("no asciicast: line 1: \(error.message)")
    }
    switch object["version"] {
    case .integer(2)?: timesAreAbsolute = true
    case .integer(3)?: timesAreAbsolute = false
    default: throw source.fault("line 1: \"version\" is not 2 or 3, the asciicast versions that are read")
    }
  }

  /// Microseconds since the last time this was asked.
  mutating func takeDelay() -> Int64 {
    defer { delay = 0 }
    return delay
  }

  /// `nil` for a line that adds nothing to the stream: a comment, input, another marker, a new size.
  mutating func read(
    _ line: [UInt8], _ number: Int, of source: borrowing ImportSource
  ) throws(CassetteError) -> Event? {
    if line.first == UInt8(ascii: "#") || line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) {
      return nil
    }
    let value: JSONValue
    do throws(JSONFault) {
      value = try JSONParser.value(of: line[...])
    } catch {
      throw source.fault("line \(number): \(error.message)")
    }
    guard let parts = value.array, parts.count == 3, let time = Self.microseconds(parts[0]),
      let code = parts[1].text, let text = parts[2].text
    else {
      throw source.fault("line \(number): not [seconds, \"code\", \"text\"]")
    }
    let passed = timesAreAbsolute ? max(0, time - last) : time
    last = max(last, time)
    delay = min(delay + passed, (1 << 53) - 1)
    switch code {
    case "o": return text.isEmpty ? nil : .output(Self.unixLines(text))
    case "m": return Self.exchange(text).map { .exchange($0) }
    default: return nil
    }
  }

  private static func microseconds(_ value: JSONValue) -> Int64? {
    let seconds: Double
    switch value {
    case .integer(let number): seconds = Double(number)
    case .number(let text):
      guard let number = Double(text) else { return nil }
      seconds = number
    default: return nil
    }
    let micros = (seconds * 1_000_000).rounded()
    return micros >= 0 && micros < 0x1p53 ? Int64(micros) : nil
  }

  /// The text's bytes, every CR LF in it as LF.
  private static func unixLines(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte == 0x0A, bytes.last == 0x0D { bytes.removeLast() }
      bytes.append(byte)
    }
    return bytes
  }

  /// `exchange 2: POST https://example.org/chat`.
  private static func exchange(_ marker: String) -> Exchange? {
    let words = marker.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
    guard words.count == 4, words[0] == "exchange", words[1].last == ":",
      words[1].dropLast().utf8.allSatisfy({ (0x30...0x39).contains($0) }), !words[2].isEmpty
    else { return nil }
    return Exchange(method: String(words[2]), url: String(words[3]))
  }
}
