// asciicast v3: a header line, then `[interval, "o", text]` lines that a terminal player shows at the recorded pace.
// LF becomes CR LF, as a terminal needs; an exchange begins with a marker that players can jump to.

extension CassetteExporter {
  /// A terminal recording of the stream.
  public static let asciicast = CassetteExporter(
    name: "asciicast",
    summary:
      "asciicast v3, to watch the stream arrive in a terminal player; all line ends become a terminal’s"
  ) { AsciicastSteps() }
}

private struct AsciicastSteps: ExportSteps {
  private var last: Int64 = 0
  private var exchange = 0
  /// The start of a character whose end comes with a later chunk.
  private var cutCharacter: [UInt8] = []
  private var endedWithCR = false
  private var hasHeader = false

  mutating func take(_ record: CassetteRecord, at: Int64) -> [UInt8] {
    switch record {
    case .header(let header):
      last = 0  // of a recording of its own, whose time goes on where that of the one before ended
      if hasHeader { return [] }
      hasHeader = true
      let size: JSONObject = ["cols": .integer(100), "rows": .integer(30)]
      let object: JSONObject = [
        "version": .integer(3), "term": .object(size),
        "title": .string("event stream recorded at \(header.recordedAt)"),
      ]
      return escapingTerminalControls(object.canonicalBytes) + [0x0A]
    case .request(let request):
      exchange += 1
      endedWithCR = false
      return line("m", "exchange \(exchange): \(request.method) \(request.url)", at: at)
    case .chunk(let chunk):
      var bytes = cutCharacter + chunk.bytes
      cutCharacter = Array(bytes.suffix(Self.unfinishedCharacter(at: bytes)))
      bytes.removeLast(cutCharacter.count)
      if bytes.isEmpty { return [] }
      var text: [UInt8] = []
      for byte in bytes {
        if byte == 0x0A, !endedWithCR { text.append(0x0D) }
        text.append(byte)
        endedWithCR = byte == 0x0D
      }
      return line("o", String(decoding: text, as: UTF8.self), at: at)
    case .end:
      if cutCharacter.isEmpty { return [] }
      cutCharacter = []
      return line("o", "\u{FFFD}", at: at)
    case .requestBody, .response, .note, .trailer, .unknown: return []
    }
  }

  func finish() -> [UInt8] { [] }

  private mutating func line(_ code: String, _ text: String, at: Int64) -> [UInt8] {
    let interval = Swift.max(0, at - last)
    last = Swift.max(last, at)
    let micros = String(interval % 1_000_000)
    let seconds = "\(interval / 1_000_000)." + String(repeating: "0", count: 6 - micros.utf8.count) + micros
    let event = JSONValue.array([.number(seconds), .string(code), .string(text)])
    return escapingTerminalControls(event.canonicalBytes) + [0x0A]
  }

  /// How many of the last bytes begin a UTF-8 sequence that is not complete yet.
  private static func unfinishedCharacter(at bytes: [UInt8]) -> Int {
    for back in 1...3 where back <= bytes.count {
      let byte = bytes[bytes.count - back]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > back ? back : 0
    }
    return 0
  }
}
