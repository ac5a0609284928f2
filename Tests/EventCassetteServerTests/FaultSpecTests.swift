// The text form of faults: each prints and parses back, and what is no fault says why.

import EventStreamFuzzing
import Foundation
import Testing

@testable import EventCassetteServer

@Suite("Faults as text")
struct FaultSpecTests {
  static let valid: [(String, FaultSpec)] = [
    ("reset@4097", FaultSpec(.reset, at: .at(4097))),
    ("truncate@2/0", FaultSpec(.truncate, in: .exchange(2))),
    ("stall@100:5", FaultSpec(.stall(.seconds(5)), at: .at(100))),
    ("stall@every/1:0.25", FaultSpec(.stall(.milliseconds(250)), in: .every, at: .at(1))),
    ("stall@1:0.000001", FaultSpec(.stall(.microseconds(1)), at: .at(1))),
    ("drip@0:3,every=0.05", FaultSpec(.drip(bytes: 3, every: .milliseconds(50)))),
    ("garbage@random-7:16", FaultSpec(.garbage(bytes: 16, seed: 0), at: .random(seed: 7))),
    (
      "garbage@3/random-0:1,seed=18446744073709551615",
      FaultSpec(.garbage(bytes: 1, seed: .max), in: .exchange(3), at: .random(seed: 0))
    ),
    ("bad-chunk@9", FaultSpec(.badChunk, at: .at(9))),
    ("type@0:text/html; a=\"b:c,d\"", FaultSpec(.contentType("text/html; a=\"b:c,d\""))),
    ("status@0:503", FaultSpec(.status(503, retryAfter: nil))),
    ("status@every/0:503,retry-after=2", FaultSpec(.status(503, retryAfter: "2"), in: .every)),
    (
      "status@2/0:429,retry-after=Sun, 06 Nov 1994 08:49:37 GMT",
      FaultSpec(.status(429, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT"), in: .exchange(2))
    ),
    ("duplicate@50", FaultSpec(.duplicateEvent, at: .at(50))),
    ("split-head@20", FaultSpec(.splitHead(pause: .zero), at: .at(20))),
    ("split-head@20:0.1", FaultSpec(.splitHead(pause: .milliseconds(100)), at: .at(20))),
  ]

  @Test("a fault's text parses to it and prints back", arguments: valid)
  func roundTrip(text: String, fault: FaultSpec) throws {
    #expect(try FaultSpec(parsing: text) == fault)
    #expect(fault.description == text)
  }

  @Test("the list of kinds names each kind once, and the table above tries each")
  func kinds() {
    let names = FaultSpec.kinds.map { String($0.syntax.prefix { $0 != "@" }) }
    #expect(Set(names).count == names.count)
    #expect(Set(Self.valid.map { String($0.0.prefix { $0 != "@" }) }) == Set(names))
  }

  static let invalid: [(String, FaultSpecError.Code)] = [
    ("", .unknownKind), ("explode@1", .unknownKind), ("Reset@1", .unknownKind), (" reset@1", .unknownKind),
    ("reset", .invalidPlace), ("reset@", .invalidPlace), ("reset@-1", .invalidPlace),
    ("reset@01", .invalidPlace), ("reset@+1", .invalidPlace), ("reset@1 ", .invalidPlace),
    ("reset@0/1", .invalidPlace), ("reset@all/1", .invalidPlace), ("reset@1/2/3", .invalidPlace),
    ("reset@99999999999999999999", .invalidPlace), ("reset@random-", .invalidPlace),
    ("reset@random7", .invalidPlace), ("status@1:503", .invalidPlace), ("type@random-1:a/b", .invalidPlace),
    ("stall@1", .missingValue), ("drip@1:5", .missingValue), ("drip@1:5,every", .missingValue),
    ("status@0", .missingValue), ("type@0", .missingValue), ("garbage@1", .missingValue),
    ("stall@1:", .invalidValue), ("stall@1:-1", .invalidValue), ("stall@1:1.", .invalidValue),
    ("stall@1:.5", .invalidValue), ("stall@1:1.1234567", .invalidValue), ("stall@1:1e3", .invalidValue),
    ("stall@1:1000001", .invalidValue), ("drip@1:0,every=1", .invalidValue), ("status@0:99", .invalidValue),
    ("status@0:1000", .invalidValue), ("status@0:503,retry-after=", .invalidValue),
    ("type@0:a/b\r\nX: y", .invalidValue), ("type@0:", .invalidValue),
    ("garbage@1:99999999999", .invalidValue), ("garbage@1:1,seed=x", .invalidValue),
    ("reset@1:5", .unexpectedValue), ("reset@1:", .unexpectedValue), ("stall@1:5,", .unexpectedValue),
    ("stall@1:5,6", .unexpectedValue), ("status@0:503,retry=2", .unexpectedValue),
    ("garbage@1:1,2", .unexpectedValue),
  ]

  @Test("what is no fault is refused with its reason", arguments: invalid)
  func refused(text: String, code: FaultSpecError.Code) {
    do {
      let fault = try FaultSpec(parsing: text)
      Issue.record("read as \(fault)")
    } catch {
      #expect(error.code == code, "\(error)")
    }
  }

  /// What the fuzzer holds the text form to, on the seeds it starts from and on every valid text cut short.
  @Test("any text is a fault that prints and reads back, or an error that quotes it")
  func anyText() throws {
    let form = TextForm("fault") { try FaultSpec(parsing: $0) }
    let seeds = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Corpus/seeds")
    let files = try FileManager.default.contentsOfDirectory(at: seeds, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "options" }
    #expect(!files.isEmpty)
    let texts = try files.map { Oracle.optionText(of: Array(try Data(contentsOf: $0))) }
    for text in texts + Self.valid.flatMap({ valid in valid.0.indices.map { String(valid.0[..<$0]) } }) {
      #expect(form.check(text) == nil, "\(text)")
    }
  }
}
