// `swift run -c release wiretape-benchmarks [--filter TEXT] [--json] [--megabytes N]`

let arguments = Array(CommandLine.arguments.dropFirst())

/// The value after an option, `nil` where it isn't given.
func value(of option: String) -> String? {
  guard let place = arguments.firstIndex(of: option), place + 1 < arguments.count else { return nil }
  return arguments[place + 1]
}

if arguments.contains("--help") {
  print(
    """
    usage: wiretape-benchmarks [--filter TEXT] [--json] [--megabytes N]

      --filter TEXT    only benchmarks whose name, input and chunk size, joined by blanks, contain TEXT
      --json           one JSON object a line
      --megabytes N    size of the generated inputs (default 16)
    """)
} else {
  let filter = value(of: "--filter") ?? ""
  let json = arguments.contains("--json")
  for input in Input.all(megabytes: value(of: "--megabytes").flatMap { Int($0) } ?? 16) {
    for benchmark in parserBenchmarks(on: input)
    where filter.isEmpty || "\(benchmark.name) \(benchmark.input) \(benchmark.chunkBytes)".contains(filter) {
      let measurement = try Measurement(of: benchmark)
      print(json ? measurement.json : measurement.row)
    }
  }
}
