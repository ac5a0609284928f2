// The same work at 1, 4, 16 and 64 times the size. What is linear takes the same time for each byte; what streams takes
// the same memory. Memory is what the process holds at most beyond its inputs, so each size is measured in order.
//
// UNSAFE, and why: getrusage takes a pointer, to a variable beside the call.

import EventCassettes
import ServerSentEvents

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Prints the tables.
func printGrowth(_ options: Options) async throws {
  let works: [(name: String, make: (Int) throws -> Work)] = [
    ("one endless line, 1 KiB chunks", { .parsing(line(of: $0 << 18), chunkBytes: 1 << 10) }),
    ("data lines of one event", { .parsing(lines($0 * 6250), chunkBytes: 16 << 10) }),
    ("events, 16 KiB chunks", { .parsing(events($0), chunkBytes: 16 << 10) }),
    ("comments without a blank line", { .parsing(comments($0 * 20_000), chunkBytes: 1 << 10) }),
    ("cassette, write", { .writing(events($0)) }),
    ("cassette, read", { try .reading(events($0)) }),
  ]
  for work in works where options.includes(work.name, "growth", 0) {
    for factor in [1, 4, 16, 64] {
      let work = (name: work.name, work: try work.make(factor))
      let bytes = work.work.bytes
      let before = residentKilobytes()
      let clock = Benchmark.Clock.ownCPU
      let start = clock.now
      try work.work.run()
      let nanoseconds = (clock.now - start) * 1e9 / Double(bytes)
      let grown = residentKilobytes() - before
      if options.isJSON {
        print(
          "{\"growth\":\"\(work.name)\",\"factor\":\(factor),\"bytes\":\(bytes),"
            + "\"nanosecondsPerByte\":\(rounded(nanoseconds, 3)),\"grownKiB\":\(grown)}")
      } else {
        print(
          padded(work.name, 34) + padded("×\(factor)", 6) + padded("\(bytes >> 10) KiB", 14)
            + padded("\(rounded(nanoseconds, 3)) ns a byte", 22) + "\(grown) KiB more")
      }
    }
  }
}

/// Work on bytes that were made before.
private struct Work {
  let bytes: Int
  let run: () throws -> Void

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

  static func writing(_ stream: [UInt8]) -> Work {
    Work(bytes: stream.count) { _ = try makeCassette(of: stream, chunkBytes: 1400) }
  }

  static func reading(_ stream: [UInt8]) throws -> Work {
    let cassette = try makeCassette(of: stream, chunkBytes: 1400)
    return Work(bytes: stream.count) {
      var reader = try CassetteReader(bytes: cassette)
      while try reader.advance() {}
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

/// The most memory the process has held so far, in KiB.
private func residentKilobytes() -> Int {
  var usage = rusage()
  #if canImport(Glibc)
    unsafe getrusage(RUSAGE_SELF.rawValue, &usage)
    return Int(usage.ru_maxrss)
  #else
    unsafe getrusage(RUSAGE_SELF, &usage)
    return Int(usage.ru_maxrss) >> 10
  #endif
}
