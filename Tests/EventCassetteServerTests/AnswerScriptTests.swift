// What is sent for an exchange, fault by fault, as data: no sockets, no clock.

import EventCassettes
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("Answers of the replay server")
struct AnswerScriptTests {
  static func makeExchange(
    _ chunks: [String], end: ConnectionEnd? = .complete, hasHead: Bool = true
  ) -> PreparedExchange {
    PreparedExchange(
      number: 1, recording: 0,
      head: hasHead
        ? .init(
          status: 200, headers: [HeaderField("Content-Type", "text/event-stream"), HeaderField("A", "b")])
        : nil,
      headAt: .seconds(1),
      pieces: chunks.enumerated().map { .init(at: .seconds(2 + $0), bytes: Array($1.utf8)) },
      endAt: .seconds(2 + chunks.count), end: end, lastEventID: [])
  }

  /// The steps as short texts: the wait in seconds if there is one, then what is sent.
  static func lines(
    _ exchange: PreparedExchange, _ faults: [String] = [], speed: ReplaySpeed = .instant
  ) throws -> [String] {
    let placed = try faults.enumerated().map { index, text in
      let fault = try FaultSpec(parsing: text)
      guard case .at(let offset) = fault.offset else { throw CancellationError() }
      return PlacedFault(index: index, kind: fault.kind, offset: offset)
    }
    let script = AnswerScript(exchange, faults: placed, speed: speed, settle: .seconds(9))
    return script.steps.map { step in
      let wait = step.wait == .zero ? "" : "+\(step.wait.secondsText) "
      switch step.action {
      case .head(let head, let splitAt, let pause):
        let type = head.headers["Content-Type"] ?? head.headers["Retry-After"] ?? "-"
        return wait + "head \(head.status) \(type)"
          + (splitAt.map { " split \($0) \(pause.secondsText)" } ?? "")
      case .body(let bytes): return wait + "body " + String(decoding: bytes, as: UTF8.self)
      case .raw(let bytes): return wait + "raw " + String(decoding: bytes, as: UTF8.self)
      case .end(let ending):
        switch ending {
        case .close: return wait + "close"
        case .cut: return wait + "cut"
        case .hang: return wait + "hang"
        case .reset(let settle): return wait + "reset \(settle.secondsText)"
        }
      }
    }
  }

  @Test(
    "an answer that can have no body is over with its head, whatever the recorded client did then",
    arguments: [(204, "close"), (304, "close"), (200, "hang")])
  func withoutBody(status: Int, ending: String) throws {
    var exchange = Self.makeExchange([], end: .cancelled)
    exchange.head?.status = status
    #expect(try Self.lines(exchange).last == ending)
  }

  static let faultTable: [([String], [String])] = [
    ([], ["head 200 text/event-stream", "body abc\n\n", "body de", "body f\n\ng", "close"]),
    (["reset@0"], ["head 200 text/event-stream", "reset 9"]),
    (["reset@2"], ["head 200 text/event-stream", "body ab", "reset 9"]),
    (["reset@5"], ["head 200 text/event-stream", "body abc\n\n", "reset 9"]),
    (["truncate@6"], ["head 200 text/event-stream", "body abc\n\n", "body d", "cut"]),
    (["truncate@11"], ["head 200 text/event-stream", "body abc\n\n", "body de", "body f\n\ng", "cut"]),
    (
      ["bad-chunk@7"], ["head 200 text/event-stream", "body abc\n\n", "body de", "raw zz\r\n", "cut"]
    ),
    (
      ["stall@6:5"],
      ["head 200 text/event-stream", "body abc\n\n", "body d", "+5 body e", "body f\n\ng", "close"]
    ),
    (
      ["stall@1:1", "stall@1:2"],
      ["head 200 text/event-stream", "body a", "+3 body bc\n\n", "body de", "body f\n\ng", "close"]
    ),
    (
      ["drip@5:2,every=0.5"],
      [
        "head 200 text/event-stream", "body abc\n\n", "+0.5 body de", "+0.5 body f\n", "+0.5 body \ng",
        "close",
      ]
    ),
    (
      ["duplicate@1"],
      ["head 200 text/event-stream", "body abc\n\n", "body abc\n\n", "body de", "body f\n\ng", "close"]
    ),
    (
      ["duplicate@6"],
      [
        "head 200 text/event-stream", "body abc\n\n", "body de", "body f\n\n", "body def\n\n", "body g",
        "close",
      ]
    ),
    // The last block has no end, so there is no event to send twice.
    (["duplicate@10"], ["head 200 text/event-stream", "body abc\n\n", "body de", "body f\n\ng", "close"]),
    (["type@0:text/html"], ["head 200 text/html", "body abc\n\n", "body de", "body f\n\ng", "close"]),
    (["status@0:503,retry-after=2", "reset@0"], ["head 503 2", "close"]),
    (["status@0:204"], ["head 204 -", "close"]),
    (
      ["split-head@7:0.5", "reset@0"], ["head 200 text/event-stream split 7 0.5", "reset 9"]
    ),
    (["truncate@3", "reset@2"], ["head 200 text/event-stream", "body ab", "reset 9"]),
  ]

