import EventCassettes
import ServerSentEvents
import Testing

/// A line-based parser as many write it: it splits each chunk into lines, so that a cut inside a line loses it.
private struct LineByLineParser: EventStreamParsing {
  private var data: [String] = []

  mutating func append(_ chunk: [UInt8]) -> [ServerSentEvent] {
    var events: [ServerSentEvent] = []
    for line in String(decoding: chunk, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false
    ).dropLast() {
      if line.hasPrefix("data: ") { data.append(String(line.dropFirst(6))) }
      if line.isEmpty, !data.isEmpty {
        events.append(ServerSentEvent(data: data.joined(separator: "\n")))
        data = []
      }
    }
    return events
  }
}

@Suite("Failures made small")
struct StreamMinimizerTests {
  private typealias Minimizer = StreamMinimizer<Reproduction.Difference>

  private func makeMinimizer(tries: Int = 20_000) -> Minimizer {
    Minimizer(tries: tries) { candidate in
      var parser = LineByLineParser()
      let got = candidate.chunks.flatMap { parser.append($0) }
      return Reproduction.Difference(expected: EventStreamParser.events(in: candidate.bytes), got: got)
    }
  }

  @Test("a lost event in a long session becomes one that can be read at a glance")
  func lostEvent() throws {
    let stream = (1...200).map { "unknown: 1\ndata: payload number \($0)\n\n: beat\n\n" }.joined()
    let start = Minimizer.Candidate(
      bytes: Array(stream.utf8), cuts: Array(stride(from: 97, to: stream.utf8.count, by: 97)))
    // The kind is a stream that is right uncut and loses an event when cut.
    var minimizer = Minimizer { candidate in
      var whole = LineByLineParser()
      var cut = LineByLineParser()
      let expected = EventStreamParser.events(in: candidate.bytes)
      guard whole.append(candidate.bytes) == expected else { return nil }
      return expected.count > candidate.chunks.flatMap { cut.append($0) }.count ? .missing : nil
    }
    let found = minimizer.minimized(start)
    let small = try #require(found)
    #expect(small.bytes.count <= 8 && small.cuts.count == 1, "\(small)")
  }

  @Test("the failure stays of the same kind while it shrinks")
  func sameKind() throws {
    let bytes = Array("data: one\n\ndata: two\ndata: three\n\nevent: x\ndata: four\n\n".utf8)
    let start = Minimizer.Candidate(bytes: bytes, cuts: [25])
    var minimizer = makeMinimizer()
    let found = minimizer.minimized(start)
    let small = try #require(found)
    var parser = LineByLineParser()
    let got = small.chunks.flatMap { parser.append($0) }
    let kind = Reproduction.Difference(expected: EventStreamParser.events(in: small.bytes), got: got)
    #expect(kind == .data(.endLost), "\(small)")
    #expect(small.bytes.count < bytes.count)
  }

  @Test("what doesn't fail is not made small")
  func passing() {
    var minimizer = makeMinimizer()
    let found = minimizer.minimized(Minimizer.Candidate(bytes: Array("data: a\n\n".utf8)))
    #expect(found == nil)
  }

  @Test("a few tries give what they found so far, and no more are made", arguments: [0, 1, 7, 50])
  func fewTries(tries: Int) throws {
    let bytes = Array(String(repeating: "data: x\n\n", count: 50).utf8)
    var calls = 0
    var minimizer = Minimizer(tries: tries) { candidate in
      calls += 1
      return candidate.cuts.isEmpty ? nil : .missing
    }
    let found = minimizer.minimized(Minimizer.Candidate(bytes: bytes, cuts: [5, 99]))
    let small = try #require(found)
    #expect(calls <= tries + 1 && !small.cuts.isEmpty)
  }

  @Test("the text shows cuts as bars and hides nothing")
  func escapedText() {
    let chunks: [[UInt8]] = [
      Array("data: a|\"\\\r".utf8), [0x0A, 0xC3], [0xA9, 0xE2, 0x82, 0x0A], Array("e\u{301}\u{FEFF}\0🚚".utf8),
    ]
    let reproduction = Reproduction(chunks: chunks, expected: [], got: [])
    #expect(reproduction.escaped == #""data: a\u{7C}\"\\\r|\n\xC3|\xA9\xE2\x82\n|e\u{301}\u{FEFF}\0🚚""#)
  }

  @Test("the test function holds chunks and events as literals")
  func functionText() {
    let reproduction = Reproduction(
      chunks: [Array("data: a\r".utf8), [0x0A, 0xC3]],
      expected: [ServerSentEvent(name: "x", data: "a\n", lastEventID: "1")], got: [])
    let text = reproduction.xctest(named: "SplitCRLF")
    #expect(text.contains("func testSplitCRLF()"))
    #expect(text.contains(#"Array("data: a\r".utf8)"#) && text.contains("[0x0A, 0xC3]"))
    #expect(text.contains(#"["x", "a\n", "1"]"#))
  }
}
