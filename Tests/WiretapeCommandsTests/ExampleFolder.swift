// Where the examples of help and of the documentation run as they stand: a folder with the demo's cassette, a parser in
// another language, and a server behind the addresses that they name.

import EventCassetteServer
import EventCassettes
import Foundation
import ScratchFolders
import Testing

struct ExampleFolder {
  let folder: ScratchFolder

  /// What stands for the servers that examples talk to plays this: a session that ends as it should, so that pipes end well.
  private static let session = Result {
    try Cassette(contentsOf: packageRoot.appending(path: "Corpus/cassettes/build-log.cassette").path)
  }

  /// A parser in another language that takes each chunk for whole lines: a subject with a fault.
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

  init() async throws {
    folder = try ScratchFolder()
    for name in ["subject.py", "my_subject.py"] { _ = try folder.write(name, Self.subject.utf8) }
    _ = try folder.write("prompt.json", #"{"prompt":"hello","stream":true}"#.utf8)
    _ = try folder.write("headers.txt", "Authorization: Bearer secret-of-the-example\n".utf8)
    // git is where cassettes are reviewed; a system may lack it.
    let setup = "git init -q . 2>/dev/null; wiretape demo >/dev/null 2>&1"
    let run = try await EndToEndTests.shell(setup, in: folder)
    try #require(run.code == 0, "the demo failed: \(run.diagnostics)")
  }

  /// Whether the system has the programs that a command needs.
  func canRun(_ command: String) async throws -> Bool {
    for program in ["python3", "curl", "git"] where command.contains(program) {
      guard try await EndToEndTests.shell("command -v \(program)", in: folder).code == 0 else { return false }
    }
    return true
  }

  /// Runs a command as it stands, but for its server's address; one that goes on until it is stopped is asked once, and
  /// then stopped.
  func run(_ command: String) async throws -> EndToEndTests.Outcome {
    try await makeCassettes(for: command)
    let upstream = try CassetteServer(Self.session.get(), options: .init(speed: .instant, loops: true))
    var local = command
    for address in ["https://api.example.org", "http://127.0.0.1:8080"] {
      local = local.replacingOccurrences(of: address, with: "http://127.0.0.1:\(upstream.port)")
    }
    local = local.replacingOccurrences(of: "--port 8080", with: "--port 0")
      .replacingOccurrences(of: "--listen 127.0.0.1:9090", with: "--listen 127.0.0.1:0")
    // What the server of the examples plays has no IDs to resume after; the demo's session has.
    if local.contains("--resume-sweep") {
      local = local.replacingOccurrences(of: "orders.cassette", with: "demo.cassette")
    }
    let script =
      local.hasPrefix("wiretape serve") || local.hasPrefix("wiretape proxy")
      ? untilStopped(local) : "(\(local))"
    let run = try await EndToEndTests.shell("set -o pipefail\n" + script, in: folder)
    await upstream.stop()
    return run
  }

  /// A script that runs a server, asks it for a page or an event stream once it has told its address, and stops it.
  private func untilStopped(_ command: String) -> String {
    let isProxy = command.hasPrefix("wiretape proxy")
    let listening = isProxy || command.contains("--port") ? "" : " --port 0"
    return """
      \(isProxy ? "mkdir -p recordings recorded" : "")
      : >address
      \(command)\(listening) >address 2>log & tool=$!
      until read -r url <address; do kill -0 $tool || { cat log >&2; exit 98; }; done
      curl -sN \(isProxy ? "$url/events" : "${url%/*}/") >answer || [ -s answer ] || exit 97
      kill -TERM $tool
      wait $tool
      """
  }

  /// Makes the cassettes that a command reads and that no example before it made.
  private func makeCassettes(for command: String) async throws {
    var previous = ""
    for word in command.split(whereSeparator: \.isWhitespace).map(String.init) {
      defer { previous = word }
      let path = folder.path(word)
      guard word.hasSuffix(".cassette"), previous != "-o", !FileManager.default.fileExists(atPath: path)
      else {
        continue
      }
      try FileManager.default.copyItem(atPath: folder.path("demo.cassette"), toPath: path)
    }
  }
}