  @Test("each fault does what it says at its byte", arguments: faultTable)
  func faults(specs: [String], expected: [String]) throws {
    #expect(try Self.lines(Self.makeExchange(["abc\n\n", "de", "f\n\ng"]), specs) == expected)
  }

  @Test("garbage is as long as asked, the same for a seed, another for another")
  func garbage() throws {
    func bytes(_ seed: UInt64) -> [UInt8] {
      let script = AnswerScript(
        Self.makeExchange(["ab"]),
        faults: [PlacedFault(index: 0, kind: .garbage(bytes: 16, seed: seed), offset: 1)], speed: .instant,
        settle: .zero)
      let bodies = script.steps.compactMap { if case .body(let bytes) = $0.action { bytes } else { nil } }
      #expect(bodies.first == [0x61] && bodies.last == [0x62] && bodies.count == 3)
      return bodies[1]
    }
    #expect(bytes(1).count == 16)
    #expect(bytes(1) == bytes(1))
    #expect(bytes(1) != bytes(2))
  }

  @Test("recorded times become waits, divided by the speed; pauses of faults are as they are")
  func speed() throws {
    let exchange = Self.makeExchange(["a", "b"])
    let recorded = ["+1 head 200 text/event-stream", "+1 body a", "+1 body b", "+1 close"]
    #expect(try Self.lines(exchange, speed: .recorded) == recorded)
    #expect(
      try Self.lines(exchange, ["stall@1:7"], speed: .times(4)) == [
        "+0.25 head 200 text/event-stream", "+0.25 body a", "+7.25 body b", "+0.25 close",
      ])
  }

  @Test("how the recorded connection ended decides how this one does")
  func endings() throws {
    let expected: [ConnectionEnd?: String] = [
      .complete: "close", .truncated: "cut", .protocol: "cut", .unknown: "cut", nil: "cut", .reset: "reset 9",
      .timedOut: "hang", .cancelled: "hang", .unreachable: "reset 0", .tls: "reset 0",
    ]
    for end in ConnectionEnd.allCases + [nil] {
      #expect(
        try Self.lines(Self.makeExchange([], end: end)).last == expected[end], "\(String(describing: end))")
      #expect(try Self.lines(Self.makeExchange([], end: end, hasHead: false)).count == 1)
    }
  }

  @Test("a fault after one that ends the answer has not had its effect")
  func fired() {
    let script = AnswerScript(
      Self.makeExchange(["abc"]),
      faults: [
        PlacedFault(index: 0, kind: .stall(.seconds(1)), offset: 3),
        PlacedFault(index: 1, kind: .reset, offset: 2), PlacedFault(index: 2, kind: .stall(.zero), offset: 1),
      ], speed: .instant, settle: .zero)
    #expect(Set(script.steps.flatMap(\.faults)) == [1, 2])
  }

  @Test(
    "a block ends with its blank line, whatever the line ends are",
    arguments: [
      ("a\n\nb\n\n", 0, 0..<3), ("a\n\nb\n\n", 2, 0..<3), ("a\n\nb\n\n", 3, 3..<6),
      ("a\r\n\r\nb\r\r", 4, 0..<5), ("a\r\n\r\nb\r\r", 5, 5..<8), ("a\n\r\nb\r\n\n", 4, 4..<8),
      ("a\n\nb\n", 3, nil), ("", 0, nil), ("\n\n", 1, 1..<2),
    ] as [(String, Int, Range<Int>?)])
  func blocks(text: String, offset: Int, expected: Range<Int>?) {
    #expect(EventBlock.range(in: Array(text.utf8), holding: offset) == expected)
  }
}
