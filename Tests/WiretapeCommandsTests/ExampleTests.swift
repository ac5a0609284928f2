// The examples in help run as they stand: in a folder where the demo was run, beside a server on the port that they
// name.

import Foundation
import Testing

@testable import WiretapeCommands

@Suite(.serialized)
struct ExampleTests {
  /// Verbs that go on until they are stopped; the one that has been run already; and the ones that want a package with
  /// fuzz targets, which have a run of their own (Tests/Interop/fuzz-package).
  private static let endless = ["serve", "proxy", "demo", "fuzz"]

  /// A parser in another language that takes each chunk for whole lines, for the examples that want one.
  private static let subject = """
    import json, struct, sys
    data, kind, last = [], "message", ""
    while True:
        head = sys.stdin.buffer.read(4)
        if len(head) < 4: break
        size = struct.unpack(">I", head)[0]
        for line in sys.stdin.buffer.read(size).decode("utf-8", "replace").split("\\n"):
            name, _, value = line.partition(": ")
            if name == "data": data.append(value)
            if name == "event": kind = value
            if name == "id": last = value
            if line == "" and data:
                print(json.dumps({"type": kind, "data": "\\n".join(data), "lastEventId": last}))
                data, kind = [], "message"
        if size == 0:
            data, kind, last = [], "message", ""
            print('{"end":true}', flush=True)
    """

  @Test("every example of every verb runs")
  func examples() async throws {
    let folder = try ScratchFolder()
    let port = try freePort()
    // The server answers each of a client's requests; `--loop` keeps it from ending the examples that reconnect.
    _ = try folder.write("subject.py", Self.subject.utf8)
    let setup = """
      wiretape demo >/dev/null 2>&1 || exit 99
      """
    #expect(try await EndToEndTests.shell(setup, in: folder).code == 0)
    let hasPython = try await EndToEndTests.shell("command -v python3", in: folder).code == 0
    for verb in Verb.all where !Self.endless.contains(verb.name) {
      for example in verb.examples where hasPython || !example.contains("python3") {
        let needsServer = example.contains("http://")
        let command = example.replacingOccurrences(of: "127.0.0.1:8080", with: "127.0.0.1:\(port)")
        let script =
          needsServer
          ? """
          wiretape serve demo.cassette --port \(port) --speed instant --loop >/dev/null 2>&1 & server=$!
          trap 'kill $server' EXIT
          until (exec 3<>/dev/tcp/127.0.0.1/\(port)) 2>/dev/null; do :; done
          (\(command.replacingOccurrences(of: "wiretape listen http", with: "wiretape listen --max-events 3 http")))
          """ : command
        let run = try await EndToEndTests.shell("set -o pipefail; " + script, in: folder)
        let expected: Set<Int32> = verb.name == "diff" ? [0, 1] : verb.name == "listen" ? [0, 69] : [0]
        #expect(expected.contains(run.code), "\(example): \(run.code)\n\(run.diagnostics)")
      }
    }
  }

  /// A port that was free a moment ago.
  private func freePort() throws -> Int { Int.random(in: 20_000...32_000) }
}
