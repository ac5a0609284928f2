// What an oracle says.

import EventStreamFuzzing
import Foundation

extension Failure {
  static let fuzzing: [Failure] = [
    Failure(
      "Finding", "a parser that gives no events",
      """
      reference does not hold: The events are those that the standard gives.
        split: whole
        expected: event 0: type "message", data "a", last event ID ""
        got:      no event 0
      """
    ) { _ in
      let subject = ParserSubject { { _ in [] } }
      return try subject.check(Array("data: a\n\n".utf8))?.description ?? { throw NothingFailed() }()
    }
  ]
}
