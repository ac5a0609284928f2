// What a server can resume: where a stream goes on after the event that has an ID. Shared by the sweep over our client,
// the server that sweeps over others, and the replay server after a fault.

package import ServerSentEvents

/// A stream with the places where it goes on after its events.
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
  /// Why it can't be resumed after every event; `nil` if it can.
  private var obstacle: NotResumable?

  /// Reads a stream whose events all have IDs of their own.
  ///
  /// - Parameter lastEventID: the one in effect before it.
  /// - Throws: ``NotResumable`` if an event has no ID of its own, if two share one, or if there are IDs without events.
  package init(
    _ bytes: [UInt8], lastEventID: String = "", limits: EventStreamParser.Limits = .default
  ) throws(NotResumable) {
    self.init(reading: bytes, lastEventID: lastEventID, limits: limits)
    if let obstacle { throw obstacle }
  }

  /// Reads any stream. Where an ID stands twice the stream goes on after the first, so that nothing is lost.
  ///
  /// - Parameter lastEventID: the one in effect before it.
  package init(
    reading bytes: [UInt8], lastEventID: String = "", limits: EventStreamParser.Limits = .default
  ) {
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
      if let dispatched { add(dispatched, endingAt: start) }
      let inEffect = parser.lastEventID
      if !inEffect.utf8.elementsEqual((events.last?.lastEventID ?? lastEventID).utf8) {
        note(
          "a block without an event sets the ID ‘\(inEffect)’, so a server would have to know blocks, not events"
        )
        resume(after: inEffect, at: start)
      }
    }
  }

  private mutating func add(_ event: ServerSentEvent, endingAt end: Int) {
    events.append(event)
    ends.append(end)
    let id = event.id ?? ""
    if id.isEmpty {
      note("event \(events.count) has no ID of its own, so no server can resume after it")
    } else if !resume(after: id, at: end) {
      note("event \(events.count) has an ID that was used before, ‘\(id)’")
    }
  }

  /// Remembers where the stream goes on after an ID; false if it is known.
  @discardableResult
  private mutating func resume(after id: String, at end: Int) -> Bool {
    let id = Array(id.utf8)
    guard resumptions[id] == nil else { return false }
    // A block ends at the CR of a CRLF; the LF belongs to it.
    let isCRLF = end < bytes.count && bytes[end - 1] == 0x0D && bytes[end] == 0x0A
    resumptions[id] = isCRLF ? end + 1 : end
    return true
  }

  private mutating func note(_ obstacle: String) {
    self.obstacle = self.obstacle ?? NotResumable(description: obstacle)
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
