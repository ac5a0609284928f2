// A parser lives longer than one stream: what it keeps at a stream's end, at a reset and after a failure.

import ServerSentEvents

extension Oracle {
  static let reuse = Oracle(
    name: "reuse",
    statement: "After finish() only last event ID and retry are left, after reset() nothing is."
  ) { input in
    var parser = Trace(input, .hashed(input)).parser
    var ended = parser
    ended.finish()
    let successor = EventStreamParser(lastEventID: parser.lastEventID, retry: parser.retry)
    // The parser keeps an ID's bytes as they came: where they are no UTF-8 the text can't give them back.
    if !parser.lastEventID.unicodeScalars.contains("\u{FFFD}"), ended != successor {
      return finding("the state of a new parser that was given both", ended, successor)
    }
    // The next stream, a byte order mark of its own included, is read as a new one.
    let next = EventStreamEncoder.byteOrderMark + input
    if let difference = firstDifference(
      Trace(next, .whole, successor).items, Trace(next, .whole, ended).items)
    {
      return Finding(oracle: "reuse", delivery: "whole", expected: difference.expected, got: difference.got)
        .failing("as the second stream of one parser, with a byte order mark in front", as: next)
    }
    parser.reset()
    if parser != EventStreamParser() {
      return finding("the state of a new parser", parser, EventStreamParser())
    }
    return nil
  }

  static let failure = Oracle(
    name: "failure", statement: "After a failure nothing comes out and nothing changes until the reset."
  ) { input in
    let limits = EventStreamParser.Limits(line: 6, event: 9, policy: .fail)
    var failed = Trace(input, .hashed(input), EventStreamParser(limits: limits)).parser
    guard failed.failure != nil else { return nil }
    let before = failed
    let outputs = failed.append(input) + failed.append(Array("\n\ndata: x\n\n".utf8))
    if !outputs.isEmpty || failed != before {
      return failureFinding("no output and no change", failed, before)
    }
    failed.finish()
    if failed.failure != before.failure || !failed.append(Array("\n\ndata: x\n\n".utf8)).isEmpty {
      return failureFinding("a failure that finish() doesn't lift", failed, before)
    }
    failed.reset()
    let fresh = EventStreamParser(limits: limits)
    return failed == fresh ? nil : failureFinding("the state of a new parser", failed, fresh)
  }

  private static func failureFinding(
    _ expected: String, _ got: EventStreamParser, _ wanted: EventStreamParser
  ) -> Finding {
    finding(expected, got, wanted, oracle: "failure").failing("under \(limitsText(got.limits))")
  }

  private static func finding(
    _ expected: String, _ got: EventStreamParser, _ wanted: EventStreamParser, oracle: String = "reuse"
  ) -> Finding {
    Finding(
      oracle: oracle, delivery: "whole", expected: "\(expected): \(String(reflecting: wanted))",
      got: String(reflecting: got))
  }
}
