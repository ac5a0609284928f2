// The lines of an answer's head, as they came, into a response; and a bound on those of its trailer. Pure. Nothing is refused here for its looks: a head is
// recorded as far as it can be told, and what isn't UTF-8 in it becomes U+FFFD, as a cassette has it.

import EventSourceURLSession
import ServerSentEvents

/// Collects a head line by line, past interim ones (RFC 9110, section 15.2).
struct ResponseHeadReader {
  enum Step: Hashable {
    case incomplete
    case complete(EventStreamResponse)
    case refused(String)
  }

  /// The most bytes of all heads of one answer, and of its trailer. Some servers set many cookies; none needs this much.
  static let mostBytes = 256 << 10

  /// Whether the head of the answer itself was read.
  private(set) var isComplete = false
  /// What is wrong with the length that the answer states.
  private(set) var contentLengthProblem: String?
  private var status: Int?
  private var fields: [HeaderField] = []
  private var count = 0

  /// Takes one line with its line end. Fields that come after the head are a trailer's, and are passed over.
  mutating func append(_ line: [UInt8]) -> Step {
    count += line.count
    if count > Self.mostBytes {
      return .refused(
        "the response's \(isComplete ? "trailer" : "head") is longer than \(Self.mostBytes >> 10) KiB")
    }
    if isComplete { return .incomplete }
    let text = Self.trimmed(line[...], of: [0x0A, 0x0D])
    if text.isEmpty { return end() }
    if text.starts(with: "HTTP/".utf8), status == nil {
      status = Self.status(of: text)
      return status == nil ? .refused("a status line without a status") : .incomplete
    }
    if text.first == 0x20 || text.first == 0x09 {
      // A folded line (RFC 9112, section 5.2) goes on with the value before it.
      if let last = fields.indices.last { fields[last].value += " " + Self.text(text) }
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      fields.append(
        HeaderField(String(decoding: text[..<colon], as: UTF8.self), Self.text(text[(colon + 1)...])))
    }
    return .incomplete
  }

  private mutating func end() -> Step {
    guard let status else { return .refused("a head without a status line") }
    if status == 101 { return .refused("the server switched protocols unasked") }
    defer {
      self.status = nil
      fields = []
    }
    if status < 200 { return .incomplete }
    isComplete = true
    count = 0
    let response = EventStreamResponse(status: status, headers: fields)
    contentLengthProblem = response.contentLengthProblem
    return .complete(response)
  }

  /// The number after the version: three digits.
  private static func status(of line: ArraySlice<UInt8>) -> Int? {
    let parts = line.split(separator: 0x20, maxSplits: 2)
    guard parts.count > 1, parts[1].count == 3 else { return nil }
    return Int(String(decoding: parts[1], as: UTF8.self)).flatMap { $0 >= 100 ? $0 : nil }
  }

  /// A value without the white space around it.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let space: Set<UInt8> = [0x20, 0x09]
    return String(decoding: trimmed(bytes, of: space).drop(while: space.contains), as: UTF8.self)
  }

  /// Without these bytes at the end.
  private static func trimmed(_ bytes: ArraySlice<UInt8>, of ends: Set<UInt8>) -> ArraySlice<UInt8> {
    let last = bytes.lastIndex { !ends.contains($0) }
    return bytes[..<(last.map { $0 + 1 } ?? bytes.startIndex)]
  }
}
