// The body of a message: which of the three framings of RFC 9112, section 6, it has, and taking that framing off, piece
// by piece. Pure. Conflicting lengths are refused rather than resolved (section 6.3 allows that, request smuggling
// demands it).

import ServerSentEvents

/// How the end of a body is known.
enum HTTPBodyFraming: Hashable, Sendable {
  case none
  case length(Int)
  case chunked
  /// Responses only: the body ends with the connection.
  case untilClose

  /// The framing that a request's fields say.
  static func ofRequest(_ fields: [ReceivedField], version: HTTPVersion) throws(HTTPRefusal)
    -> HTTPBodyFraming
  {
    try explicit(fields, version: version) ?? .none
  }

  /// The framing that a response's fields say, for an answer that may have a body at all.
  static func ofResponse(_ fields: [ReceivedField], version: HTTPVersion) throws(HTTPRefusal)
    -> HTTPBodyFraming
  {
    try explicit(fields, version: version) ?? .untilClose
  }

  private static func explicit(
    _ fields: [ReceivedField], version: HTTPVersion
  ) throws(HTTPRefusal) -> HTTPBodyFraming? {
    let lengths = fields.values(of: "Content-Length")
    let codings = fields.values(of: "Transfer-Encoding")
    if !codings.isEmpty {
      guard lengths.isEmpty else {
        throw HTTPRefusal(status: 400, reason: "both Content-Length and Transfer-Encoding")
      }
      guard version == .http11 else {
        throw HTTPRefusal(status: 400, reason: "Transfer-Encoding in HTTP/1.0")
      }
      guard codings.count == 1, codings[0].equalsIgnoringASCIICase("chunked") else {
        throw HTTPRefusal(status: 501, reason: "a transfer coding other than chunked")
      }
      return .chunked
    }
    guard let first = lengths.first else { return nil }
    guard lengths.count == 1, let length = first.asDecimal else {
      throw HTTPRefusal(status: 400, reason: "a Content-Length that is not one number")
    }
    return .length(length)
  }
}

/// Takes the framing off a body.
struct HTTPBodyDecoder: Hashable, Sendable {
  private enum State: Hashable, Sendable {
    case counted(Int)
    case untilClose
    case chunkSize
    case chunkData(Int)
    case chunkEnd
    case trailer
    case done
  }

  private var state: State
  private var line: [UInt8] = []
  private var trailerBytes = 0

  /// Longest line that gives a chunk's size, with its extensions; and all trailer lines together.
  static let longestSizeLine = 4096
  static let longestTrailer = 65_536

  init(_ framing: HTTPBodyFraming) {
    switch framing {
    case .none: state = .done
    case .length(let length): state = length == 0 ? .done : .counted(length)
    case .chunked: state = .chunkSize
    case .untilClose: state = .untilClose
    }
  }

  /// Whether the body's end has been seen.
  var isComplete: Bool { state == .done }
  /// Whether the end of the connection would be a proper end of the body.
  var mayEndHere: Bool { state == .done || state == .untilClose }

  /// Takes `input` and returns the body's bytes in it. What comes after the body's end is not looked at.
  mutating func decode(_ input: ArraySlice<UInt8>) throws(HTTPRefusal) -> [UInt8] {
    var body: [UInt8] = []
    var rest = input
    while !rest.isEmpty {
      switch state {
      case .done: return body
      case .untilClose:
        body += rest
        return body
      case .counted(let left):
        let part = rest.prefix(left)
        body += part
        rest = rest.dropFirst(part.count)
        state = part.count == left ? .done : .counted(left - part.count)
      case .chunkData(let left):
        let part = rest.prefix(left)
        body += part
        rest = rest.dropFirst(part.count)
        state = part.count == left ? .chunkEnd : .chunkData(left - part.count)
      case .chunkSize, .chunkEnd, .trailer:
        guard let finished = try takeLine(&rest) else { return body }
        try interpret(finished)
      }
    }
    return body
  }

  private mutating func interpret(_ finished: [UInt8]) throws(HTTPRefusal) {
    switch state {
    case .chunkSize:
      let size = try Self.size(finished)
      state = size == 0 ? .trailer : .chunkData(size)
    case .chunkEnd:
      guard finished.isEmpty else {
        throw HTTPRefusal(status: 400, reason: "a chunk is longer than its size says")
      }
      state = .chunkSize
    case .trailer:
      trailerBytes += finished.count + 2
      guard trailerBytes <= Self.longestTrailer else {
        throw HTTPRefusal(status: 431, reason: "the trailer is longer than \(Self.longestTrailer) bytes")
      }
      if finished.isEmpty { state = .done }
    case .counted, .untilClose, .chunkData, .done: break
    }
  }

  /// A line without its CRLF, once it is complete.
  private mutating func takeLine(_ rest: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> [UInt8]? {
    let end = rest.firstIndex(of: .lf)
    line += rest[..<(end ?? rest.endIndex)]
    guard line.count <= Self.longestSizeLine else {
      throw HTTPRefusal(
        status: 400, reason: "a line of the chunked coding is longer than \(Self.longestSizeLine) bytes")
    }
    guard let end else {
      rest = []
      return nil
    }
    rest = rest[(end + 1)...]
    guard line.last == .cr else {
      throw HTTPRefusal(status: 400, reason: "a line feed without a carriage return in the chunked coding")
    }
    defer { line = [] }
    return line.dropLast()
  }

  private static func size(_ line: [UInt8]) throws(HTTPRefusal) -> Int {
    let digits = line.prefix {
      $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t")
    }
    // Fifteen digits always fit; Int(_:radix:) alone would also take a sign.
    guard !digits.isEmpty, digits.count <= 15, digits.allSatisfy(\.isHexDigit), !line.contains(.cr),
      let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw HTTPRefusal(status: 400, reason: "a chunk size that is no number") }
    let rest = line[digits.count...].trimmed
    guard rest.isEmpty || rest.first == UInt8(ascii: ";") else {
      throw HTTPRefusal(status: 400, reason: "something after a chunk size that is no extension")
    }
    return size
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "A")...UInt8(ascii: "F"):
      true
    default: false
    }
  }
}
