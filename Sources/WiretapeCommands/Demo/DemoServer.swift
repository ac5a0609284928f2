// The demo's server: one event stream as a shop with an assistant might send it. Its bytes are the same every time;
// only time is the machine's own.

import EventCassetteServer
import ServerSentEvents

enum DemoServer {
  /// An event of the demo; its id is its number.
  private static let events: [(type: String?, data: String)] = [
    ("order", #"{"id":4711,"status":"placed"}"#), ("order", #"{"id":4711,"status":"paid: 49,90 €"}"#),
    (nil, #"{"delta":"Your"}"#), (nil, #"{"delta":" parcel"}"#), (nil, #"{"delta":" is"}"#),
    (nil, #"{"delta":" on"}"#), (nil, #"{"delta":" its"}"#), (nil, #"{"delta":" way 🚚"}"#),
    ("order", #"{"id":4711,"status":"handed over"}"#), ("order", #"{"id":4711,"status":"in Zürich"}"#),
    (nil, #"{"delta":"お届け"}"#), (nil, #"{"delta":"は明日"}"#), (nil, #"{"delta":"です。"}"#),
    ("note", "Leave it with the neighbour.\nThank you!"), ("order", #"{"id":4711,"status":"delivered"}"#),
    (nil, "[DONE]"),
  ]

  /// The event in the middle of which the first connection drops.
  private static let dropsIn = 10

  /// Starts the server: the first connection drops in mid-event, a later one goes on after the Last-Event-ID that it is
  /// sent, and the one after the last event is told to stay away (204).
  static func start() throws -> LoopbackServer {
    try LoopbackServer { request, writer in
      let last = request["Last-Event-ID"].flatMap { Int($0) } ?? 0
      guard last < events.count else {
        try await writer.sendHead(status: 204)
        return try await writer.finish()
      }
      try await writer.sendHead(
        headers: [HeaderField("Content-Type", "text/event-stream"), HeaderField("Cache-Control", "no-store")])
      if last == 0 { try await writer.send("retry: 300\n\n") }
      for number in (max(0, last) + 1)...events.count {
        if number % 5 == 1 { try await writer.send(": heartbeat\n\n") }
        let bytes = block(number)
        // As a token comes: now. As an order goes on: after a while.
        try await writer.pause(.milliseconds(events[number - 1].type == nil ? 30 : 120))
        if number == dropsIn, last == 0 {
          try await writer.send(Array(bytes.prefix(bytes.count / 2)))
          try await writer.pause(.milliseconds(50))
          return await writer.cut()
        }
        try await writer.send(bytes)
      }
      try await writer.finish()
    }
  }

  private static func block(_ number: Int) -> [UInt8] {
    let event = events[number - 1]
    var text = "id: \(number)\n"
    if let type = event.type { text += "event: \(type)\n" }
    for line in event.data.split(separator: "\n", omittingEmptySubsequences: false) {
      text += "data: \(line)\n"
    }
    return Array((text + "\n").utf8)
  }
}
