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

  @Test("what is text stays text, and what is not may shrink byte by byte")
  func text() throws {
    // It fails as long as a byte of any character beyond ASCII is there.
    func minimize(_ bytes: [UInt8]) -> [UInt8]? {
      var minimizer = StreamMinimizer<Bool> { $0.bytes.contains { $0 >= 0x80 } ? true : nil }
      return minimizer.minimized(StreamMinimizer.Candidate(bytes: bytes))?.bytes
    }
    #expect(minimize(Array("data: aé🚚b\n\n".utf8)) == Array("🚚".utf8))
    #expect(minimize([0xFF, 0x41, 0xC3, 0x41])?.count == 1)
  }

  @Test("an empty chunk stays where it takes one")
  func emptyChunk() throws {
    let bytes = Array("event: tick\ndata: one\n\ndata: two\n\n".utf8)
    var minimizer = Minimizer { $0.chunks.contains([]) ? .missing : nil }
    let found = minimizer.minimized(Minimizer.Candidate(bytes: bytes, cuts: [4, 9, 14, 14, 20]))
    let small = try #require(found)
    #expect(small.cuts.count == 2 && small.cuts[0] == small.cuts[1], "\(small)")
    #expect(small.chunks.filter(\.isEmpty).count == 1)
  }

  @Test("cuts that come to one place when what lay between is gone are one cut")
  func mergedCuts() throws {
    let bytes = Array("data: a\n\ndata: b\n\n".utf8)
    var minimizer = Minimizer { candidate in
      candidate.cuts.isEmpty || candidate.chunks.contains([]) ? nil : .missing
    }
    let found = minimizer.minimized(Minimizer.Candidate(bytes: bytes, cuts: [3, 5, 9, 12]))
    let small = try #require(found)
    #expect(small.bytes.count == 2 && small.cuts == [1], "\(small)")
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
    #expect(text.contains("var parser = MyParser()") && text.contains("chunks.flatMap { parser.feed($0) }"))
    let ours = reproduction.xctest(named: "X", makeParser: "Theirs()", calling: .eventStreamParsing)
    #expect(ours.contains("var parser = Theirs()") && ours.contains("parser.append($0) } + parser.end()"))
  }
}
