// What a server can resume: where a stream goes on after the event that has an ID. Shared by the sweep over our client
// and the server that sweeps over others.

package import ServerSentEvents

/// A stream whose events all have IDs of their own.
package struct ResumableStream: Sendable {
  /// The stream's bytes.
  package let bytes: [UInt8]
  /// Its events.
  package private(set) var events: [ServerSentEvent] = []
  /// For each event the number of bytes after which a client dispatches it.
  package private(set) var ends: [Int] = []
  /// Where the block of each event begins, and at last what follows the last event, if anything does.
  package var starts: [Int] { Set(resumptions.values).filter { $0 < bytes.count }.sorted() }
  /// Where it goes on after an ID; by its bytes, for IDs that Swift calls equal may differ.
  private var resumptions: [[UInt8]: Int]

  /// Reads a stream.
  ///
  /// - Parameter lastEventID: the one in effect before it.
  /// - Throws: ``NotResumable`` if an event has no ID of its own, if two share one, or if there are IDs without events.
  package init(
    _ bytes: [UInt8], lastEventID: String = "", limits: EventStreamParser.Limits = .default
  ) throws(NotResumable) {
    self.bytes = bytes
    resumptions = [Array(lastEventID.utf8): 0]
    var parser = EventStreamParser(limits: limits, lastEventID: lastEventID)
    var start = 0
    for place in bytes.indices where bytes[place] == 0x0A || bytes[place] == 0x0D {
      var dispatched: ServerSentEvent?
      parser.append(bytes[start...place]) { output, _ in
        if case .event(let event) = output { dispatched = event }
      }
      start = place + 1
      if let dispatched { try add(dispatched, endingAt: start) }
      let inEffect = parser.lastEventID
      guard inEffect.utf8.elementsEqual((events.last?.lastEventID ?? lastEventID).utf8) else {
        throw NotResumable(
          description:
            "a block without an event sets the ID ‘\(inEffect)’, so a server would have to know blocks, not events"
        )
      }
    }
  }

  private mutating func add(_ event: ServerSentEvent, endingAt end: Int) throws(NotResumable) {
    events.append(event)
    ends.append(end)
    let id = event.id ?? ""
    if id.isEmpty {
      throw NotResumable(
        description: "event \(events.count) has no ID of its own, so no server can resume after it")
    }
    // An event is dispatched at the CR of a CRLF; the LF belongs to it.
    let isCRLF = end < bytes.count && bytes[end - 1] == 0x0D && bytes[end] == 0x0A
    if resumptions.updateValue(isCRLF ? end + 1 : end, forKey: Array(id.utf8)) != nil {
      throw NotResumable(description: "event \(events.count) has an ID that was used before, ‘\(id)’")
    }
  }

  /// Where the stream goes on for a client that sends this last event ID; `nil` if no event has it.
  package func start(after id: some Sequence<UInt8>) -> Int? { resumptions[Array(id)] }

  /// How many events a client has dispatched after so many bytes.
  package func eventCount(in bytes: Int) -> Int { ends.prefix { $0 <= bytes }.count }
}

/// Why a stream can't be resumed by any server.
package struct NotResumable: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason in a sentence.
  package let description: String

  package init(description: String) { self.description = description }
}

extension Cassette {
  /// All finished blocks of the first recording's event streams, one after the other: what a server would have that keeps
  /// its events.
  package var joinedBlocks: [UInt8] {
    var joined: [UInt8] = []
    for exchange in exchanges where exchange.isEventStream && exchange.recording == exchanges[0].recording {
      var body = exchange.body[...]
      if body.starts(with: [0xEF, 0xBB, 0xBF]) { body = body.dropFirst(3) }
      var parser = EventStreamParser()
      _ = parser.append(body)
      joined += body.dropLast(parser.finish())
    }
    return joined
  }
}
