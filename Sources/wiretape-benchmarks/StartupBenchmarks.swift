// How long `wiretape` takes to start, against this program asked for its help: it links the same libraries and more, and
// does as little. CPU time of the children.

import Foundation

/// Starts of the tool, which is looked for beside this program.
func startupBenchmarks() -> [Benchmark] {
  let own = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
  let tool = own.deletingLastPathComponent().appendingPathComponent("wiretape")
  guard FileManager.default.isExecutableFile(atPath: tool.path) else { return [] }
  let stream = FileManager.default.temporaryDirectory.appendingPathComponent("wiretape-benchmarks.sse")
  guard (try? Data("data: hello\n\n".utf8).write(to: stream)) != nil else { return [] }
  return [["--help"], ["parse", stream.path]].map { arguments in
    Benchmark(
      name: "start-up", input: "wiretape " + arguments[0], chunkBytes: 0, bytes: 0, unit: .milliseconds,
      limitName: "a program that does nothing",
      run: { try start(tool, arguments) }, limit: { try start(own, ["--help"]) }, seconds: .childrenCPU)
  }
}

private func start(_ program: URL, _ arguments: [String]) throws -> Int {
  let process = Process()
  process.executableURL = program
  process.arguments = arguments
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  return Int(process.terminationStatus)
}
