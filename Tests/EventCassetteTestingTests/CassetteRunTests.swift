// Cassettes that a test records itself, over URLSession from a real server on loopback, and plays from then on.

import EventCassetteServer
import EventCassettes
import EventSourceURLSession
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import EventCassetteTesting

extension ScratchFolder {
  /// A test file that isn't there.
  fileprivate var testFile: String { path("OrderTests.swift") }
}

@Suite("Cassettes recorded by tests", .serialized)
struct CassetteRunTests {
  private func makeServer() throws -> LoopbackServer {
    try LoopbackServer { request, response in
      let sent = request["Last-Event-ID"] ?? ""
      switch sent {
      case "": try await response.send(.eventStream("retry: 1\n", "id: 1\ndata: paid\n\n", ending: .cut))
      case "1": try await response.send(.eventStream("id: 2\ndata: packed\n\n", framing: .chunked))
      default: try await response.send(ScriptedResponse(status: 204))
      }
    }
  }

  /// The app under test.
  private func orders(_ environment: EventSourceEnvironment, at url: String) async throws -> [String] {
    var states: [String] = []
    for try await event in EventSource(EventStreamRequest(url: url), environment: environment) {
      states.append(event.data)
    }
    return states
  }

  @Test("a missing cassette is recorded from the real server, and that run fails; the next one plays it")
  func recording() async throws {
    let folder = try ScratchFolder()
    let server = try makeServer()
    let transport = URLSessionEventStreamTransport()
    let first = try await runOnCassette(
      "orders", over: transport, record: .missing, filePath: folder.testFile
    ) { try await orders($0, at: server.url) }
    #expect(first.isRecorded && first.result == ["paid", "packed"])
    #expect(first.cassette == folder.path("orders.cassette"))
    #expect(first.failure?.contains("recorded 3 exchanges with 2 events; nothing was replayed") == true)
    #expect(first.failure?.contains("wrote:  \(folder.path("orders.cassette"))") == true)
    await server.stop()

    // The server is gone.
    let second = try await runOnCassette(
      "orders", over: transport, plan: .bytes(1), record: .missing, filePath: folder.testFile
    ) { try await orders($0, at: server.url) }
    #expect(!second.isRecorded && second.failure == nil && second.result == ["paid", "packed"])
    let check = checkReplay("orders", record: .missing, filePath: folder.testFile)
    #expect(check.report?.events.map(\.data) == ["paid", "packed"])
  }

  @Test("a name that begins with the folder Cassettes is a place in it, whether there is one or not")
  func folderInTheName() async throws {
    let folder = try ScratchFolder()
    let server = try makeServer()
    for name in ["first", "second"] {
      let run = try await runOnCassette(
        "Cassettes/\(name)", over: URLSessionEventStreamTransport(), record: .missing,
        filePath: folder.testFile
      ) { try await orders($0, at: server.url) }
      #expect(run.isRecorded && run.cassette == folder.path("Cassettes/\(name).cassette"))
      let facts = try FileManager.default.attributesOfItem(atPath: run.cassette)
      #expect(facts[.posixPermissions] as? Int == 0o600)
    }
    await server.stop()
  }

