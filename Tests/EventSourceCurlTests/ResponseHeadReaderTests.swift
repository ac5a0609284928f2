// Heads of answers out of their lines, with everything that servers put there.

import ServerSentEvents
import Testing

@testable import EventSourceCurl

@Suite("Reading a response's head")
struct ResponseHeadReaderTests {
  /// What the last line leads to.
  func read(_ lines: String...) -> ResponseHeadReader.Step {
    var reader = ResponseHeadReader()
    return lines.map { reader.append(Array($0.utf8)) }.last ?? .incomplete
  }

  @Test("fields stay in their order, two of one name too, without the white space around values")
  func fields() {
    let step = read(
      "HTTP/1.1 200 OK\r\n", "Set-Cookie: a=1\r\n", "X-Empty:\r\n", "Via:\t x \r\n", "Set-Cookie:b=2\r\n",
      "\r\n")
    let expected = [("Set-Cookie", "a=1"), ("X-Empty", ""), ("Via", "x"), ("Set-Cookie", "b=2")]
    #expect(
      step == .complete(EventStreamResponse(status: 200, headers: expected.map { HeaderField($0, $1) })))
  }

  @Test("bytes that aren't UTF-8 become U+FFFD, and a folded line goes on")
  func text() {
    var reader = ResponseHeadReader()
    _ = reader.append(Array("HTTP/2 200\r\n".utf8))
    _ = reader.append(Array("X-A: caf".utf8) + [0xE9, 0x0D, 0x0A])
    _ = reader.append(Array("  b\r\n".utf8))
    let headers = [HeaderField("X-A", "caf\u{FFFD} b")]
    #expect(reader.append([0x0D, 0x0A]) == .complete(EventStreamResponse(status: 200, headers: headers)))
    #expect(reader.isComplete)
  }

  @Test("interim heads are passed over with their fields")
  func interim() {
    let step = read("HTTP/1.1 103 Early\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 204 No Content\r\n", "\r\n")
    #expect(step == .complete(EventStreamResponse(status: 204)))
  }

  @Test(
    "what is no head is refused",
    arguments: [
      ["HTTP/1.1\r\n"], ["HTTP/1.1 99 x\r\n"], ["HTTP/1.1 2000 x\r\n"], ["HTTP/1.1 abc x\r\n"], ["\r\n"],
      ["HTTP/1.1 101 Switching Protocols\r\n", "\r\n"],
    ])
  func refused(lines: [String]) {
    var reader = ResponseHeadReader()
    let step = lines.map { reader.append(Array($0.utf8)) }.last
    if case .refused = step { return }
    Issue.record("\(String(describing: step))")
  }

  @Test("a head without end is refused, over interim ones too")
  func bound() {
    var reader = ResponseHeadReader()
    var step = reader.append(Array("HTTP/1.1 102 Processing\r\n".utf8))
    var count = 0
    while step == .incomplete, count < 1_000_000 {
      count += 1
      step = reader.append(
        Array((count % 3 == 0 ? "\r\n" : count % 3 == 1 ? "X: y\r\n" : "HTTP/1.1 102 P\r\n").utf8))
    }
    #expect(step == .refused("the response's head is longer than 256 KiB"))
  }

  @Test("a trailer is passed over, and refused when it has no end")
  func trailer() {
    var reader = ResponseHeadReader()
    for line in ["HTTP/1.1 200 OK\r\n", "X: y\r\n", "\r\n"] { _ = reader.append(Array(line.utf8)) }
    var (step, count) = (ResponseHeadReader.Step.incomplete, 0)
    while step == .incomplete, count < 1 << 20 {
      count += 6
      step = reader.append(Array("X: y\r\n".utf8))
    }
    #expect(step == .refused("the response's trailer is longer than 256 KiB"))
    #expect(count > 256 << 10)
  }
}
