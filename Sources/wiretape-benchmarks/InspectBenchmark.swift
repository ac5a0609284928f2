// Looking into a large session: the tool's own `inspect --json` against inflating the file.
//
// UNSAFE, and why: what zlib inflates comes as a buffer pointer, lent for the closure.

import EventCassettes
import Foundation
import ServerSentEvents
import WiretapeCommands

/// The summary of a session of 1 GiB in chunks of 1400 bytes.
func inspectBenchmarks(on llm: Input, _ options: Options) throws -> [Benchmark] {
  guard options.includes("inspect", "1 GiB", 1400) else { return [] }
  let session = try SessionFile(of: llm.bytes, bytes: 1 << 30)
  return [
    Benchmark(
      name: "inspect", input: "1 GiB", chunkBytes: 1400, bytes: session.bytes,
      limitName: "zlib inflate of the same",
      run: { try await session.inspect() }, limit: { session.inflatedCount() })
  ]
}

/// A cassette in a temporary file, which is removed with this value. Its name is always the same, so that a run that was
/// killed leaves one file and no more.
final class SessionFile: Sendable {
  /// The body's bytes.
  let bytes: Int
  private let path: String

  /// Writes a stream as often as it takes to have so many bytes.
  init(of stream: [UInt8], bytes: Int) throws {
    path =
      FileManager.default.temporaryDirectory
      .appendingPathComponent("wiretape-benchmarks.cassette").path
    let times = max(1, bytes / stream.count)
    self.bytes = times * stream.count
    var writer = try CassetteWriter(creating: path, overwriting: true)
    try write(stream, times: times, chunkBytes: 1400, to: &writer)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Runs the tool in this process; returns what it printed in bytes.
  func inspect() async throws -> Int {
    let printed = Printed()
    var context = CommandContext.system
    context.output = CommandOutput { printed.count += $0.count }
    let code = await Wiretape.run(["inspect", "--json", path], in: context)
    precondition(code == .success, "inspect failed")
    return printed.count
  }

  /// Inflates the file and does nothing else.
  func inflatedCount() -> Int {
    var seen = 0
    guard let file = FileManager.default.contents(atPath: path) else { return 0 }
    unsafe inflateAll([UInt8](file)) { seen &+= $0.count }
    return seen
  }
}

/// How many bytes the tool printed.
private final class Printed: @unchecked Sendable {
  // @unchecked: written by the one verb that runs, read when it is over.
  var count = 0
}
