import EventCassettes
import ServerSentEvents
import Testing

@Suite("What the stream hides")
struct StreamInspectorTests {
  /// The warnings of a body, as `code@offset`, which must not depend on how it is cut.
  private func makeWarnings(
    _ body: [UInt8], response: EventStreamResponse? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) -> [String] {
    func warnings(size: Int) -> [StreamWarning] {
      var inspector = StreamInspector(response: response)
      var start = 0
      while start < body.count {
        let end = min(start + size, body.count)
        inspector.append(body.span.extracting(start..<end))
        start = end
      }
      return inspector.finish()
    }
    let whole = warnings(size: max(body.count, 1))
    for size in [1, 2, 3, 7] {
      #expect(warnings(size: size) == whole, "size \(size)", sourceLocation: sourceLocation)
    }
    return whole.map { "\($0.code.name)@\($0.offset)" }
  }

  private func makeWarnings(
    _ body: String, response: EventStreamResponse? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) -> [String] {
    makeWarnings(Array(body.utf8), response: response, sourceLocation: sourceLocation)
  }

  @Test(
    "a body is read for what a parser drops",
    arguments: [
      ("", []),
      ("data: a\n\n", []),
      ("\u{FEFF}event: x\r\nid: 1\r\nretry: 5\r\ndata: a\r\n\r\n: beat\r\n\r\n", []),
      ("data: a\n\nerror: {}\n\n", ["unknownField@9"]),
      ("data: a\n\ndata: b\n", ["unfinishedBlock@9"]),
      ("data: a\n\n: c\r\nevent: b\r\ndata: long enough\r\n", ["unfinishedBlock@9"]),
      ("data: a\n\nid: 1\ndata: long enough\ndata: b", ["unfinishedBlock@9"]),
      ("data: a\n\nevent\n", ["unfinishedBlock@9"]),
      ("data: a\n\n: c\n", []),
      ("data: a\n\nretry: 3\n", []),
      ("data: a\n\n: c\nretry: 3\r\n", []),
      ("data: a\n\ndata: long enough\n\n: c\n", []),
      ("data: a\n\nx: 1\n", ["unknownField@9"]),
      ("data: a\n\nda", ["unfinishedBlock@9"]),
      ("data: a\n\nretry: x", ["unfinishedBlock@9"]),
      ("data: a\n\n: c\nretry: 3", ["unfinishedBlock@9"]),
      ("data: a\n\ndata: b", ["unfinishedBlock@9"]),
      ("data: a\n\n:408: 408 Request Timeout\n\n", ["errorComment@9"]),
      ("data: a\n\n: 404 items\n\n", ["errorComment@9"]),
      ("data: a\n\n:4080\n\n", []),
      ("data: [DONE]\n\n: beat\n\n", []),
      ("data: [DONE]\n\ndata: more\n\ndata: more\n\n", ["afterEndMark@14"]),
      ("id: a\0b\ndata: x\n\n", ["nulInID@0"]),
      ("retry: 1e3\nretry\nretry: 10\ndata: x\n\n", ["badRetry@0", "badRetry@11"]),
      ("{\n  \"error\": {\n  }\n}\n", ["notAnEventStream@0"]),
      ("<html>\r\n", ["notAnEventStream@0"]),
      ("data: é🚚 注文\n\n", []),
    ] as [(String, [String])])
  func textBodies(body: String, expected: [String]) {
    #expect(makeWarnings(body) == expected)
  }

  @Test(
    "bytes that are not UTF-8 are told where the decoder puts a replacement character",
    arguments: [
      ([0xFF], [0]), ([0xC3, 0x28], [0]), ([0xE2, 0x82], [0]), ([0x61, 0xE2, 0x82], [1]),
      ([0xF0, 0x9F, 0x9A, 0xF0, 0x9F, 0x9A, 0x9A], [0]),
      ([0xF0, 0x9F, 0x98, 0x20, 0x78, 0xE2, 0x82], [0, 5]),
      ([0xC0, 0x80], [0, 1]), ([0xED, 0xA0, 0x80], [0, 1, 2]), ([0xF4, 0x90, 0x80, 0x80], [0, 1, 2, 3]),
    ] as [([UInt8], [Int])])
  func invalidUTF8(bytes: [UInt8], faults: [Int]) {
    let found = makeWarnings(Array("data: ".utf8) + bytes + [0x0A, 0x0A])
    #expect(found == faults.map { "invalidUTF8@\($0 + 6)" })
    #expect(String(decoding: bytes, as: UTF8.self).unicodeScalars.count { $0 == "\u{FFFD}" } == faults.count)
  }

  @Test("a line and an event that are longer than a client bears are told where they begin")
  func overLimit() {
    let limit = EventStreamParser.Limits.default
    func warnings(_ lines: [String]) -> [String] {
      var inspector = StreamInspector()
      for line in lines { inspector.append(Array(line.utf8).span) }
      return inspector.finish().map { "\($0.code.name)@\($0.offset)" }
    }
    let long = String(repeating: "x", count: limit.line)
    #expect(warnings(["data: a\n\n", "foo: ", long, "\n\n"]) == ["overLimit@9", "unknownField@9"])
    let many = [String](
      repeating: "data: \(String(repeating: "y", count: 1 << 20))\n", count: limit.event >> 20)
    #expect(warnings(["data: a\n\n"] + many + ["data: z\n\n"]) == ["overLimit@9"])
    #expect(warnings(many.dropLast() + ["\n"]) == [])
  }

  @Test("what a line behind a byte order mark says is told behind it")
  func behindMark() {
    #expect(makeWarnings("\u{FEFF}foo: x\ndata: a\n\n") == ["unknownField@3"])
    #expect(makeWarnings("\u{FEFF}retry: x\ndata: a\n\n") == ["badRetry@3"])
  }

  @Test("an error status under the event-stream type is a warning, under another type it is not")
  func errorStatus() {
    let response = EventStreamResponse(
      status: 400, headers: [HeaderField("content-type", "Text/Event-Stream; charset=utf-8")])
    #expect(makeWarnings("data: a\n\n", response: response) == ["errorStatus@0"])
    #expect(makeWarnings("x\n\n", response: EventStreamResponse(status: 404)) == ["unknownField@0"])
  }

  @Test("warnings of one kind are bounded, and the rest is counted")
  func bounded() {
    var inspector = StreamInspector()
    let body = Array(String(repeating: "a secret payload: 1\n", count: 1000).utf8) + [0x0A]
    inspector.append(body.span)
    let found = inspector.finish()
    #expect(found.count == StreamInspector.mostOfAKind + 1)
    #expect(found.last?.what == "990 more of the kind unknownField")
  }
}