  @Test("`all` records over what is there, `never` records nothing")
  func modes() async throws {
    let folder = try ScratchFolder()
    try Data("old".utf8).write(to: URL(fileURLWithPath: folder.path("orders.cassette")))
    let server = try makeServer()
    let run = try await runOnCassette(
      "orders", over: URLSessionEventStreamTransport(), record: .all, filePath: folder.testFile
    ) { try await orders($0, at: server.url) }
    await server.stop()
    #expect(run.isRecorded && run.failure != nil)
    #expect(try Cassette(contentsOf: run.cassette).exchanges.count == 3)
    await #expect(throws: CassetteNotFound.self) {
      _ = try await runOnCassette(
        "others", over: URLSessionEventStreamTransport(), record: .never, filePath: folder.testFile
      ) { _ in }
    }
    #expect(!folder.has("others.cassette"))
  }

  @Test("where nobody answers nothing is written, and what was there stays")
  func nobody() async throws {
    let folder = try ScratchFolder()
    let old = Data("old".utf8)
    try old.write(to: URL(fileURLWithPath: folder.path("orders.cassette")))
    let server = try makeServer()
    let url = server.url
    await server.stop()
    let error = await #expect(throws: NothingRecorded.self) {
      _ = try await runOnCassette(
        "orders", over: URLSessionEventStreamTransport(), record: .all, filePath: folder.testFile
      ) { environment in try await orders(environment, at: url) }
    }
    #expect(error?.description.contains("no answer came from \(url) (unreachable") == true)
    #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path("orders.cassette"))) == old)
  }

  @Test(
    "why nothing is recorded is said",
    arguments: [
      (["CI": "true", "WIRETAPE_RECORD": "all"], "CI is set"),
      (["WIRETAPE_RECORD": "never"], "RECORD is never"),
      (["WIRETAPE_RECORD": "sometimes"], "‘sometimes’, but must be never, missing or all"),
    ] as [([String: String], String)])
  func never(variables: [String: String], words: String) {
    #expect(RecordMode.reasonForNever(in: variables).contains(words))
    #expect(RecordMode.reasonForNever(.never).contains("own record mode"))
  }

  @Test("what the cassette has no answer for fails the test, and says what comes closest")
  func mismatch() async throws {
    let folder = try ScratchFolder()
    let server = try makeServer()
    _ = try await runOnCassette(
      "orders", over: URLSessionEventStreamTransport(), record: .missing, filePath: folder.testFile
    ) { try await orders($0, at: server.url) }
    await server.stop()
    let error = await #expect(throws: ReplayMismatch.self) {
      _ = try await runOnCassette(
        "orders", over: URLSessionEventStreamTransport(), record: .never, filePath: folder.testFile
      ) { try await orders($0, at: server.url + "/other") }
    }
    #expect(error?.description.contains("the closest is exchange 1") == true)
  }

  @Test("two recordings in one place are refused")
  func taken() async throws {
    let folder = try ScratchFolder()
    let server = try makeServer()
    func record() async throws {
      _ = try await runOnCassette(
        "orders", over: URLSessionEventStreamTransport(), record: .all, filePath: folder.testFile
      ) { try await orders($0, at: server.url) }
    }
    try await record()
    await #expect(throws: RecordedPlaces.PlaceTaken.self) { try await record() }
    await server.stop()
  }

  @Test("a trait with a transport records a missing cassette, and that run fails; the next one plays it")
  func trait() async throws {
    let folder = try ScratchFolder()
    let server = try makeServer()
    let test = try #require(Test.current)
    let testCase = try #require(Test.Case.current)
    let url = server.url
    let trait: CassetteTrait = .cassette(
      "Cassettes/orders", over: URLSessionEventStreamTransport(), record: .missing, filePath: folder.testFile)
    func run(isRecorded: Bool) async throws {
      try await trait.provideScope(for: test, testCase: testCase) {
        let environment = try #require(EventSourceEnvironment.current)
        #expect((Cassette.current == nil) == isRecorded)
        var states: [String] = []
        for try await event in EventSource(EventStreamRequest(url: url), environment: environment) {
          states.append(event.data)
        }
        #expect(states == ["paid", "packed"])
      }
    }
    let place = folder.path("Cassettes/orders.cassette")
    try await withKnownIssue {
      try await run(isRecorded: true)
    } matching: { issue in
      issue.comments.contains { "\($0)".contains("wrote:  \(place)") }
    }
    await server.stop()
    try await run(isRecorded: false)
  }

  @Test("a trait that can't record a missing cassette says which call does")
  func traitWithoutTransport() async throws {
    let folder = try ScratchFolder()
    let test = try #require(Test.current)
    let testCase = try #require(Test.Case.current)
    let trait: CassetteTrait = .cassette("orders", record: .missing, filePath: folder.testFile)
    let error = await #expect(throws: CassetteNotFound.self) {
      try await trait.provideScope(for: test, testCase: testCase) {}
    }
    #expect(
      error?.description.contains(
        "`.cassette(\"orders\", over: URLSessionEventStreamTransport())` for a trait")
        == true, "\(error?.description ?? "")")
  }

  @Test(
    "names made of a test's place are plain, and differ where tests do",
    arguments: [
      ("testOrders()", nil, "OrderTests/testOrders"),
      ("orders(state:)", "paid", "OrderTests/orders-state-paid"),
      ("a(b:)", "Paid", "OrderTests/a-b-Paid-f5240e27"), ("a(b:)", "../x y", "OrderTests/a-b--x-y-358c74d5"),
    ] as [(String, String?, String)])
  func names(function: String, value: String?, name: String) {
    let made = CassetteName.automatic(fileID: "App/OrderTests.swift", function: function, case: value)
    #expect(made.split(separator: "-").first == name.split(separator: "-").first)
    #expect(
      made.utf8.allSatisfy {
        $0 == 0x2F || $0 == 0x2D || $0 == 0x5F || Character(Unicode.Scalar($0)).isLetter
          || Character(Unicode.Scalar($0)).isNumber
      })
    #expect(made == name)
  }

  @Test(
    "a test without a name for its cassette plays the one of its file and function", arguments: ["a", "b"])
  func automatic(letter: String) async throws {
    let folder = try ScratchFolder()
    let server = try LoopbackServer(responses: [
      .eventStream("data: \(letter)\n\n"), ScriptedResponse(status: 204),
    ])
    for isFirst in [true, false] {
      let run = try await runOnCassette(
        case: letter, over: URLSessionEventStreamTransport(), record: .missing, filePath: folder.testFile
      ) { environment in
        var data: [String] = []
        let source = EventSource(
          EventStreamRequest(url: server.url), configuration: .init(mode: .oneShot), environment: environment)
        for try await event in source { data.append(event.data) }
        return data
      }
      #expect(run.isRecorded == isFirst && run.result == [letter])
      #expect(run.cassette == folder.path("CassetteRunTests/automatic-letter-\(letter).cassette"))
    }
    await server.stop()
  }
}
