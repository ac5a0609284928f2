// Where an event's block of lines begins and ends in the bytes of a stream, by its blank lines alone.

import ServerSentEvents

enum EventBlock {
  /// The block that holds the byte at `offset`, with the blank line that ends it; `nil` if it isn't ended.
  static func range(in body: [UInt8], holding offset: Int) -> Range<Int>? {
    var start = 0
    var lineStart = 0
    var index = 0
    while index < body.count {
      let byte = body[index]
      let next = index + 1
      guard byte == .cr || byte == .lf else {
        index = next
        continue
      }
      let end = byte == .cr && next < body.count && body[next] == .lf ? next + 1 : next
      if index == lineStart {
        if offset < end { return offset >= start ? start..<end : nil }
        start = end
      }
      lineStart = end
      index = end
    }
    return nil
  }
}
