// How much memory a check takes. It compares the same bytes over and over, so it holds them and all that comes out of
// them: a multiple of the bodies where events are small. Said beforehand, so that no cassette takes the machine's memory.

package import ServerSentEvents

extension [ExchangeBody] {
  /// Throws where a check of these takes more memory than the options allow.
  ///
  /// - Throws: ``CassetteError`` `overLimit`.
  package func requireMemory(
    limits: EventStreamParser.Limits = .default, options: CheckOptions
  ) throws(CassetteError) {
    var outputs = 0
    var payloads = 0
    for body in self where body.isEventStream {
      var parser = EventStreamParser(limits: limits)
      parser.visit(body.bytes.span) { _, payload, name, _ in
        outputs += 1
        payloads += payload.count + name.count
      }
    }
    // The bodies as they were read and joined; each output as the parser gives it and as the client does, each time with
    // its texts, whose allocations have a head of 32 bytes; each exchange with its heads. Measured over few large
    // exchanges, 50,000 small ones and millions of tiny events, this is within a fifth of what a check takes.
    let each =
      MemoryLayout<EventStreamParser.Output>.stride + MemoryLayout<GoldenEvent>.stride + 2 * 32
    let arrays = outputs * each
    let memory =
      2 * reduce(0) { $0 + $1.bytes.count } + 2 * payloads + arrays + arrays / 2  // they grow in leaps
      + count * 2048
    guard memory > options.memory else { return }
    throw CassetteError(
      .overLimit,
      "a check of \(outputs) events and comments takes about \(memory >> 20) MiB of memory, and "
        + "\(options.memory >> 20) MiB are allowed; check a part of the cassette, or allow more")
  }
}
