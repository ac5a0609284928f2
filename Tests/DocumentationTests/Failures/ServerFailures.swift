// What goes wrong with the loopback server, the replay server and the proxy.

import EventCassetteServer
import EventCassettes
import EventSourceURLSession
import Foundation
import ScratchFolders
import ServerSentEvents

extension Failure {
  static let server: [Failure] = [
    fault(
      "unknownKind", "rest@400",
      "‘rest’ in ‘rest@400’ is no fault: use reset, truncate, stall, drip, garbage, bad-chunk, type, status, duplicate, split-head"
    ),
    fault(
      "invalidPlace", "reset@middle",
      "‘middle’ in fault ‘reset@middle’ is no place: write OFFSET, EXCHANGE/OFFSET or every/OFFSET, where OFFSET is a number or random-SEED and EXCHANGE counts from 1"
    ),
    fault(
      "missingValue", "stall@400", "fault ‘stall@400’ lacks its value: write it like stall@PLACE:SECONDS"),
    fault(
      "invalidValue", "stall@400:soon",
      "‘soon’ in fault ‘stall@400:soon’ is no time: write seconds, such as 5 or 0.25"),
    fault(
      "unexpectedValue", "reset@400:5", "‘5’ in fault ‘reset@400:5’ is too much: write it like reset@PLACE"),

    Failure(
      "CassetteServerError.noExchanges", "a cassette without a connection",
      "the cassette holds no exchange: record one first"
    ) { _ in
      var writer = try CassetteWriter(inMemoryAtLevel: 6)
      try writer.write(.header(header))
      try writer.finish()
      try writer.close()
      _ = try CassetteServer(Cassette(bytes: writer.bytes))
      throw NothingFailed()
    },
    Failure(
      "CassetteServerError.notResumable", "a sweep over events without IDs",
      "no server can resume this session: event 1 has no ID of its own, so no server can resume after it; a sweep needs a session whose events have IDs of their own"
    ) { _ in
      var writer = try CassetteWriter(inMemoryAtLevel: 6)
      for record in eventWithoutID { try writer.write(record) }
      try writer.finish()
      try writer.close()
      _ = try ResumeSweepServer(Cassette(bytes: writer.bytes))
      throw NothingFailed()
    },
    Failure(
      "ResumeFinding", "a client that resumes after another event",
      "pass 1, cut after byte 22: Last-Event-ID ‘7’, which no event has, instead of no Last-Event-ID"
    ) { folder in
      let sweep = try ResumeSweepServer(
        Cassette(contentsOf: makeCassette(in: folder)), options: ResumeSweepServer.Options(cuts: .event))
      for id in [nil, "7"] {
        let headers = id.map { [HeaderField("Last-Event-ID", $0)] } ?? []
        let request = EventStreamRequest(url: sweep.url, headers: headers)
        for await _ in URLSessionEventStreamTransport().connect(request) {}
      }
      let finding = sweep.report.findings.first
      await sweep.stop()
      return try finding?.description ?? { throw NothingFailed() }()
    },
    serving(
      "unusablePlan", "the plan each",
      "plan ‘each’ is many replays, not one: give a single split as at:OFFSET",
      CassetteServer.Options(boundaries: .each)),
    serving(
      "unusableSpeed", "the speed 0", "speed 0.0 is no number above 0: use 1 for as recorded",
      CassetteServer.Options(speed: .times(0))),

    Failure(
      "LoopbackServerError.portInUse", "a port that is taken",
      "port PORT of 127.0.0.1 is in use: choose another, or 0 for any free one"
    ) { _ in
      let first = try LoopbackServer(responses: [])
      defer { withExtendedLifetime(first) {} }
      do { _ = try LoopbackServer(port: first.port, responses: []) } catch {
        return "\(error)".replacingOccurrences(of: "\(first.port)", with: "PORT")
      }
      throw NothingFailed()
    },
    Failure(
      "LoopbackServerError.cannotListen", "an address of another machine",
      "can't listen on port 9090 of 192.0.2.1: Cannot assign requested address (errno 99); take an address of this machine, and a port from 1024 on"
    ) { folder in
      _ = try RecordingProxy(
        upstream: "http://127.0.0.1:1", recordingInto: folder.url.path,
        options: RecordingProxy.Options(host: [192, 0, 2, 1], port: 9090), header: { header })
      throw NothingFailed()
    },
    answering(
      "outOfOrder", "an answer that begins with its body",
      "a chunk before the head or after the end: send one head, then chunks, then one ending"
    ) { response in
      try await response.send("data: a\n\n")
    },
    answering(
      "clientClosed", "a client that goes in mid-answer",
      "the client closed the connection; nothing more can be sent"
    ) { response in
      try await response.sendHead(headers: [HeaderField("Content-Type", "text/event-stream")])
      while true {
        try await response.send("data: a\n\n")
        try? await response.pause(.milliseconds(5))
      }
    },

    proxying(
      "badUpstream", "an upstream without http://",
      "‘api.example.org’ is no upstream: write http://HOST, with :PORT and /PATH if needed", "api.example.org"
    ),
    proxying(
      "needsTransport", "an https upstream without a transport",
      "an https upstream needs a transport: give one over URLSession", "https://api.example.org"),

    reconnecting(
      "missingLastEventID", "a client that reconnects without an ID",
      "session 1, request for exchange 2: no Last-Event-ID, but ‘1’ was received", nil),
    reconnecting(
      "wrongLastEventID", "a client that reconnects with another ID",
      "session 1, request for exchange 2: Last-Event-ID ‘7’ instead of ‘1’", "7"),
    Failure(
      "ClientFinding.unexpectedLastEventID", "a client whose first request has an ID",
      "session 1, request for exchange 1: Last-Event-ID ‘7’, but no ID was received"
    ) { folder in
      try await finding(in: folder, ids: ["7"])
    },
    cutting(
      "eventsLost", "a cut between events without IDs",
      "session 1: 1 event of exchange 1 behind the cut lost, since those before it have no IDs that a client could send back",
      "GET"),
    cutting(
      "eventsRepeated", "a question that is posted again after a cut",
      "session 1: 1 event of exchange 1 before the cut sent again, since the request names no event to go on after",
      "POST"),
  ]

