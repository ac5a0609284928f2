// What goes wrong when a cassette is cut, replayed or looked into.

import EventCassettes
import Foundation
import ServerSentEvents

extension Failure {
  static let replay: [Failure] = [
    plan(
      "unknownPlan", "hostil",
      "‘hostil’ is no boundary plan: use recorded, whole, bytes:N, random:SEED, at:OFFSET,…, hostile or each"),
    plan("missingArgument", "bytes", "plan ‘bytes’ lacks its number: write it like bytes:1"),
    plan("unexpectedArgument", "whole:1", "plan ‘whole:1’: ‘whole’ takes nothing after it; write whole"),
    plan("invalidNumber", "bytes:0", "‘0’ in plan ‘bytes:0’ is no chunk length: bytes:N takes an N from 1"),
    plan("unorderedOffsets", "at:9,3", "offset 3 in plan ‘at:9,3’ comes after 9: sort them"),

    Failure(
      "ReplayMismatch", "another address than was recorded",
      "request 1 is GET /refunds, but orders.cassette expects URL /orders for exchange 1; the closest is exchange 1, which has URL /orders; record it anew with: wiretape record --reconnect 'http://127.0.0.1/refunds' -o orders.cassette --force"
    ) { folder in
      let cassette = try Cassette(contentsOf: makeCassette(in: folder))
      let transport = ReplayTransport(
        cassette, name: "orders.cassette", clock: VirtualClock(advancesItself: true))
      for await _ in transport.connect(EventStreamRequest(url: "http://127.0.0.1/refunds")) {}
      return try await transport.mismatches.first?.description ?? { throw NothingFailed() }()
    },
    Failure(
      "ReplayMismatch", "one request more than was recorded",
      "request 3 is GET /orders, but orders.cassette holds 2 exchanges, and all are played; the closest is exchange 2, which fits but is not its turn; record it anew with: wiretape record --reconnect 'http://127.0.0.1/orders' -o orders.cassette --force"
    ) { folder in
      let cassette = try Cassette(contentsOf: makeCassette(in: folder))
      let transport = ReplayTransport(
        cassette, name: "orders.cassette", clock: VirtualClock(advancesItself: true), matching: .url)
      for _ in 1...3 {
        for await _ in transport.connect(EventStreamRequest(url: "http://127.0.0.1/orders")) {}
      }
      return try await transport.mismatches.first?.description ?? { throw NothingFailed() }()
    },

    difference(
      "lastEventID", "a client that resumes after another event",
      "exchange 2: recorded Last-Event-ID ‘7’, replayed Last-Event-ID ‘1’", recordedID: "7"),
    difference(
      "exchangeNotRequested", "a client that gives up where the recorded one went on",
      "exchange 2: recorded a request, replayed none, for the client is closed (noContent)", status: 204),
    difference(
      "cancelNotMade", "a client that keeps a connection which the recorded one closed",
      "exchange 1: recorded that the client closed the connection and went on, replayed a client that keeps it",
      cause: .cancelled
    ),

    warning(
      "unknownField", "a field with a capital", #"byte 0: the unknown field "Data" is ignored"#, "Data: a\n\n"
    ),
    warning(
      "unfinishedBlock", "a stream that ends in mid-event",
      "byte 9: the last block has no blank line: it is discarded", "data: a\n\ndata: b\n"),
    warning(
      "afterEndMark", "an event after [DONE]", "byte 14: the stream goes on after data: [DONE]",
      "data: [DONE]\n\ndata: a\n\n"),
    warning(
      "invalidUTF8", "a byte that is no UTF-8", "byte 6: a byte that is not UTF-8",
      bytes: Array("data: ".utf8) + [0xFF, 0x0A, 0x0A]),
    warning("nulInID", "an ID with NUL", "byte 0: an id that holds NUL is ignored", "id: 1\0\ndata: a\n\n"),
    warning(
      "badRetry", "a reconnection time with a sign", "byte 0: a retry that is not all digits is ignored",
      "retry: +5\n\n"),
    warning(
      "errorComment", "a proxy that gives up", "byte 0: a comment that begins like the HTTP error 502",
      ": 502 Bad Gateway\n\n"),
    warning(
      "notAnEventStream", "JSON under the stream's type",
      "byte 0: the body looks like JSON, not like an event stream", #"{"error":"overloaded"}"#),
    warning(
      "overLimit", "a line without end",
      "byte 9: a line of more than 16777216 bytes: a client gives up there, and what follows is lost",
      bytes: Array("data: a\n\n: ".utf8) + [UInt8](repeating: 0x78, count: 16 << 20) + [0x0A, 0x0A]),
    warning(
      "errorStatus", "an error under the stream's type",
      "byte 0: status 500 under the type text/event-stream", "data: a\n\n", status: 500),
  ]

  private static func plan(_ code: String, _ text: String, _ message: String) -> Failure {
    Failure("ChunkBoundaryPlanError.\(code)", "the plan \(text)", message) { _ in
      _ = try ChunkBoundaryPlan(parsing: text)
      throw NothingFailed()
    }
  }

  /// Replays a session of two exchanges in which something is other than our client does it.
  private static func difference(
    _ kind: String, _ input: String, _ message: String, recordedID: String = "1", status: Int = 200,
    cause: ConnectionEnd = .complete
  ) -> Failure {
    Failure("ReplayFinding.\(kind)", input, message) { _ in
      var writer = try CassetteWriter(inMemoryAtLevel: 6)
      try writer.write(.header(header))
      for number in 1...2 {
        let headers = number == 1 ? [] : [HeaderField("Last-Event-ID", recordedID)]
        try writer.write(.request(Cassette.Request(url: "http://127.0.0.1/orders", headers: headers)))
        try writer.write(
          .response(
            Cassette.Response(
              status: number == 1 ? status : 200, headers: [HeaderField("Content-Type", "text/event-stream")])
          ))
        if status == 200 {
          try writer.write(
            .chunk(Cassette.Chunk(bytes: Array("id: \(number)\ndata: order \(number)\n\n".utf8))))
        }
        try writer.write(.end(Cassette.End(delay: 1000, cause: number == 1 ? cause : .complete)))
      }
      try writer.finish()
      try writer.close()
      let report = try CassetteVerifier.check(
        Cassette(bytes: writer.bytes), options: CheckOptions(plans: [.recorded], proves: false))
      return try report.replayFindings.first { $0.kind.description == kind }?.description
        ?? { throw NothingFailed() }()
    }
  }

  private static func warning(
    _ code: String, _ input: String, _ message: String, _ stream: String = "", bytes: [UInt8]? = nil,
    status: Int = 200
  ) -> Failure {
    Failure("StreamWarning.\(code)", input, message) { _ in
      var inspector = StreamInspector(
        response: EventStreamResponse(
          status: status, headers: [HeaderField("Content-Type", "text/event-stream")]))
      let body = bytes ?? Array(stream.utf8)
      inspector.append(body.span)
      let warning = inspector.finish().first { $0.code.name == code }
      return try warning.map { "byte \($0.offset): \($0.what)" } ?? { throw NothingFailed() }()
    }
  }
}
