// What is read off libFuzzer's logs, and which failures count as one fault.

import Foundation
import Testing

@testable import WiretapeCommands

struct FuzzLogTests {
  static let head = """
    INFO: Running with entropic power schedule (0xFF, 100).
    INFO: Seed: 3155817226
    INFO: Loaded 1 modules   (9164 inline 8-bit counters): 9164 [0x55b7, 0x55b9), 
    INFO: Loaded 1 PC tables (9164 PCs): 9164 [0x55b9,0x55bc), 
    INFO:       36 files found in work/FuzzParser
    #2\tINITED cov: 1224 ft: 3000 corp: 36/2345b exec/s: 0 rss: 60Mb

    """

  @Test("status lines and statistics are read")
  func status() {
    let log = FuzzLog(
      Self.head + """
        #1024\tpulse  cov: 1230 ft: 3010 corp: 36/2345b lim: 80 exec/s: 512 rss: 61Mb
        #1300\tNEW    cov: 1236 ft: 3020 corp: 37/2400b lim: 80 exec/s: 650 rss: 61Mb L: 12/80 MS: 1 ChangeBit-
        Done 2000 runs in 3 second(s)
        stat::number_of_executed_units: 2000
        stat::average_exec_per_sec:     666
        stat::peak_rss_mb:              62
        """)
    #expect(log.isInstrumented)
    #expect(log.start == .init(executions: 2, coverage: 1224, features: 3000, executionsPerSecond: 0))
    #expect(log.latest == .init(executions: 1300, coverage: 1236, features: 3020, executionsPerSecond: 650))
    #expect(log.executions == 2000)
    #expect(log.peakMemory == 62)
    #expect(log.failure == nil)
    #expect(log.artifact == nil)
  }

  @Test("a log that was cut off tells what it has")
  func cutOff() {
    let log = FuzzLog(Self.head + "#1024\tpulse  cov: 1230 ft: 3010 corp: 3\n#20")
    #expect(log.executions == 1024)
    #expect(log.latest?.coverage == 1230)
    #expect(FuzzLog("").isInstrumented == false)
    #expect(FuzzLog("#\n#x\n#1 cov: \n#2 cov: a ft: b\nstat::\nstat::x\n").latest == nil)
  }

  /// The log of an oracle that didn't hold.
  static func finding(
    split: String = "at:3",
    expected: String = #"event 0: Event(type: "message", data: "a\"b", lastEventID: "")"#,
    got: String = "no event 0"
  ) -> String {
    head + """
      FuzzEventStream/FuzzEventStream.swift:33: Fatal error: finding: reference: does not hold
        split: \(split)
        expected: \(expected)
        got:      \(got)
      AddressSanitizer:DEADLYSIGNAL
      =================================================================
      ==12==ERROR: AddressSanitizer: ILL on unknown address 0x5556 (pc 0x5556 bp 0x7ffe sp 0x7ffe T0)
          #0 0x5556 in testOneInput (/x/FuzzEventStream+0x1)
      DEDUP_TOKEN: testOneInput--fuzzer::Fuzzer::ExecuteCallback(unsigned char const*, unsigned long)
      SUMMARY: AddressSanitizer: ILL (/x/FuzzEventStream+0x1) in testOneInput
      artifact_prefix='artifacts/'; Test unit written to artifacts/crash-0a1b
      Base64: ZGF0YQ==
      """
  }

  @Test("an oracle's finding is told with its split")
  func finding() throws {
    let log = FuzzLog(Self.finding())
    let failure = try #require(log.failure)
    #expect(failure.kind == .finding)
    #expect(failure.title == "reference: does not hold")
    #expect(failure.split == "at:3")
    #expect(failure.got == "no event 0")
    #expect(log.artifact == "artifacts/crash-0a1b")
    #expect(failure.functions.isEmpty)
  }

  private func signature(_ log: String) throws -> String { try #require(FuzzLog(log).failure).signature }

  @Test("other texts and places are the same fault; another kind of difference is another one")
  func signatures() throws {
    let first = try signature(Self.finding())
    let sameFault = try signature(
      Self.finding(
        split: "at:71", expected: #"event 12: Event(type: "message", data: "other", lastEventID: "")"#,
        got: "no event 12"))
    #expect(first == sameFault)
    let uncut = try signature(Self.finding(split: "whole"))
    #expect(first != uncut)
    let data = try signature(
      Self.finding(got: #"event 0: Event(type: "message", data: "b", lastEventID: "")"#))
    let type = try signature(
      Self.finding(got: #"event 0: Event(type: "update", data: "a\"b", lastEventID: "")"#))
    #expect(Set([first, data, type]).count == 3)
  }

  @Test(
    "traps, wrong accesses, leaks, timeouts and memory are told apart",
    arguments: [
      (
        "Parser.swift:3: Fatal error: Index out of range\n==1==ERROR: AddressSanitizer: ILL on unknown address 0x1\nDEDUP_TOKEN: $s1a--$s1b",
        FuzzFailure.Kind.crash, "Index out of range", "crash: $s1a--$s1b"
      ),
      (
        "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x1\nDEDUP_TOKEN: $s1a--$s1b--main",
        .crash, "AddressSanitizer: heap-buffer-overflow", "crash: $s1a--$s1b--main"
      ),
      (
        "==1== ERROR: libFuzzer: deadly signal", .crash, "libFuzzer: deadly signal",
        "crash: libFuzzer: deadly signal"
      ),
      (
        "==1== ERROR: libFuzzer: timeout after 5 seconds", .timeout, "no end within the time for one input",
        "timeout"
      ),
      (
        "==1== ERROR: libFuzzer: out-of-memory (used: 2049Mb; limit: 2048Mb)", .outOfMemory,
        "more memory than one input may take", "out of memory"
      ),
      (
        "==1==ERROR: LeakSanitizer: detected memory leaks\nDEDUP_TOKEN: malloc--$s1c", .leak,
        "memory is leaked",
        "leak: malloc--$s1c"
      ),
      ("x.swift:1: Fatal error: Division by zero", .crash, "Division by zero", "trap: Division by zero"),
    ])
  func kinds(text: String, kind: FuzzFailure.Kind, title: String, signature: String) throws {
    let failure = try #require(FuzzLog(FuzzLogTests.head + text).failure)
    #expect(failure.kind == kind)
    #expect(failure.title == title)
    #expect(failure.signature == signature)
    #expect(failure.functions.count == (text.contains("DEDUP") ? signature.split(separator: "--").count : 0))
  }
}
