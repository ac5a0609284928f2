// `wiretape proxy`: a recording reverse proxy, so that any client in any language is recorded unchanged. The proxy is
// EventCassetteServer's; this file starts it, says where it is and what it records, and ends it.

import EventCassetteServer
import EventCassettes
import EventSourceCurl
import EventSourceURLSession

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

enum ProxyVerb {
  static let output = Option.file(
    "-o", "--output", value: "DIR", help: "The folder for the cassettes; made if it isn’t there.")
  static let listen = Option<ListenAddress>(
    ["--listen"], value: "HOST:PORT",
    help: "Where to listen: an IPv4 address and a port; 127.0.0.1:0, any free port, unless given."
  ) { (text: String) throws(UsageProblem) in try ListenAddress(text) }
  static let maxSessions = Option.number(
    "--max-sessions", in: 1...10_000,
    help: "How many cassettes are open at most; 64 unless given. More get a 503.")

  static let verb = Verb(
    name: "proxy",
    summary: "Record any client on its way to a server",
    discussion: """
      Stands between clients and a server until a signal comes: everything is passed on at once and unchanged, and each \
      client session goes on a cassette of its own; a reconnect (the same method, URL, peer and User-Agent, with a \
      Last-Event-ID) goes on the same one. Prints its \
      address first, then the name of each cassette as it is begun. Clients that go through it need nothing but the \
      address.
      """,
    positionals: [
      Positional(
        name: "UPSTREAM", completion: .none, help: "The server: http://HOST[:PORT][/PATH], or https.")
    ],
    options: [output.row.required, listen.row, maxSessions.row] + RedactionOptions.all,
    notes: [.redaction],
    stopsInOrder: true,
    examples: [
      "wiretape proxy http://127.0.0.1:8080 -o recorded",
      "wiretape proxy http://127.0.0.1:8080 -o recorded --listen 127.0.0.1:9090",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    guard let folder = arguments[output] else {
      throw CommandError.usage(of: "proxy", "-o DIR is missing: where shall the cassettes go?")
    }
    let upstream = arguments.positionals[0]
    let address = arguments[listen] ?? ListenAddress(host: [127, 0, 0, 1], port: 0)
    let rules = try RedactionOptions.rules(arguments, of: "proxy")
    do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
      throw CommandError(
        .cannotCreate, "\(folder): no folder can be made here",
        next: "Take another name, or remove what is there.")
    }
    let (out, wallClock) = (context.output, context.wallClock)
    var connecting: (@Sendable () -> UpstreamConnection)?
    if upstream.lowercased().hasPrefix("https:") { connecting = { secureConnection(context) } }
    let proxy = try RecordingProxy(
      upstream: upstream, recordingInto: folder,
      options: RecordingProxy.Options(
        host: address.host, port: address.port, mostSessions: arguments[maxSessions] ?? 64, redaction: rules),
      connecting: connecting,
      clock: context.clock,
      header: {
        Cassette.Header(
          recorder: "wiretape \(Wiretape.version)",
          recordedAt: Cassette.Header.timestamp(unixSeconds: wallClock()))
      }, onCassette: { try? out.line(printable($0)) })
    try context.output.line(proxy.url)
    if address.host.first != 127 {
      try context.diagnostics.line(
        "wiretape proxy: warning: others can reach this address, and so the server behind it")
    }
    _ = try await runUntilStopped(in: context, maxDuration: nil) { _ in
      for await _ in AsyncStream<Never>.silent {}
    }
    let errors = await proxy.stop()
    if let warning = RedactionOptions.warning(ofUnsearched: proxy.unsearched) {
      try context.diagnostics.line("wiretape proxy: warning: " + warning)
    }
    if let error = errors.first { throw CommandError(keeping: error) }
    return .success
  }
}

/// A connection to an https server, which is held back while 1 MiB waits for the client.
private func secureConnection(_ context: CommandContext) -> UpstreamConnection {
  let transport = context.transport()
  let plain = (transport as? CurlEventStreamTransport)?.asProxy ?? transport
  guard let transport = plain as? any HeldBackTransport else { return UpstreamConnection(plain) }
  let credit = ReceivingCredit(limit: 1 << 20)
  return UpstreamConnection(transport.heldBack(by: credit), passedOn: credit.refund)
}

/// Where a proxy listens.
struct ListenAddress: Hashable, Sendable {
  var host: [UInt8]
  var port: UInt16

  init(host: [UInt8], port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Reads `HOST:PORT`, `:PORT` or `HOST`; the host is an IPv4 address or `localhost`.
  init(_ text: String) throws(UsageProblem) {
    let problem = UsageProblem("takes an IPv4 address and a port, such as 127.0.0.1:9090")
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 1 || parts.count == 2, !text.isEmpty else { throw problem }
    let name = parts[0].isEmpty || parts[0] == "localhost" ? "127.0.0.1" : parts[0]
    let bytes = name.split(separator: ".", omittingEmptySubsequences: false).map { part in
      part.utf8.count <= 3 ? wholeNumber(part).flatMap { UInt8(exactly: $0) } : nil
    }
    let port = parts.count == 2 ? wholeNumber(parts[1]).flatMap { UInt16(exactly: $0) } : 0
    guard bytes.count == 4, !bytes.contains(nil), let port else { throw problem }
    self.init(host: bytes.compactMap { $0 }, port: port)
  }
}
