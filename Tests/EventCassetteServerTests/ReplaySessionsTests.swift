// Whose request a request is, without sockets and with times of the test's own.

import EventCassettes
import ServerSentEvents
import Testing

@testable import EventCassetteServer

@Suite("The sessions of a replay server")
struct ReplaySessionsTests {
  private static let request = ReplayRequest(
    key: "k", client: "c", method: "GET", target: "/events", lastEventID: [], isEventSource: true)

  private func makeSessions(_ bodies: [String]) throws -> ReplaySessions {
    let cassette = try CassetteServerTests.makeCassette(bodies.map { CassetteServerTests.makeExchange([$0]) })
    return ReplaySessions(
      exchanges: PreparedExchange.all(of: cassette, plan: .recorded), faults: [], speed: .instant,
      loops: false, settle: .zero)
  }

  /// The first bytes of what a turn sends.
  private func body(_ turn: ReplaySessions.Turn) -> String? {
    for case .body(let bytes) in turn.answer?.steps.map(\.action) ?? [] {
      return String(decoding: bytes, as: UTF8.self)
    }
    return nil
  }

  @Test("clients that were cut off together get their next exchange, however late they come back")
  func late() throws {
    var sessions = try makeSessions(["id: 1\ndata: a\n\n", "data: b\n\n"])
    let turns = (0..<5).map { _ in sessions.begin(Self.request, at: .zero) }
    #expect(sessions.count == 5)
    for turn in turns { sessions.end(turn, .init(expected: ExpectedID(last: [0x31])), at: .zero) }
    var request = Self.request
    request.lastEventID = [0x31]
    for minute in 1...5 {
      let turn = sessions.begin(request, at: .seconds(60 * minute))
      #expect(body(turn) == "data: b\n\n")
      sessions.end(turn, .init(expected: ExpectedID(last: [0x31])), at: .seconds(60 * minute))
    }
    for minute in 6...10 { #expect(sessions.begin(request, at: .seconds(60 * minute)).answer == nil) }
    #expect(sessions.count == 5)
  }

  @Test("the end of a turn that is over doesn't end the one after it")
  func staleEnd() throws {
    var sessions = try makeSessions(["data: a\n\n", "data: b\n\n"])
    let first = sessions.begin(Self.request, at: .zero)
    sessions.end(first, .init(expected: ExpectedID()), at: .zero)
    let second = sessions.begin(Self.request, at: .zero)
    #expect(second.session == first.session)
    sessions.end(first, .init(expected: ExpectedID(last: [0x39]), clientLeft: true), at: .zero)
    #expect(sessions.isContested(Self.request))
    sessions.end(second, .init(expected: ExpectedID()), at: .zero)
    #expect(!sessions.isContested(Self.request))
  }
}
