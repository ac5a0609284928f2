// The state as a value: what `==` compares and what assignment takes over, both written by hand for speed.

import ServerSentEvents
import Testing

@Suite("The parser's state as a value")
struct ParserStateTests {
  private static let streams = [
    "\u{FEFF}: c\r\nevent: tick\rid: 1\r\ndata: a\ndata: é\n\nretry: 10\n\nid: 22\nunknown: x\ndata\n\nid\nda",
    "data: much too long a line for the limit\n\nid: 1\ndata: a\n\nevent: b\ndata: cc",
  ]

  /// The states after each byte.
  private func makeStates(_ stream: String, _ limits: EventStreamParser.Limits) -> [EventStreamParser] {
    var parser = EventStreamParser(limits: limits)
    var states = [parser]
    for byte in stream.utf8 {
      _ = parser.append([byte])
      states.append(parser)
    }
    return states
  }

  private static let limits: [EventStreamParser.Limits] = [
    .default, EventStreamParser.Limits(line: 12, event: 40, policy: .fail),
    EventStreamParser.Limits(line: 12, event: 40, policy: .skipEvent),
  ]

  @Test("a parser that has become another one, whatever it was, is equal to it and goes on equally")
  func assigned() {
    for stream in Self.streams {
      for limits in Self.limits {
        let states = makeStates(stream, limits)
        for from in states.indices {
          for to in states.indices {
            var parser = states[from]
            parser.assign(states[to])
            #expect(parser == states[to])
          }
          let rest = Array(stream.utf8.dropFirst(from))
          var parser = states[states.count - 1]
          parser.assign(states[from])
          var original = states[from]
          #expect(parser.append(rest) == original.append(rest))
        }
      }
    }
  }

  @Test("no two states of a stream are equal: every byte counts")
  func different() {
    for stream in Self.streams {
      let states = makeStates(stream, .default)
      for (index, state) in states.enumerated() {
        #expect(states.firstIndex(of: state) == index)
      }
    }
  }

  /// A field that is added must be added to `==` and to the assignment, too.
  @Test("what is compared and taken over is all that there is")
  func fields() {
    let mirror = Mirror(reflecting: EventStreamParser())
    func names(_ mirror: Mirror) -> [String] { mirror.children.compactMap(\.label).sorted() }
    #expect(
      names(mirror) == [
        "block", "byteOrderMarkMatched", "bytesConsumed", "committedID", "endedWithCR", "failure",
        "limits", "line", "retry", "texts",
      ])
    let parts = Dictionary(uniqueKeysWithValues: mirror.children.map { ($0.label ?? "", $0.value) })
    #expect(
      parts["block"].map { names(Mirror(reflecting: $0)) } == [
        "data", "hasData", "hasID", "id", "isSkipped", "name", "retry", "start",
      ])
    #expect(
      parts["line"].map { names(Mirror(reflecting: $0)) } == ["held", "length", "name", "phase", "retry"])
  }
}
