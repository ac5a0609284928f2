// The six generated inputs. They are deterministic, so figures of different days compare. Shapes after what public
// servers send: see the comment at each.

import Foundation

/// An event stream to measure with.
struct Input: Sendable {
  let name: String
  let bytes: [UInt8]

  /// All inputs, each about `megabytes` long.
  static func all(megabytes: Int) -> [Input] {
    let size = megabytes << 20
    return [
      Input(name: "llm", bytes: repeated(to: size, llm)),
      Input(name: "order", bytes: repeated(to: size, order)),
      Input(name: "heartbeat", bytes: repeated(to: size, heartbeat)),
      Input(name: "nonascii", bytes: repeated(to: size, nonASCII)),
      Input(
        name: "bigline",
        bytes: Array("data: ".utf8) + Array(repeating: UInt8(ascii: "x"), count: 8 << 20) + [10, 10]),
      Input(
        name: "lines",
        bytes: Array(String(repeating: "data: a short line of text\n", count: 100_000).utf8) + [10]),
    ]
  }

  /// The recorded streams of a folder (`.sse` files), each repeated to about `megabytes`.
  static func streams(in folder: String, megabytes: Int) throws -> [Input] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(".sse") }.map {
      name in
      let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name)))
      // A blank line between, so that a stream cut off in an event doesn't run into itself.
      let once = file + [10, 10]
      let times = max(1, (megabytes << 20) / once.count)
      return Input(
        name: String(name.dropLast(4)), bytes: Array(repeatElement(once, count: times).joined()))
    }
  }

  private static func repeated(to size: Int, _ event: (Int) -> String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 1024)
    var index = 0
    while bytes.count < size {
      bytes += Array(event(index).utf8)
      index += 1
    }
    return bytes
  }

  /// A token of a chat completion: 248 bytes.
  private static func llm(_ index: Int) -> String {
    let json =
      #"{"id":"chatcmpl-9sYxKq2wLr4mTf7vBn1cZd5e","object":"chat.completion.chunk","created":1723450000,"model":"#
      + #""gpt-4o-2024-08-06","system_fingerprint":"fp_3aa7262c27","choices":[{"index":0,"delta":{"content":" token\#(index % 10)"},"#
    let tail = #""finish_reason":null}]}"#
    return "data: " + json + String(repeating: " ", count: max(0, 240 - json.utf8.count - tail.utf8.count))
      + tail + "\n\n"
  }

  /// An order's status: 92 bytes, CRLF, five fields.
  private static func order(_ index: Int) -> String {
    let id = String(100_000 + index % 900_000)
    return ": beat\r\nevent: order.status\r\nid: \(id)\r\nretry: 3000\r\n"
      + "data: {\"id\":\(id),\"s\":\"out\"}\r\n\r\n"
  }

  /// Twenty comments and an event.
  private static func heartbeat(_ index: Int) -> String {
    String(repeating: ": keep-alive\n\n", count: 20) + "data: {\"n\":\(index % 10)}\n\n"
  }

  /// Japanese and emoji: 154 bytes.
  private static func nonASCII(_ index: Int) -> String {
    "data: 注文番号\(index % 10)は現在配送センターを出発しました。到着予定は午後三時です🚚📦 ありがとうございます\n\n"
  }
}
