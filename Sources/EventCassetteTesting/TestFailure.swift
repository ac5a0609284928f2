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
    if let message = check.failure { report(message, test: check.reproductionTest) }
  }

  func report(_ message: String, test: String? = nil) {
    #if canImport(Testing)
      if Test.current != nil {
        let location = SourceLocation(
          fileID: "\(fileID)", filePath: "\(filePath)", line: Int(line), column: Int(column))
        if let test {
          Attachment.record(test, named: "smallest-failure.swift", sourceLocation: location)
        }
        Issue.record(Comment(rawValue: message), sourceLocation: location)
        return
      }
    #endif
    var text = message
    if let test { text += "\n  as a test:\n" + test }
    XCTFail(text, file: filePath, line: line)
  }
}
