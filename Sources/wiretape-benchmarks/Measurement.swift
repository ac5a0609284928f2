// How a figure is taken: process CPU time, median of several runs, always beside a limit taken in the same run, since
// absolute figures vary by a quarter on one machine while ratios hold.
//
// UNSAFE, and why: the system call that reads the process's CPU time fills a struct behind a pointer.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Something to measure, and the limit it is compared with.
struct Benchmark {
  let name: String
  let input: String
  /// Bytes fed at a time; 0 for the whole input at once.
  let chunkBytes: Int
  /// Bytes that one run processes; 0 where that says nothing.
  let bytes: Int
  /// What is stated.
  var unit = Unit.speed
  let limitName: String
  /// Does the work once and returns what it counted, so that no work can be optimised away.
  let run: () async throws -> Int
  /// The same for the limit.
  let limit: () async throws -> Int
  /// Seconds that a run took, where that isn't this process's own CPU time.
  var seconds: Clock = .ownCPU

  enum Unit: Equatable {
    /// Megabytes a second.
    case speed
    /// Milliseconds of a run.
    case milliseconds
    /// What a run counts, in bytes for each of so many things.
    case bytesForEach(count: Int)
  }

  enum Clock {
    case ownCPU
    /// User and system time of the children that the runs waited for.
    case childrenCPU
    /// The limit is so many seconds for a run, whatever its closure does.
    case against(Double)
  }
}

/// Figures of one benchmark.
struct Measurement {
  let benchmark: Benchmark
  /// In the benchmark's unit; the larger the better only where that is speed.
  let own: Double
  let limit: Double
  /// How many times as good as the limit.
  let ratio: Double

  /// Runs the benchmark and its limit in turn and takes the median of each.
  init(of benchmark: Benchmark, runs: Int = 7) async throws {
    var own: [Double] = []
    var limit: [Double] = []
    let counted = try await benchmark.run()  // also warms caches and the allocator
    let limitCounted = try await benchmark.limit()
    self.benchmark = benchmark
    if case .bytesForEach(let count) = benchmark.unit {
      self.own = Double(counted) / Double(count)
      self.limit = Double(limitCounted) / Double(count)
      ratio = self.limit / self.own
      return
    }
    let clock = benchmark.seconds
    for _ in 0..<runs {
      own.append(try await Self.seconds(clock, benchmark.run, expecting: counted))
      if case .against(let seconds) = clock {
        limit.append(seconds)
      } else {
        limit.append(try await Self.seconds(clock, benchmark.limit, expecting: limitCounted))
      }
    }
    let seconds = own.sorted()[runs / 2]
    let limitSeconds = limit.sorted()[runs / 2]
    ratio = limitSeconds / seconds
    let isSpeed = benchmark.unit == .speed
    self.own = isSpeed ? Double(benchmark.bytes) / 1e6 / seconds : seconds * 1000
    self.limit = isSpeed ? Double(benchmark.bytes) / 1e6 / limitSeconds : limitSeconds * 1000
  }

  /// One JSON line. All have the same members; where no speed is stated, those are null and others tell.
  var json: String {
    let isSpeed = benchmark.unit == .speed
    var line = "{\"benchmark\":\"\(benchmark.name)\",\"input\":\"\(benchmark.input)\","
    line += "\"chunkBytes\":\(benchmark.chunkBytes),"
    line += "\"mbPerSecond\":\(isSpeed ? "\(rounded(own, 1))" : "null"),\"limit\":\"\(benchmark.limitName)\","
    line += "\"limitMbPerSecond\":\(isSpeed ? "\(rounded(limit, 1))" : "null"),\"ratio\":\(rounded(ratio, 3))"
    switch benchmark.unit {
    case .speed: break
    case .milliseconds:
      line += ",\"milliseconds\":\(rounded(own, 2)),\"limitMilliseconds\":\(rounded(limit, 2))"
    case .bytesForEach:
      line += ",\"bytesForEach\":\(rounded(own, 3)),\"limitBytesForEach\":\(rounded(limit, 3))"
    }
    return line + "}"
  }

  /// One row of the table.
  var row: String {
    let chunk = benchmark.chunkBytes == 0 ? "whole" : String(benchmark.chunkBytes)
    let figures: (String, String)
    switch benchmark.unit {
    case .speed: figures = ("\(Int(own)) MB/s", "\(Int(limit))")
    case .milliseconds: figures = ("\(rounded(own, 1)) ms", "\(rounded(limit, 1)) ms")
    case .bytesForEach: figures = ("\(rounded(own, 2)) bytes", "\(rounded(limit, 2))")
    }
    return padded(benchmark.name, 20) + padded(benchmark.input, 22) + padded(chunk, 8) + padded(figures.0, 13)
      + padded("\(benchmark.limitName) \(figures.1)", 36) + "\(rounded(ratio, 2))"
  }

  private static func seconds(
    _ clock: Benchmark.Clock, _ body: () async throws -> Int, expecting counted: Int
  ) async rethrows -> Double {
    // A run shorter than 20 ms says little: repeat it until it is as long.
    var repeats = 0
    let start = clock.now
    repeat {
      let again = try await body()
      precondition(again == counted, "a benchmark must count the same in every run")
      repeats += 1
    } while clock.now - start < 0.02
    return (clock.now - start) / Double(repeats)
  }
}

extension Benchmark.Clock {
  /// Seconds of CPU time.
  var now: Double {
    switch self {
    case .ownCPU, .against:
      var time = timespec()
      unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    case .childrenCPU:
      var usage = rusage()
      #if canImport(Glibc)
        unsafe getrusage(RUSAGE_CHILDREN.rawValue, &usage)
      #else
        unsafe getrusage(RUSAGE_CHILDREN, &usage)
      #endif
      return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }
  }
}

func rounded(_ value: Double, _ digits: Int) -> Double {
  let scale = digits == 1 ? 10.0 : digits == 2 ? 100.0 : 1000.0
  return (value * scale).rounded() / scale
}

func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: Swift.max(1, width - text.count))
}
