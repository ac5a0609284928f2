// What a failing test says.

import EventCassetteTesting
import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents

extension Failure {
  static let tests: [Failure] = [
    checking(
      "a cassette that is not there",
      """
      no cassette ‘orders’; looked for
        FOLDER/orders.cassette
        FOLDER/Cassettes/orders.cassette
        and among the resources of the loaded bundles. Record one with:
        wiretape record URL -o 'FOLDER/orders.cassette'
        or in the test itself, with `withCassette` and WIRETAPE_RECORD=missing, outside CI.
      """
    ) { folder in
      checkReplay("orders", filePath: folder.url.path + "/OrderTests.swift")
    },
    checking(
      "no golden file, and none may be written",
      """
      orders.cassette: there is no golden file to compare with.
        looked for FOLDER/orders.events.jsonl
        write it with: wiretape check 'FOLDER/orders.cassette' --update
        or let the test write it, which it does not now: the test’s own record mode is never.
      """
    ) { folder in
      checkReplay(try makeCassette(in: folder), record: .never)
    },
    checking(
      "no golden file yet",
      """
      orders.cassette: wrote 2 golden events; nothing was compared, so this run fails.
        wrote:  FOLDER/orders.events.jsonl
        Look at them, and run the test again.
      """
    ) { folder in
      checkReplay(try makeCassette(in: folder), record: .missing)
    },
    checking(
      "no golden file yet, and a recording without its end",
      """
      orders.cassette: this recording lacks its end, so no golden events were written.
        finish it with: wiretape recover 'FOLDER/orders.cassette' -o FILE
      """
    ) { folder in
      let path = try makeCassette(in: folder)
      try Data(contentsOf: URL(fileURLWithPath: path)).dropLast(30).write(to: URL(fileURLWithPath: path))
      return checkReplay(path, record: .missing)
    },
    checking(
      "an event that is not the golden one",
      """
      orders.cassette: event 2 is not the golden one.
        golden:   FOLDER/orders.events.jsonl, line 2
        expected: {"exchange":2,"type":"message","data":"order 3","lastEventId":"2","id":"2"}
        got:      {"exchange":2,"type":"message","data":"order 2","lastEventId":"2","id":"2"}
        re-run:   wiretape check 'FOLDER/orders.cassette'
        If the new events are right: wiretape check 'FOLDER/orders.cassette' --update
      """
    ) { folder in
      let path = try makeCassette(in: folder)
      _ = checkReplay(path, record: .all)
      let golden = try String(contentsOfFile: folder.url.path + "/orders.events.jsonl", encoding: .utf8)
      try folder.write("orders.events.jsonl", golden.replacingOccurrences(of: "order 2", with: "order 3"))
      return checkReplay(path, record: .never)
    },
    checking(
      "a golden file that can't be read",
      "FOLDER/orders.cassette: line 1 of the golden file is not a JSON object: write the file anew with `wiretape check --update`"
    ) { folder in
      let path = try makeCassette(in: folder)
      try folder.write("orders.events.jsonl", "data: order 1\n")
      return checkReplay(path, record: .never)
    },
    checking(
      "a parser that depends on cuts",
      #"""
      orders.cassette: the events depend on where the stream is cut.
        split:    at:8 (found by bytes:1), exchange 1, after 0 right events
        expected: {"data":"order 1"}
        got:      nothing more
        cut at:   "id: 1\r\nd|ata: order 1\r\n\r\n"
        smallest: "d|ata: a\r\n\r\n"
        re-run:   assertReplays("FOLDER/orders.cassette", options: CheckOptions(plans: [.at([8])])) …
      """#
    ) { folder in
      checkReplay(try makeCassette(in: folder), comparing: [.data]) {
        { chunk in
          String(decoding: chunk, as: UTF8.self).split(separator: "\r\n\r\n").compactMap { block in
            block.firstRange(of: "data: ").map { ServerSentEvent(data: String(block[$0.upperBound...])) }
          }
        }
      }
    },
    checking(
      "a parser that is wrong however the stream is cut",
      #"""
      orders.cassette: the events are wrong, however the stream is cut.
        split:    whole (found by recorded), exchange 1, after 0 right events
        expected: {"data":"order 1"}
        got:      nothing more
        smallest: "data:a\n\n"
        re-run:   assertReplays("FOLDER/orders.cassette", options: CheckOptions(plans: [.whole])) …
      """#
    ) { folder in
      checkReplay(try makeCassette(in: folder), comparing: [.data]) { { _ in [] } }
    },
    checking(
      "a client that resumes after another event",
      """
      orders.cassette: the client does not do what the recorded one did.
        exchange 2: recorded Last-Event-ID ‘7’, replayed Last-Event-ID ‘1’
        re-run:   wiretape replay 'FOLDER/orders.cassette'
      """
    ) { folder in
      let path = folder.url.path + "/orders.cassette"
      var writer = try CassetteWriter(creating: path)
      let client = Cassette.Client(mode: "eventSource", policy: "standard", initialRetryMs: 3000)
      try writer.write(
        .header(
          Cassette.Header(recorder: header.recorder, recordedAt: header.recordedAt, client: client)))
      for number in 1...2 {
        let headers = number == 1 ? [] : [HeaderField("Last-Event-ID", "7")]
        try writer.write(.request(Cassette.Request(url: "http://127.0.0.1/orders", headers: headers)))
        try writer.write(
          .response(Cassette.Response(headers: [HeaderField("Content-Type", "text/event-stream")])))
        try writer.write(
          .chunk(Cassette.Chunk(bytes: Array("id: \(number)\ndata: order \(number)\n\n".utf8))))
        try writer.write(.end(Cassette.End(delay: 1000, cause: .complete)))
      }
      try writer.finish()
      try writer.close()
      return checkReplay(path, record: .never)
    },
  ]

  private static func checking(
    _ input: String, _ message: String, _ check: @escaping @Sendable (ScratchFolder) throws -> ReplayCheck
  ) -> Failure {
    Failure("assertReplays", input, message) { folder in
      try check(folder).failure ?? { throw NothingFailed() }()
    }
  }
}
