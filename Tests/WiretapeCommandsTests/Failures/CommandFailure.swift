// One row of the table of the tool's failures, and the folder in which all of them happen.

import EventCassettes
import Foundation
import ScratchFolders
import ServerSentEvents
import Testing

@testable import WiretapeCommands

/// Words that make the tool give up, and what the user then reads.
struct CommandFailure: CustomTestStringConvertible, Sendable {
  /// What stands behind `wiretape`; files are below `FOLDER`.
  let words: [String]
  let code: ExitCode
  /// All that the tool says on standard error.
  let message: String
  /// The server that a client meets.
  var server = Server.none

  init(_ words: [String], _ code: ExitCode, _ message: String, server: Server = .none) {
    self.words = words
    self.code = code
    self.message = message
    self.server = server
  }

  var testDescription: String { "wiretape " + words.joined(separator: " ") }

  /// Who answers, if anybody does.
  enum Server: Sendable {
    case none
    case notFound
    case redirectElsewhere
    case twoTypes
    /// No answer, but this end.
    case ends(ConnectionEnd, String)
  }

  /// Runs the words in a folder that has what the rows name.
  func run() async throws -> (code: ExitCode, message: String) {
    let folder = try Self.makeFolder()
    let root = folder.url.path
    let transport = OneAnswerTransport(server: server)
    let run = await wiretape(
      words.map { $0.replacingOccurrences(of: "FOLDER", with: root) }, transport: transport)
    return (
      run.code,
      run.diagnostics.replacingOccurrences(of: root, with: "FOLDER").trimmingCharacters(in: .newlines)
    )
  }

  private static func makeFolder() throws -> ScratchFolder {
    let folder = try ScratchFolder()
    try writeSession(folder.path("orders.cassette"), [(["data: a\n\n", "data: b\n\n"], .complete)])
    try writeSession(folder.path("golden.cassette"), [(["data: a\n\n"], .complete)])
    _ = try folder.write(
      "torn.cassette", Data(contentsOf: folder.url.appending(path: "golden.cassette")).dropLast(30))
    _ = try folder.write("golden.events.jsonl", "data: a\n".utf8)
    _ = try folder.write("stream.txt", "data: a\n\n".utf8)
    _ = try folder.write("headers.txt", "Accept: */*\nAuthorization\n".utf8)
    _ = try folder.write("broken.jsonl", "{\"data\":\"a\"}\n[]\n".utf8)
    // A package with two fuzz targets, as far as the tool looks before it builds.
    let targets = folder.url.appending(path: "targets/Fuzz")
    for name in ["FuzzOrders", "FuzzRefunds"] {
      let sources = targets.appending(path: "Sources/\(name)")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      try Data(#"@_cdecl("LLVMFuzzerTestOneInput")"#.utf8).write(to: sources.appending(path: "Target.swift"))
    }
    try Data().write(to: targets.appending(path: "Package.swift"))
    return folder
  }
}

/// A network with at most one answer in it.
private struct OneAnswerTransport: EventStreamTransport {
  let server: CommandFailure.Server

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    AsyncStream { continuation in
      let now = SystemEventStreamClock().now
      switch server {
      case .none:
        continuation.yield(StampedTransportFact(at: now, .ended(.unreachable, detail: "no server listens")))
      case .ends(let cause, let detail):
        continuation.yield(StampedTransportFact(at: now, .ended(cause, detail: detail)))
      case .notFound:
        let head = EventStreamResponse(status: 404, headers: [HeaderField("Content-Type", "text/plain")])
        continuation.yield(StampedTransportFact(at: now, .response(head)))
        continuation.yield(StampedTransportFact(at: now, .ended(.complete, detail: "")))
      case .redirectElsewhere:
        let refused = RefusedRedirect.unusable(location: "ftp://h/x", followed: 2)
        continuation.yield(StampedTransportFact(at: now, .response(EventStreamResponse(status: 302))))
        continuation.yield(StampedTransportFact(at: now, .ended(.protocol, detail: refused.description)))
      case .twoTypes:
        let head = EventStreamResponse(
          status: 200, headers: eventStreamType + [HeaderField("Content-Type", "text/plain")])
        continuation.yield(StampedTransportFact(at: now, .response(head)))
        continuation.yield(StampedTransportFact(at: now, .ended(.complete, detail: "")))
      }
      continuation.finish()
    }
  }
}
