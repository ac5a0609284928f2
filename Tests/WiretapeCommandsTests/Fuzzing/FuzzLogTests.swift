// What is read off libFuzzer's logs, and which failures count as one fault.

import EventStreamFuzzing
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
    headline: String = "reference does not hold: The events are those that the standard gives.",
    split: String = "at:3",
    expected: String = #"event 0: type "message", data "a\"b", last event ID """#,
    got: String = "no event 0"
  ) -> String {
    head + """
      FuzzEventStream/FuzzEventStream.swift:33: Fatal error: finding: \(headline)
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
    #expect(failure.headline == "reference does not hold: The events are those that the standard gives.")
    #expect(
      failure.title.hasSuffix(
        #" · at:3 · expected event 0: type "message", data "a\"b", last event ID "" · got no event 0"#))
    #expect(failure.oracle == "reference")
    #expect(failure.form == nil && failure.stream == nil)
    #expect(failure.split == "at:3")
    #expect(failure.got == "no event 0")
    #expect(log.artifact == "artifacts/crash-0a1b")
    #expect(failure.functions.isEmpty)
  }

  @Test("a library that the linker doesn't find is named, with what to install")
  func missingLibraries() throws {
    let missing = try #require(
      MissingLibraries(
        in: """
          [3/4] Linking FuzzEventStream
          ld.lld: error: unable to find library -lcurl
          ld.lld: error: unable to find library -lshop
          ld.lld: error: unable to find library -lcurl
          clang: error: linker command failed with exit code 1
          """))
    #expect(
      missing.advice
        == "Install the development files of libcurl, libshop (Debian and Ubuntu: apt-get install libcurl4-openssl-dev). "
        + "Or give the parser a library product of its own that does not reach FoundationNetworking, and name it: "
        + "wiretape fuzz init --product NAME --force (which overwrites what names your parser).")
    #expect(MissingLibraries(names: ["z"]).advice.hasSuffix("zlib1g-dev)."))
    #expect(MissingLibraries(in: "error: cannot find 'feed' in scope") == nil)
  }

  @Test("the form of the input and the stream that an oracle made of it are read as it prints them")
  func form() throws {
    let stream: [UInt8] = Array("id: \"9\\\r\n\r\ndata: ".utf8) + [0xE2, 0x82, 0x00, 0x7F]
    let finding = Finding(
      oracle: "lineEnds", delivery: "whole", expected: "event 0", got: "no event 0", rule: "Lines end.",
      form: "with CR LF line ends", stream: stream)
    let failure = try #require(FuzzLog("x.swift:1: Fatal error: finding: \(finding)").failure)
    #expect(failure.stream == stream)
    #expect(failure.form == "with CR LF line ends")
    #expect(failure.oracle == "lineEnds")
    #expect(failure.headline == "lineEnds does not hold: Lines end.")
    #expect(
      failure.facts[0] == "input: with CR LF line ends" && failure.facts[1].hasPrefix(#"stream: "id: \"9"#))
    let other = try #require(
      FuzzLog("Fatal error: finding: \(finding)".replacing("CR LF line", with: "CR line")).failure)
    #expect(failure.signature != other.signature, "another kind of line end is another fault")
    #expect(EscapedStream.bytes(of: "\"a") == nil)
    #expect(EscapedStream.bytes(of: "\"\\x4\"") == nil)
  }

  private func signature(_ log: String) throws -> String { try #require(FuzzLog(log).failure).signature }

  @Test("other texts and places are the same fault; another kind of difference is another one")
  func signatures() throws {
    let first = try signature(Self.finding())
    let sameFault = try signature(
      Self.finding(
        split: "at:71", expected: #"event 12: type "message", data "other", last event ID """#,
        got: "no event 12"))
    #expect(first == sameFault)
    let uncut = try signature(Self.finding(split: "whole"))
    #expect(first != uncut)
    let data = try signature(
      Self.finding(got: #"event 0: type "message", data "b", last event ID """#))
    let type = try signature(
      Self.finding(got: #"event 0: type "update", data "a\"b", last event ID """#))
    #expect(Set([first, data, type]).count == 3)
  }

  /// A stack with two functions of a parser in it.
  static let stack = """
        #0 0x1 in fuzzer::Fuzzer::CrashCallback() /x/FuzzerLoop.cpp:231:3
        #1 0x2 in $ss17_assertionFailure__4file4line5flagss5NeverO Swift.o
        #2 0x3 in $s4Shop1a /x/Shop.swift:22:74
        #3 0x4 in $s4Shop1b /<compiler-generated>
        #4 0x5 in LLVMFuzzerTestOneInput /<compiler-generated>
        #5 0x6 in $s4Shop1d /x/Shop.swift:1:1

        #0 0x1 in $s4Shop1e /x/Shop.swift:1:1
    """

  @Test(
    "traps, wrong accesses, leaks, timeouts and memory are told apart",
    arguments: [
      (
        "Parser.swift:3: Fatal error: Index out of range\n==1== ERROR: libFuzzer: deadly signal\n\(stack)",
        FuzzFailure.Kind.crash, "Index out of range", "crash: Index out of range: $s4Shop1a < $s4Shop1b"
      ),
      (
        """
        ==1== ERROR: libFuzzer: deadly signal
            #0 0x1 in __sanitizer_print_stack_trace /x/asan_stack.cpp:87:3
            #1 0x2  (/lib/libc.so.6+0x3c04f) (BuildId: 93)
            #2 0x3 in Swift runtime failure: Unexpectedly found nil /<compiler-generated>
            #3 0x3 in $s4Shop1c /x/Shop.swift:22:74
        """, .crash, "Unexpectedly found nil", "crash: Unexpectedly found nil: $s4Shop1c"
      ),
      (
        "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60 at pc 0x1\nREAD of size 1 at 0x60\n\(stack)",
        .crash, "AddressSanitizer: heap-buffer-overflow",
        "crash: AddressSanitizer: heap-buffer-overflow: $s4Shop1a < $s4Shop1b"
      ),
      (
        "==1== ERROR: libFuzzer: deadly signal", .crash, "libFuzzer: deadly signal",
        "crash: libFuzzer: deadly signal"
      ),
      (
        "==1== ERROR: libFuzzer: timeout after 5 seconds\n\(stack)", .timeout,
        "no end within the time for one input",
        "timeout"
      ),
      (
        "==1== ERROR: libFuzzer: out-of-memory (used: 2049Mb; limit: 2048Mb)", .outOfMemory,
        "more memory than one input may take", "out of memory"
      ),
      (
        "==1==ERROR: LeakSanitizer: detected memory leaks\n\nDirect leak of 9 bytes\n    #0 0x1 in malloc /x:1\n\(stack)",
        .leak, "memory is leaked", "leak: $s4Shop1a < $s4Shop1b"
      ),
      ("x.swift:1: Fatal error: Division by zero", .crash, "Division by zero", "trap: Division by zero"),
    ])
  func kinds(text: String, kind: FuzzFailure.Kind, title: String, signature: String) throws {
    let failure = try #require(FuzzLog(FuzzLogTests.head + text).failure)
    #expect(failure.kind == kind)
    #expect(failure.title == title)
    #expect(failure.signature == signature)
  }
}
