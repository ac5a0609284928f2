// The benchmark program: `swift run -c release wiretape-benchmarks --help`. All families are in the one list below,
// each in a file of its own.

import Foundation

do {
  let options = try Options(Array(CommandLine.arguments.dropFirst()))
  if options.isHelp {
    print(Options.usage)
  } else if options.isGrowth {
    try await printGrowth(options)
  } else {
    let inputs = Input.all(megabytes: options.megabytes)
    let streams = try options.streams.map { try Input.streams(in: $0, megabytes: options.megabytes) } ?? []
    let families: [() throws -> [Benchmark]] = [
      { copyBenchmarks(on: inputs) },
      { lineEndBenchmarks(on: inputs) },
      { (inputs + streams).flatMap { parserBenchmarks(on: $0, options) } },
      { try cassetteBenchmarks(on: Array(inputs.prefix(2)) + streams, options) },
      { try inspectBenchmarks(on: inputs[0], options) },
      { try replayBenchmarks(on: inputs[0], options) },
      { eventSourceBenchmarks(on: inputs) },
      { startupBenchmarks() },
    ]
    for family in families {
      for benchmark in try family()
      where options.includes(benchmark.name, benchmark.input, benchmark.chunkBytes) {
        let measurement = try await Measurement(of: benchmark)
        say(options.isJSON ? measurement.json : measurement.row)
      }
    }
  }
} catch let mistake as Options.Mistake {
  FileHandle.standardError.write(Data("wiretape-benchmarks: \(mistake.message)\n\(Options.usage)\n".utf8))
  exit(64)
} catch {
  FileHandle.standardError.write(Data("wiretape-benchmarks: \(error)\n".utf8))
  exit(1)
}
