import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@Suite("Other formats in and out")
struct ConversionTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// Imports a file of the text, format by the file's ending.
  private func makeCassette(_ name: String, _ text: String) throws -> Cassette {
    let path = try folder.write(name, text)
    let importer = try #require(CassetteImporter.named(nil, file: path))
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    try importer.run(contentsOf: path, to: &writer, recorder: "tests 1", recordedAt: "2026-01-02T03:04:05Z")
    return try Cassette(bytes: writer.bytes)
  }

  /// A session of two exchanges, the first one broken off in the middle of a character.
  private func makeSession() throws -> [UInt8] {
    let writer = try CassetteWriter(inMemoryAtLevel: 6)
    let header = Cassette.Header(recorder: "tests 1", recordedAt: "2026-01-02T03:04:05Z", timing: .recorded)
    var recorder = try CassetteRecorder(to: writer, header: header)
    let type = [HeaderField("Content-Type", "text/event-stream")]
    let request = EventStreamRequest(
      method: "POST", url: "http://127.0.0.1/x?n=1", headers: [], body: Array("{}".utf8))
    let stream = Array("id: 1\nevent: tick\ndata: é🚚\n\n: beat\n\ndata: [DONE]\n\n".utf8)
    for (number, cut) in [(0, 20), (1, stream.count)] {
      let start = Duration.seconds(number)
      try recorder.begin(request, at: start)
      try recorder.record(.init(at: start, .response(EventStreamResponse(status: 200, headers: type))))
      for (place, byte) in stream[..<cut].enumerated() {
        try recorder.record(.init(at: start + .milliseconds(place), .bytes([byte])))
      }
      let cause: ConnectionEnd = number == 0 ? .reset : .complete
      try recorder.record(.init(at: start + .milliseconds(cut), .ended(cause, detail: "")))
    }
    try recorder.finish(at: .seconds(3))
    return recorder.bytes
  }

  private func makeExport(_ exporter: CassetteExporter, _ cassette: [UInt8]) throws -> String {
    var reader = try CassetteReader(bytes: cassette)
    var bytes: [UInt8] = []
    try exporter.run(&reader) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test("bodies for people say where an exchange begins, and that one ended in the middle of an event")
  func text() throws {
    #expect(
      try makeExport(.text, makeSession()) == """
        : exchange 1 · POST http://127.0.0.1/x?n=1
        : 200 text/event-stream
        id: 1
        event: tick
        da
        : end · reset, in the middle of an event
        : exchange 2 · POST http://127.0.0.1/x?n=1
        : 200 text/event-stream
        id: 1
        event: tick
        data: é🚚

        : beat

        data: [DONE]

        : end · complete

        """)
  }

  @Test("raw bytes become one exchange of unknown timing")
  func rawBytes() throws {
    let text = "\u{FEFF}data: a\r\n\r\ndata: b"
    let cassette = try makeCassette("body.sse", text)
    #expect(cassette.header.timing == .unknown && cassette.isFinished)
    #expect(cassette.exchanges.map(\.request.url) == ["file:body.sse"])
    #expect(cassette.exchanges[0].body == Array(text.utf8))
  }

  @Test("an empty body is an exchange without chunks")
  func emptyBody() throws {
    let cassette = try makeCassette("empty.sse", "")
    #expect(cassette.exchanges.count == 1 && cassette.exchanges[0].chunks.isEmpty && cassette.isFinished)
  }

  @Test("events exported as lines import to the same events, exchanges and times")
  func eventLines() throws {
    let session = try makeSession()
    let lines = try makeExport(.jsonl, session)
    let cassette = try makeCassette("events.jsonl", lines)
    #expect(cassette.header.timing == .synthetic)
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    for record in cassette.records { try writer.write(record) }
    try writer.close()
    func events(_ lines: String) -> [String] {
      lines.split(separator: "\n").map { String($0.replacing(#/"(atUs|exchange)":\d+,/#, with: "")) }
    }
    #expect(events(try makeExport(.jsonl, writer.bytes)) == events(lines))
    #expect(events(lines).count == 2)
  }

  @Test("lines of parse, listen and golden files import; states of the client stand for nothing")
  func foreignLines() throws {
    let text = """
      {"kind":"open"}
      {"kind":"retry","ms":5}
      {"kind":"comment","comment":" hi"}
      {"kind":"event","type":"message","data":"a\\nb","lastEventId":"7","id":null}

      {"kind":"end","events":1,"lastEventId":"7","retry":5,"bytes":1}
      """
    let cassette = try makeCassette("lines.jsonl", text)
    let parsed = EventStreamParser.events(in: cassette.exchanges[0].body)
    #expect(parsed.map(\.data) == ["a\nb"] && parsed.map(\.lastEventID) == ["7"])
    #expect(String(decoding: cassette.exchanges[0].body, as: UTF8.self).hasPrefix("retry: 5\n\n: hi\n\n"))
  }

  @Test("HAR keeps every exchange's request, head, body, boundaries and end, both ways")
  func archive() throws {
    let session = try makeSession()
    let har = try makeExport(.har, session)
    let cassette = try makeCassette("session.har", har)
    let original = try Cassette(bytes: session)
    #expect(cassette.exchanges.map(\.body) == original.exchanges.map(\.body))
    #expect(cassette.exchanges.map(\.request.method) == ["POST", "POST"])
    #expect(
      cassette.exchanges.map { $0.chunks.map(\.bytes) } == original.exchanges.map { $0.chunks.map(\.bytes) })
    #expect(cassette.exchanges.map(\.end?.cause) == [.reset, .complete])
    #expect(cassette.exchanges.map(\.requestBody) == original.exchanges.map(\.requestBody))
    #expect(cassette.exchanges.map(\.response?.status) == [200, 200])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(har.utf8)) as? [String: Any])
    #expect((object["log"] as? [String: Any])?["version"] as? String == "1.2")
  }

  @Test(
    "a browser's HAR imports: secrets masked, pseudo fields left out, messages in place of a missing body")
  func browserArchive() throws {
    let har = """
      {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":[
       {"request":{"method":"GET","url":"https://example.org/app.js","headers":[]},
        "response":{"status":200,"headers":[],"content":{"mimeType":"text/javascript","text":"1"}}},
       {"_resourceType":"eventsource","_eventSourceMessages":[
          {"time":1.5,"eventName":"message","eventId":"","data":"a"},
          {"time":2.5,"eventName":"tick","eventId":"9","data":"b\\nc"}],
        "request":{"method":"GET","url":"https://example.org/events?access_token=hunter2secret","headers":[
          {"name":":authority","value":"example.org"},{"name":"cookie","value":"session=hunter2secret"}]},
        "response":{"status":200,"headers":[{"name":"content-type","value":"text/event-stream"}],
          "content":{"size":0,"mimeType":"text/event-stream"}}}]}}
      """
    let cassette = try makeCassette("page.har", har)
    #expect(cassette.header.timing == .unknown)
    #expect(cassette.exchanges.count == 1)
    #expect(cassette.exchanges[0].request.headers.map(\.name) == ["cookie"])
    #expect(!String(describing: cassette).contains("hunter2secret"))
    let events = EventStreamParser.events(in: cassette.exchanges[0].body)
    #expect(events.map(\.type) == ["message", "tick"] && events.map(\.data) == ["a", "b\nc"])
  }

  @Test(
    "chunk lengths in a HAR that don't fit the body are told",
    arguments: [
      ("[[0,3],[1,6]]", true), ("[[0,3]]", false), ("[[0,3],[1,7]]", false), ("[[0,3],[1,-6]]", false),
      ("[3,6]", false), ("[]", false), ("\"9\"", false), ("null", false),
      ("[[0,9223372036854775807],[0,9]]", false),
    ])
  func oddChunks(chunks: String, fits: Bool) throws {
    let har = """
      {"log":{"entries":[{"_chunks":\(chunks),"request":{"method":"GET","url":"http://h/","headers":[]},
        "response":{"status":200,"headers":[],"content":{"mimeType":"text/event-stream","text":"data: a\\n\\n"}}}]}}
      """
    let path = NSTemporaryDirectory() + UUID().uuidString + ".har"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try har.write(toFile: path, atomically: true, encoding: .utf8)
    var writer = try CassetteWriter(inMemoryAtLevel: 0)
    var warnings: [String] = []
    try CassetteImporter.har.run(
      contentsOf: path, to: &writer, recorder: "test", recordedAt: "2026-01-01T00:00:00Z",
      onWarning: { warnings.append($0) })
    #expect(try Cassette(bytes: writer.bytes).exchanges[0].body == Array("data: a\n\n".utf8))
    #expect(warnings.count == (fits ? 0 : 1) && warnings.allSatisfy { $0.hasPrefix("entry 1: ") })
  }

  @Test(
    "what can't be imported says where and why",
    arguments: [
      ("a.har", "not JSON", "no HAR"), ("a.har", "{}", "\"entries\" is missing"),
      ("a.har", "{\"log\":{\"entries\":[{\"request\":{}}]}}", "none of the 1 entries"),
      ("a.jsonl", "{\"data\":\"a\"}\n[1]", "line 2"), ("a.jsonl", "{\"type\":\"x\"}", "line 1"),
      ("a.jsonl", "{\"data\":\"a\",\"id\":\"x\\u0000\"}", "line 1"),
      ("a.cast", "", "no asciicast"), ("a.cast", "{\"version\":1}", "line 1"),
      ("a.cast", "{\"version\":3}\n[1,\"o\"]", "line 2"),
      ("a.cast", "{\"version\":3}\n[-1,\"o\",\"a\"]", "line 2"),
      ("a.cast", "{\"version\":3}\n\n[1e300,\"o\",\"a\"]", "line 3"),
    ])
  func notImportable(name: String, text: String, message: String) throws {
    let error = #expect(throws: CassetteError.self) { try makeCassette(name, text) }
    #expect(error?.code == .notImportable)
    #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(
    "an archive whose answers can't be told is refused, with the entry and what is wrong with it",
    arguments: [
      (#""status":99999999999999999999"#, #""text":"data: x\n\n""#, "status"),
      (#""status":"200""#, #""text":"data: x\n\n""#, "status"),
      (#""status":1000"#, #""text":"data: x\n\n""#, "status"), (#""other":1"#, #""text":"a""#, "status"),
      (#""status":200"#, #""text":17"#, "text"),
    ])
  func brokenArchive(status: String, text: String, member: String) throws {
    let har = """
      {"log":{"entries":[{"request":{"method":"GET","url":"http://h/"},
        "response":{\(status),"headers":[],"content":{"mimeType":"text/event-stream",\(text)}}}]}}
      """
    let error = #expect(throws: CassetteError.self) { try makeCassette("a.har", har) }
    #expect(error?.code == .notImportable)
    #expect(error?.message.contains("entry 1: ") == true && error?.message.contains(member) == true)
  }

  @Test("asciicast v3 has whole characters and intervals that add up to the session")
  func terminalRecording() throws {
    let lines = try makeExport(.asciicast, makeSession()).split(separator: "\n")
    let header = try #require(try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
    #expect(header["version"] as? Int == 3)
    var seconds = 0.0
    var text = ""
    for line in lines.dropFirst() {
      let event = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])
      seconds += try #require(event[0] as? Double)
      if event[1] as? String == "o" { text += try #require(event[2] as? String) }
    }
    #expect(text.contains("data: é🚚\r\n") && !text.contains("\u{FFFD}"))
    #expect(abs(seconds - 1.052) < 0.02)
  }

  @Test("a terminal recording imports to the same exchanges, events and times")
  func terminalRoundTrip() throws {
    let original = try Cassette(bytes: makeSession())
    let cassette = try makeCassette("session.cast", makeExport(.asciicast, makeSession()))
    #expect(cassette.header.timing == .recorded && cassette.isFinished)
    #expect(cassette.exchanges.map(\.request.method) == ["POST", "POST"])
    #expect(cassette.exchanges.map(\.request.url) == original.exchanges.map(\.request.url))
    #expect(cassette.exchanges[1].body == original.exchanges[1].body)
    // The first one broke off in the middle of a character, which no text can hold.
    #expect(cassette.exchanges[0].body.starts(with: original.exchanges[0].body.dropLast()))
    func times(_ cassette: Cassette) -> [Int64] {
      cassette.exchanges.map { $0.startedAt + $0.chunks.reduce(0) { $0 + $1.delay } }
    }
    #expect(times(cassette)[1] == times(original)[1])
  }

  @Test("a line end cut in two stays one")
  func cutLineEnd() throws {
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    let header = Cassette.Header(recorder: "tests 1", recordedAt: "2026-01-02T03:04:05Z", timing: .recorded)
    let type = [HeaderField("Content-Type", "text/event-stream")]
    var records: [CassetteRecord] = [
      .header(header), .request(Cassette.Request(url: "http://h/")),
      .response(Cassette.Response(status: 200, headers: type)),
    ]
    for text in ["event: a\r", "\ndata: b\r\n\r", "\n"] {
      records.append(.chunk(Cassette.Chunk(bytes: Array(text.utf8))))
    }
    for record in records + [.end(Cassette.End(cause: .complete))] { try writer.write(record) }
    try writer.finish()
    let cassette = try makeCassette("cut.cast", makeExport(.asciicast, writer.bytes))
    let events = EventStreamParser.events(in: cassette.exchanges[0].body)
    #expect(events.map(\.type) == ["a"] && events.map(\.data) == ["b"])
  }

  @Test("recordings of terminals import: comments, input and sizes left out, times of either version")
  func foreignTerminals() throws {
    for (version, times) in [(2, [0.5, 1.25, 2]), (3, [0.5, 0.75, 0.75])] {
      let text = """
        {"version":\(version),"width":80,"height":24}
        # a comment
        [\(times[0]),"o","data: a\\r\\n\\r\\n"]
        [\(times[1]),"r","80x24"]
        [\(times[2]),"o","data: b\\r\\n\\r\\n"]
        """
      let cassette = try makeCassette("curl.cast", text)
      #expect(cassette.exchanges.map(\.request.url) == ["file:curl.cast"])
      #expect(cassette.exchanges[0].body == Array("data: a\n\ndata: b\n\n".utf8))
      #expect(cassette.exchanges[0].chunks.map(\.delay) == [500_000, 1_500_000])
    }
  }

  @Test("what acts on a terminal is escaped in every format of JSON, and means the same")
  func terminalControls() throws {
    let text = "a\u{9B}31m\u{202E}b\u{2028}c\u{61C}d\u{7F}é→"
    let session = try makeCassette("body.sse", "data: \(text)\n\n")
    var writer = try CassetteWriter(inMemoryAtLevel: 6)
    for record in session.records { try writer.write(record) }
    for exporter in [CassetteExporter.jsonl, .har, .asciicast] {
      let exported = try makeExport(exporter, writer.bytes)
      #expect(!exported.unicodeScalars.contains { $0.actsOnTerminal && $0 != "\n" }, "\(exporter.name)")
      let ending = ["jsonl": "jsonl", "har": "har", "asciicast": "cast"][exporter.name] ?? ""
      let again = try makeCassette("again." + ending, exported)
      #expect(EventStreamParser.events(in: again.exchanges[0].body).map(\.data) == [text])
    }
    let line = GoldenEvent(exchange: 1, data: text).description
    #expect(!line.unicodeScalars.contains { $0.actsOnTerminal })
    #expect(try GoldenFile.events(in: Array(line.utf8)).map(\.data) == [text])
  }

  @Test("fuzz seeds hold every block once, under names that depend on their content alone")
  func seeds() throws {
    var reader = try CassetteReader(bytes: makeSession())
    var seeds: [String: [UInt8]] = [:]
    let count = try CassetteExporter.corpusSeeds(of: &reader, longest: 32) { seeds[$0] = $1 }
    #expect(count == seeds.count && count >= 3)
    #expect(seeds.values.allSatisfy { $0.count <= 32 && !$0.isEmpty })
    var again = try CassetteReader(bytes: makeSession())
    var names: [String] = []
    _ = try CassetteExporter.corpusSeeds(of: &again, longest: 32) { name, _ in names.append(name) }
    #expect(Set(names) == Set(seeds.keys))
  }
}
