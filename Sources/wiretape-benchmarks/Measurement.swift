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
  /// Bytes that one run processes.
  let bytes: Int
  let limitName: String
  /// Does the work once and returns what it counted, so that no work can be optimised away.
  let run: () throws -> Int
  /// The same for the limit.
  let limit: () throws -> Int
}

/// Figures of one benchmark.
struct Measurement {
  let benchmark: Benchmark
  let megabytesPerSecond: Double
  let limitMegabytesPerSecond: Double
  var ratio: Double { megabytesPerSecond / limitMegabytesPerSecond }

  /// Runs the benchmark and its limit in turn and takes the median of each.
  init(of benchmark: Benchmark, runs: Int = 7) throws {
    var own: [Double] = []
    var limit: [Double] = []
    let counted = try benchmark.run()  // also warms caches and the allocator
    let limitCounted = try benchmark.limit()
    for _ in 0..<runs {
      own.append(try Self.seconds(benchmark.run, expecting: counted))
      limit.append(try Self.seconds(benchmark.limit, expecting: limitCounted))
    }
    self.benchmark = benchmark
    megabytesPerSecond = Double(benchmark.bytes) / 1e6 / own.sorted()[runs / 2]
    limitMegabytesPerSecond = Double(benchmark.bytes) / 1e6 / limit.sorted()[runs / 2]
  }

  /// One JSON line.
  var json: String {
    "{\"benchmark\":\"\(benchmark.name)\",\"input\":\"\(benchmark.input)\",\"chunkBytes\":\(benchmark.chunkBytes),"
      + "\"mbPerSecond\":\(rounded(megabytesPerSecond, 1)),\"limit\":\"\(benchmark.limitName)\","
      + "\"limitMbPerSecond\":\(rounded(limitMegabytesPerSecond, 1)),\"ratio\":\(rounded(ratio, 3))}"
  }

  /// One row of the table.
  var row: String {
    let chunk = benchmark.chunkBytes == 0 ? "whole" : String(benchmark.chunkBytes)
    return padded(benchmark.name, 18) + padded(benchmark.input, 10) + padded(chunk, 8)
      + padded("\(Int(megabytesPerSecond)) MB/s", 13)
      + padded("\(benchmark.limitName) \(Int(limitMegabytesPerSecond))", 24) + "\(rounded(ratio, 2))"
  }

  private static func seconds(_ body: () throws -> Int, expecting counted: Int) rethrows -> Double {
    // A run shorter than 20 ms says little: repeat it until it is as long.
    var repeats = 0
    let start = cpuSeconds
    repeat {
      let again = try body()
      precondition(again == counted, "a benchmark must count the same in every run")
      repeats += 1
    } while cpuSeconds - start < 0.02
    return (cpuSeconds - start) / Double(repeats)
  }

  private static var cpuSeconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

private func rounded(_ value: Double, _ digits: Int) -> Double {
  let scale = digits == 1 ? 10.0 : digits == 2 ? 100.0 : 1000.0
  return (value * scale).rounded() / scale
}

private func padded(_ text: String, _ width: Int) -> String {
  text + String(repeating: " ", count: Swift.max(1, width - text.count))
}
