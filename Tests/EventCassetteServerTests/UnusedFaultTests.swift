// Faults that can't happen, and such as only didn't.

import EventCassettes
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("Faults that did not happen", .serialized)
struct UnusedFaultTests {
  private typealias Server = CassetteServerTests

  @Test(
    "what the cassette has no place for is known from the start, with what it has",
    arguments: [
      ("reset@9/3", "the cassette holds 2 exchanges"), ("status@3/0:503", "the cassette holds 2 exchanges"),
      ("truncate@5000", "the longest body in the cassette has 20 bytes"),
      ("stall@every/21:1", "the longest body in the cassette has 20 bytes"),
      ("bad-chunk@2/10", "the body of exchange 2 has 9 bytes"),
      ("duplicate@15", "there is no whole event at that place"),
      ("split-head@5000", "no response head in the cassette is so long"),
      ("reset@20", nil), ("reset@2/9", nil), ("duplicate@0", nil), ("split-head@5", nil),
      ("type@0:a/b", nil), ("status@0:503", nil), ("garbage@random-9:1", nil), ("drip@1/20:1,every=0", nil),
    ] as [(String, String?)])
  func obstacles(text: String, obstacle: String?) async throws {
    let fault = try FaultSpec(parsing: text)
    let exchanges = [
      Server.makeExchange(["data: a\n\ndata: unended"].map { String($0.prefix(20)) }),
      Server.makeExchange(["data: b\n\n"]),
    ]
    try await Server().withPlayer(exchanges, .init(speed: .instant, faults: [fault])) {
      (server) async throws in
      #expect(server.unusedFaults == [UnusedFault(fault: fault, obstacle: obstacle)])
      let reason = obstacle.map { "can't happen: \($0)" } ?? "did not happen: no answer got so far"
      #expect(server.unusedFaults.first?.description == "fault ‘\(text)’ \(reason)")
    }
  }

  @Test("what can only happen to an answer can't where none came")
  func withoutAnswer() async throws {
    let unanswered: [CassetteRecord] = [
      .request(Cassette.Request(url: "http://h/")), .end(Cassette.End(cause: .unreachable)),
    ]
    for (text, obstacle) in [
      ("reset@2/0", "exchange 2 has no answer"), ("type@2/0:a/b", "exchange 2 has no answer"),
      ("split-head@2/1", "exchange 2 has no answer"), ("status@2/0:503", nil),
    ] {
      let fault = try FaultSpec(parsing: text)
      let exchanges = [Server.makeExchange(["data: a\n\n"]), unanswered]
      try await Server().withPlayer(exchanges, .init(speed: .instant, faults: [fault])) { server in
        #expect(server.unusedFaults == [UnusedFault(fault: fault, obstacle: obstacle)])
      }
    }
  }

  @Test("a fault is used once a client came so far, in whichever session")
  func used() async throws {
    let faults = try ["truncate@2/5", "stall@3:0", "type@0:a/b", "split-head@1", "status@2/0:503"]
      .map { try FaultSpec(parsing: $0) }
    let exchanges = [Server.makeExchange(["data: a\n\n"]), Server.makeExchange(["data: b\n\n"])]
    try await Server().withPlayer(exchanges, .init(speed: .instant, faults: faults)) {
      (server) async throws in
      _ = try await Server().get(server)
      #expect(server.unusedFaults.map(\.fault) == [faults[0], faults[4]])
      _ = try await Server().get(server)
      #expect(server.unusedFaults.map(\.fault) == [faults[0]])
      _ = try await Server().get(server)
      #expect(server.unusedFaults.isEmpty)
    }
  }
}
