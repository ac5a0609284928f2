// One failure, told to whichever framework runs the test: Swift Testing says that it does by `Test.current`, all else
// is XCTest. This is the one file that speaks to either.

import EventCassettes
import XCTest

#if canImport(Testing)
  import Testing
#endif

struct TestFailure {
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  func report(_ check: ReplayCheck) {
    if let message = check.failure { report(message, check.reproduction) }
  }

  func report(_ message: String, _ reproduction: Reproduction? = nil) {
    #if canImport(Testing)
      if Test.current != nil {
        let location = SourceLocation(
          fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
        if let reproduction {
          Attachment.record(
            reproduction.xctest(named: "SmallestFailure"), named: "smallest-failure.swift",
            sourceLocation: location)
        }
        Issue.record(Comment(rawValue: message), sourceLocation: location)
        return
      }
    #endif
    var text = message
    if let reproduction {
      text += "\n  as a test:\n" + reproduction.xctest(named: "SmallestFailure")
    }
    XCTFail(text, file: filePath, line: line)
  }
}
