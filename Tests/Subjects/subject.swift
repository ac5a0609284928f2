// A subject in Swift: the frame loop, and a parser after the standard's text that collects the bytes of a line until its
// end. Put your own parser in its place.
//
//     swiftc -O subject.swift -o subject && wiretape check x.cassette --subject ./subject

import Foundation

struct Event: Encodable {
  var type: String
  var data: String
  var lastEventId: String
}

struct Parser {
  private var line: [UInt8] = []
  private var skipsLineFeed = false
  private var isFirstLine = true
  private var data: [String] = []
  private var type = ""
  private var pendingID = ""

  mutating func feed(_ chunk: Data) -> [Event] {
    var events: [Event] = []
    for byte in chunk {
      defer { skipsLineFeed = byte == 0x0D }
      if byte == 0x0A, skipsLineFeed { continue }
      guard byte == 0x0A || byte == 0x0D else {
        line.append(byte)
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    isFirstLine = false
    guard !line.isEmpty else {
      defer { (data, type) = ([], "") }
      return data.isEmpty
        ? nil
        : Event(
          type: type.isEmpty ? "message" : type, data: data.joined(separator: "\n"), lastEventId: pendingID)
    }
    // Names are compared as bytes: a combining mark after the colon is no part of the name.
    let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
    var value = line[colon...].dropFirst()
    if value.first == 0x20 { value.removeFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data": data.append(text)
    case "event": type = text
    case "id" where !value.contains(0): pendingID = text
    default: break
    }
    return nil
  }
}

let input = FileHandle.standardInput
let output = FileHandle.standardOutput
let encoder = JSONEncoder()

/// So many bytes, or `nil` at the end of the input.
func read(_ count: Int) throws -> Data? {
  var bytes = Data()
  while bytes.count < count {
    guard let more = try input.read(upToCount: count - bytes.count), !more.isEmpty else { return nil }
    bytes += more
  }
  return bytes
}

var parser = Parser()
while let head = try read(4) {
  let length = head.reduce(0) { $0 << 8 | Int($1) }
  if length > 0 {
    guard let chunk = try read(length) else { break }
    for event in parser.feed(chunk) { try output.write(contentsOf: encoder.encode(event) + [0x0A]) }
  } else {
    try output.write(contentsOf: Data("{\"end\":true}\n".utf8))
    parser = Parser()
  }
}