  /// A client that asks again after the second of two events was cut in two.
  private static func cutting(
    _ kind: String, _ what: String, _ message: String, _ method: String
  ) -> Failure {
    Failure("ClientFinding.\(kind)", what, message) { _ in
      var writer = try CassetteWriter(inMemoryAtLevel: 6)
      for record in eventWithoutID { try writer.write(record) }
      try writer.finish()
      try writer.close()
      let server = try CassetteServer(
        Cassette(bytes: writer.bytes),
        options: CassetteServer.Options(speed: .instant, faults: [FaultSpec(.truncate, at: .at(15))]))
      let request = EventStreamRequest(
        method: method, url: server.url, headers: [HeaderField("Accept", "text/event-stream")])
      for _ in 1...2 {
        for await _ in URLSessionEventStreamTransport().connect(request) {}
      }
      await server.stop()
      return try server.findings.first?.description ?? { throw NothingFailed() }()
    }
  }

  private static let eventWithoutID: [CassetteRecord] = [
    .header(header),
    .request(Cassette.Request(url: "http://127.0.0.1/orders")),
    .response(Cassette.Response(headers: [HeaderField("Content-Type", "text/event-stream")])),
    .chunk(Cassette.Chunk(bytes: Array("data: order\n\ndata: paid\n\n".utf8))),
    .end(Cassette.End(cause: .complete)),
  ]

  private static func fault(_ code: String, _ text: String, _ message: String) -> Failure {
    Failure("FaultSpecError.\(code)", "the fault \(text)", message) { _ in
      _ = try FaultSpec(parsing: text)
      throw NothingFailed()
    }
  }

  private static func serving(
    _ code: String, _ input: String, _ message: String, _ options: CassetteServer.Options
  ) -> Failure {
    Failure("CassetteServerError.\(code)", input, message) { folder in
      _ = try CassetteServer(Cassette(contentsOf: makeCassette(in: folder)), options: options)
      throw NothingFailed()
    }
  }

  private static func proxying(_ code: String, _ input: String, _ message: String, _ upstream: String)
    -> Failure
  {
    Failure("RecordingProxyError.\(code)", input, message) { folder in
      _ = try RecordingProxy(upstream: upstream, recordingInto: folder.url.path, header: { header })
      throw NothingFailed()
    }
  }

  /// What a handler is told that answers so; its client goes after the first bytes.
  private static func answering(
    _ code: String, _ input: String, _ message: String,
    _ answer: @escaping @Sendable (ResponseWriter) async throws -> Void
  ) -> Failure {
    Failure("LoopbackServerError.\(code)", input, message) { _ in
      let (errors, told) = AsyncStream.makeStream(of: String.self)
      let server = try LoopbackServer { _, response in
        do { try await answer(response) } catch { told.yield("\(error)") }
        await response.cut()
      }
      let client = Task {
        for await fact in URLSessionEventStreamTransport().connect(EventStreamRequest(url: server.url)) {
          if case .bytes = fact.fact { break }
        }
      }
      var iterator = errors.makeAsyncIterator()
      let first = await iterator.next()
      await client.value
      await server.stop()
      return try first ?? { throw NothingFailed() }()
    }
  }

  private static func reconnecting(_ kind: String, _ input: String, _ message: String, _ id: String?)
    -> Failure
  {
    Failure("ClientFinding.\(kind)", input, message) { folder in
      try await finding(in: folder, ids: [nil, id])
    }
  }

  /// What a replay server finds wrong with a client whose requests carry these IDs.
  private static func finding(in folder: ScratchFolder, ids: [String?]) async throws -> String {
    let server = try CassetteServer(
      Cassette(contentsOf: makeCassette(in: folder)), options: CassetteServer.Options(speed: .instant))
    for id in ids {
      let headers = id.map { [HeaderField("Last-Event-ID", $0)] } ?? []
      let request = EventStreamRequest(url: server.url + "?session=a", headers: headers)
      for await fact in URLSessionEventStreamTransport().connect(request) {
        if case .bytes = fact.fact { break }
      }
      _ = try await server.exchanges { $0.allSatisfy { $0.outcome != nil } }
    }
    await server.stop()
    return try server.findings.first?.description ?? { throw NothingFailed() }()
  }
}
