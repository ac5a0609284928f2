// The same work at 1, 4, 16 and 64 times the size. What is linear takes the same time for each byte; what streams takes
// the same memory. Memory is what the process holds at most beyond its inputs.
//
// UNSAFE, and why: getrusage takes a pointer, to a variable beside the call.

import EventCassettes
import Foundation
import ServerSentEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Prints the tables.
func printGrowth(_ options: Options) async throws {
  let works: [(name: String, make: (Int) throws -> Work)] = [
    ("parse, one endless line", { .parsing(line(of: $0 << 18), chunkBytes: 1 << 10) }),
    ("parse, data lines of one event", { .parsing(lines($0 * 6250), chunkBytes: 16 << 10) }),
    ("parse, events", { .parsing(events($0), chunkBytes: 16 << 10) }),
    ("parse, comments and no blank line", { .parsing(comments($0 * 20_000), chunkBytes: 1 << 10) }),
    ("parse, strings", { .makingStrings(of: events($0)) }),
    ("event source", { try .receiving(events($0)) }),
    ("cassette, write", { .writing(events($0), chunkBytes: 1400) }),
    ("cassette, write tiny chunks", { .writing(events($0), chunkBytes: 20) }),
    ("cassette, read", { try .reading(events($0), chunkBytes: 1400) }),
    ("cassette, read tiny chunks", { try .reading(events($0), chunkBytes: 20) }),
    ("inspect", { try .inspecting(events(4), megabytes: $0 * 4) }),
    ("replay, instant", { try .replaying(events($0)) }),
    ("verify, proof", { try .proving(Array(events(1).prefix($0 << 5)), budget: .max) }),
    ("verify, proof in windows", { try .proving(Array(orders(1).prefix($0 << 9)), budget: nil) }),
    ("verify, each split", { try .splitting(Array(events(1).prefix($0 << 11))) }),
  ]
  for work in works where options.includes(work.name, "growth", 0) {
    for factor in [1, 4, 16, 64] {
      let (name, work) = (work.name, try work.make(factor))
      forgetPeak()
      let before = peakKilobytes()
      let clock = Benchmark.Clock.ownCPU
      let start = clock.now
      try await work.run()
      let nanoseconds = (clock.now - start) * 1e9 / Double(work.bytes)
      let grown = peakKilobytes() - before
      if options.isJSON {
        say(
          "{\"growth\":\"\(name)\",\"factor\":\(factor),\"bytes\":\(work.bytes),"
            + "\"nanosecondsPerByte\":\(rounded(nanoseconds, 3)),\"grownKiB\":\(grown)}")
      } else {
        say(
          padded(name, 34) + padded("×\(factor)", 6) + padded("\(work.bytes >> 10) KiB", 14)
            + padded("\(rounded(nanoseconds, 3)) ns a byte", 22) + "\(grown) KiB more")
      }
    }
  }
}

/// Work on bytes that were made before.
private struct Work {
  let bytes: Int
  let run: () async throws -> Void

  static func parsing(_ stream: [UInt8], chunkBytes: Int) -> Work {
    Work(bytes: stream.count) {
      var parser = EventStreamParser(limits: EventStreamParser.Limits(line: 1 << 30, event: 1 << 30))
      var seen = 0
      forEachChunk(of: stream, size: chunkBytes) { chunk in
        parser.visit(chunk) { _, payload, _, _ in seen &+= payload.count }
      }
      precondition(seen > 0, "nothing was parsed")
    }
  }

  static func makingStrings(of stream: [UInt8]) -> Work {
    Work(bytes: stream.count) {
      var parser = EventStreamParser()
      var seen = 0
      forEachChunk(of: stream, size: 16 << 10) { chunk in
        parser.append(chunk) { output, _ in
          if case .event(let event) = output { seen &+= event.data.utf8.count }
        }
      }
      precondition(seen > 0, "nothing was parsed")
    }
  }

  /// The server holds what it sends, and is made before.
  static func receiving(_ stream: [UInt8]) throws -> Work {
    let server = try makeServer(sending: stream)
    return Work(bytes: stream.count) {
      let events = try await countEvents(from: server)
      precondition(events > 0, "nothing was received")
    }
  }

  static func writing(_ stream: [UInt8], chunkBytes: Int) -> Work {
    Work(bytes: stream.count) { _ = try makeCassette(of: stream, chunkBytes: chunkBytes) }
  }

  static func reading(_ stream: [UInt8], chunkBytes: Int) throws -> Work {
    let cassette = try makeCassette(of: stream, chunkBytes: chunkBytes)
    return Work(bytes: stream.count) {
      var reader = try CassetteReader(bytes: cassette)
      while try reader.advance() {}
    }
  }

  static func inspecting(_ stream: [UInt8], megabytes: Int) throws -> Work {
    let session = try SessionFile(of: stream, bytes: megabytes << 20)
    return Work(bytes: session.bytes) { _ = try await session.inspect() }
  }

  static func replaying(_ stream: [UInt8]) throws -> Work {
    let cassette = try makeCassette(of: stream, chunkBytes: 1400)
    return Work(bytes: stream.count) {
      var replayer = CassetteReplayer(try CassetteReader(bytes: cassette))
      while try replayer.next() != nil {}
    }
  }

  /// All pieces, or what the default budget allows.
  static func proving(_ stream: [UInt8], budget: Int?) throws -> Work {
    let cassette = try Cassette(bytes: try makeCassette(of: stream, chunkBytes: 1400))
    return Work(bytes: stream.count) {
      let options = CheckOptions(plans: [], proofBudget: budget)
      let report = try CassetteVerifier.check(cassette, options: options)
      precondition(report.passed, "the parser depends on cuts")
    }
  }

  /// What the default budget allows: past some KiB, windows of the stream.
  static func splitting(_ stream: [UInt8]) throws -> Work {
    let cassette = try Cassette(bytes: try makeCassette(of: stream, chunkBytes: 1400))
    return Work(bytes: stream.count) {
      let options = CheckOptions(plans: [.each], proves: false)
      let report = try CassetteVerifier.check(cassette, options: options)
      precondition(report.passed, "the parser depends on cuts")
    }
  }
}

private func line(of count: Int) -> [UInt8] {
  Array("data: ".utf8) + Array(repeating: UInt8(ascii: "x"), count: count) + [10, 10]
}

private func lines(_ count: Int) -> [UInt8] {
  Array(String(repeating: "data: a short line of text\n", count: count).utf8) + [10]
}

private func comments(_ count: Int) -> [UInt8] {
  Array(String(repeating: ": keep-alive\n", count: count).utf8)
}

private func events(_ megabytes: Int) -> [UInt8] {
  Input.all(megabytes: megabytes)[0].bytes
}

private func orders(_ megabytes: Int) -> [UInt8] {
  Input.all(megabytes: megabytes)[1].bytes
}

#if canImport(Glibc)
  /// Makes what the process holds now the most it has held: making the inputs took more.
  private func forgetPeak() {
    try? FileHandle(forWritingTo: URL(fileURLWithPath: "/proc/self/clear_refs")).write(
      contentsOf: Data("5".utf8))
  }

  /// The most memory the process has held since, in KiB. (getrusage's is also that of the program it was before `exec`.)
  private func peakKilobytes() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let peak = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return peak.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
#elseif canImport(Darwin)
  /// Nothing can be forgotten: the memory of a work counts from where it passes what was held before.
  private func forgetPeak() {}

  /// The most memory the process has held so far, in KiB.
  private func peakKilobytes() -> Int {
    var usage = rusage()
    unsafe getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss) >> 10
  }
#endif
