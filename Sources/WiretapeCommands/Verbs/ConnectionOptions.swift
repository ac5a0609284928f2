// The options that `record` and `listen` share: what to send, when to stop, by which policy. One table for both, so
// that what was tried with one works with the other.

import ServerSentEvents

enum ConnectionOptions {
  static let method = Option<String>(
    ["-X", "--method"], value: "METHOD", help: "The request’s method; GET, or POST with -d, unless given."
  ) { (text: String) throws(UsageProblem) in
    guard isToken(text) else { throw UsageProblem("takes a method, such as GET or POST") }
    return text
  }
  static let header = Option<HeaderSource>(
    ["-H", "--header"], value: "HEADER", repeats: true,
    help:
      "Sends this header, “Name: value”. @FILE reads them from a file, one a line, so that secrets stay off the "
      + "command line. Repeatable."
  ) { (text: String) throws(UsageProblem) in
    if text.hasPrefix("@"), text.utf8.count > 1 { return .file(String(text.dropFirst())) }
    return .field(try readHeader(text))
  }
  static let body = Option.text(
    "-d", "--data", value: "BODY",
    help: "Sends this body by POST, as application/json unless -H says otherwise. @FILE reads it from a file."
  )
  static let lastEventID = Option<String>(
    ["--last-event-id"], value: "ID", help: "Asks the server to go on after this event."
  ) { (text: String) throws(UsageProblem) in
    guard !text.unicodeScalars.contains(where: { $0 == "\r" || $0 == "\n" || $0 == "\0" }) else {
      throw UsageProblem("takes an id without line ends and NUL")
    }
    return text
  }
  static let maxEvents = Option.number("--max-events", help: "Stops after so many events.")
  static let maxBytes = Option.number("--max-bytes", help: "Stops after so many bytes of the stream.")
  static let maxDuration = Option.seconds("--max-duration", help: "Stops after so many seconds.")
  static let idleTimeout = Option.seconds(
    "--idle-timeout", help: "Takes a connection as lost when no byte came for so many seconds.")

  static let policy = Option<ReconnectionPolicy.Rules>.choice(
    "--policy", value: "POLICY", help: "What reconnects: standard, unless given, or resilient.")

  static let request: [OptionRow] = [method.row, header.row, body.row, lastEventID.row]
  static let limits: [OptionRow] = [maxEvents.row, maxBytes.row, maxDuration.row, idleTimeout.row]

  /// What `-H` was given.
  enum HeaderSource: Sendable {
    case field(HeaderField)
    case file(String)
  }

  /// The request that the arguments describe. Reads the files they name.
  static func makeRequest(to url: String, _ arguments: Arguments, _ context: CommandContext) throws
    -> EventStreamRequest
  {
    guard isWebAddress(url) else {
      throw CommandError(
        .usage, "“\(url)” is no URL of a stream", next: "Give one that begins with http:// or https://.")
    }
    guard hasUsablePort(url) else {
      throw CommandError(
        .usage, "“\(url)” has no usable port",
        next: "Write a number from 1 to 65535 behind the host, or none.")
    }
    var fields: [HeaderField] = []
    for source in arguments.all(header) {
      switch source {
      case .field(let field): fields.append(field)
      case .file(let path): fields += try readHeaders(from: path, context)
      }
    }
    var bytes: [UInt8] = []
    if let text = arguments[body] {
      bytes = text.hasPrefix("@") ? try readAll(String(text.dropFirst()), context) : Array(text.utf8)
      if fields["Content-Type"] == nil { fields.append(HeaderField("Content-Type", "application/json")) }
    }
    for (name, value) in [
      ("Accept", "text/event-stream"), ("Cache-Control", "no-cache"), ("Accept-Encoding", "identity"),
    ] where fields[name] == nil { fields.append(HeaderField(name, value)) }
    let method = arguments[method] ?? (arguments[body] == nil ? "GET" : "POST")
    return EventStreamRequest(method: method, url: url, headers: fields, body: bytes)
  }

  /// The policy that the arguments ask for.
  static func makePolicy(_ arguments: Arguments) -> ReconnectionPolicy {
    switch arguments[policy] ?? .standard {
    case .standard: .standard
    case .resilient: .resilient
    }
  }

  private static func readHeaders(from path: String, _ context: CommandContext) throws -> [HeaderField] {
    var fields: [HeaderField] = []
    let text = String(decoding: try readAll(path, context), as: UTF8.self)
    for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    where !line.isEmpty {
      do { fields.append(try readHeader(String(line))) } catch {
        // The line may hold a secret, so it isn't shown.
        throw CommandError(
          .badData, "\(path), line \(number + 1): this is no header",
          next: "Write one “Name: value” on each line.")
      }
    }
    return fields
  }

  private static func readHeader(_ text: String) throws(UsageProblem) -> HeaderField {
    let problem = UsageProblem("takes “Name: value”, or @FILE")
    guard let colon = text.firstIndex(of: ":"), isToken(String(text[..<colon])) else { throw problem }
    let isSpace = { (c: Character) in c == " " || c == "\t" }
    let value = text[text.index(after: colon)...].drop(while: isSpace)
    guard !value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) else {
      throw problem
    }
    return HeaderField(String(text[..<colon]), String(value))
  }

  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"):
          true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
      }
  }

  private static func isWebAddress(_ text: String) -> Bool {
    let lower = text.prefix(8).lowercased()
    guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else { return false }
    let rest = text.utf8.dropFirst(scheme.utf8.count)
    return rest.first.map { !"/?#:".utf8.contains($0) } == true
      && !text.utf8.contains { $0 <= 0x20 || $0 == 0x7F }
  }

  /// Whether what stands behind the host of a web address can be a port (RFC 3986, section 3.2.3: it may be empty).
  private static func hasUsablePort(_ url: String) -> Bool {
    let authority = url.drop { $0 != "/" }.dropFirst(2).prefix { !"/?#".contains($0) }
    let place = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    // The address in brackets has colons of its own.
    let behindAddress =
      place.hasPrefix("[") ? place.split(separator: "]", maxSplits: 1).dropFirst().last ?? "" : place
    let parts = behindAddress.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { return false }
    guard parts.count == 2, !parts[1].isEmpty else { return true }
    return parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) } && UInt16(parts[1]).map { $0 > 0 } == true
  }
}

/// The bytes of a file, or of standard input for `-`. For what is small: a body, headers, golden files.
func readAll(_ path: String, _ context: CommandContext, limit: Int = 64 << 20) throws -> [UInt8] {
  let input = try openInput(path, in: context)
  var bytes: [UInt8] = []
  while true {
    let piece = try input.read(64 << 10)
    guard !piece.isEmpty else { return bytes }
    bytes += piece
    guard bytes.count <= limit else {
      throw CommandError(.badData, "\(path): more than \(limit) bytes", next: "Give a smaller file.")
    }
  }
}
