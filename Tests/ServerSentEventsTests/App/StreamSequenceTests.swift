// Events out of async sequences of bytes and chunks: when they come out, what is read for them, and when it stops.
import ServerSentEvents
import Testing

@Suite("Async sequences of bytes and chunks") struct StreamSequenceTests {
  struct Broken: Error {}

  /// A base that counts what was asked of it, ends with an error if told so, and never looks at cancellation.
  final class Script<Element: Sendable>: AsyncSequence, AsyncIteratorProtocol {
    private var elements: [Element]
    private let error: (any Error)?
    private(set) var asked = 0
    var beforeNext: (Int) async -> Void = { _ in }

    init(_ elements: [Element], error: (any Error)? = nil) {
      self.elements = elements.reversed()
      self.error = error
    }

    func makeAsyncIterator() -> Script { self }

    func next() async throws -> Element? {
      await beforeNext(asked)
      asked += 1
      if let element = elements.popLast() { return element }
      if let error { throw error }
      return nil
    }
  }

  static let text =
    "\u{FEFF}: hello\r\nevent: order\r\nid: 7\r\ndata: é\u{1F600}\r\ndata:\r\n\r\ndata: b\n\nretry: 5\rdata: c\r\rdata: cut off"
  static let expected = [
    ServerSentEvent(name: "order", data: "é\u{1F600}\n", id: "7"),
    ServerSentEvent(data: "b", lastEventID: "7"),
    ServerSentEvent(data: "c", lastEventID: "7", retry: 5),
  ]

  static func untilCancelled() async {
    let (never, continuation) = AsyncStream.makeStream(of: Void.self)
    for await _ in never {}  // ends when the task is cancelled
    continuation.finish()
  }

  func collect<S: AsyncSequence>(_ sequence: S) async throws -> [S.Element] {
    var elements: [S.Element] = []
    for try await element in sequence { elements.append(element) }
    return elements
  }

  @Test("bytes, and chunks of every size, give the same events")
  func everyCut() async throws {
    let bytes = Array(Self.text.utf8)
    #expect(try await collect(Script(bytes).sse()) == Self.expected)
    #expect(try await collect(Script(bytes).events()) == Self.expected)
    for size in 1...bytes.count {
      let chunks = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
      #expect(try await collect(Script(chunks).sse()) == Self.expected, "chunks of \(size) bytes")
      #expect(try await collect(Script(chunks.map(Array.init)).events()) == Self.expected)
    }
  }

  @Test("comments and reconnection times can be seen too")
  func outputs() async throws {
    let outputs = try await collect(Script([Array(Self.text.utf8)]).eventStreamOutputs())
    #expect(outputs.prefix(2) == [.comment(" hello"), .event(Self.expected[0])])
    #expect(outputs.contains(.retry(milliseconds: 5)))
    #expect(try await collect(Script(Array(Self.text.utf8)).eventStreamOutputs()) == outputs)
  }

  @Test("nothing is read before it is asked for, and no byte past the end of the event")
  func lazy() async throws {
    let base = Script(Array("data: a\n\ndata: b\n\n".utf8))
    var iterator = base.sse().makeAsyncIterator()
    #expect(base.asked == 0)
    #expect(try await iterator.next()?.data == "a")
    #expect(base.asked == 9)
    #expect(try await iterator.next()?.data == "b")
    #expect(base.asked == 18)
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
    #expect(base.asked == 19)
  }

  @Test("a CR ends a line at once")
  func carriageReturn() async throws {
    let base = Script(Array("data: a\r\rX".utf8))
    var iterator = base.sse().makeAsyncIterator()
    #expect(try await iterator.next()?.data == "a")
    #expect(base.asked == 9)
  }

  @Test("an error of the base is thrown after the events before it")
  func baseThrows() async throws {
    var iterator = Script(Array("data: a\n\ndata: b".utf8), error: Broken()).sse().makeAsyncIterator()
    #expect(try await iterator.next()?.data == "a")
    await #expect(throws: Broken.self) { try await iterator.next() }
  }

  @Test("a base that can't throw gives a sequence that can't throw")
  func neverThrows() async {
    let base = AsyncStream { continuation in
      continuation.yield(Array("data: a\n\n".utf8))
      continuation.finish()
    }
    var events: [ServerSentEvent] = []
    for await event in base.sse() { events.append(event) }  // no `try`: this is the test
    #expect(events == [ServerSentEvent(data: "a")])
  }

  @Test(
    "a cancelled task stops, even on a base that does not look; the base is asked once more, to hear of it")
  func cancellation() async throws {
    let (reached, continuation) = AsyncStream.makeStream(of: Void.self)
    let task = Task { () -> (events: Int, asked: Int) in
      let base = Script(Array(repeating: Array("data: a\n\n".utf8), count: 1000))
      base.beforeNext = { asked in
        guard asked == 2 else { return }
        continuation.yield()
        await Self.untilCancelled()
      }
      var events = 0
      for try await _ in base.sse() { events += 1 }
      return (events, base.asked)
    }
    var iterator = reached.makeAsyncIterator()
    await iterator.next()
    task.cancel()
    let (events, asked) = try await task.value
    #expect(events == 2)
    #expect(asked == 4)
  }

  @Test("an event over the limits is dropped and said so, or ends the sequence if that is wanted")
  func limits() async throws {
    let bytes = Array("data: a\n\ndata: 123456789\n\ndata: b\n\n".utf8)
    let skip = EventStreamParser.Limits(line: 10, event: 10, policy: .skipEvent)
    #expect(try await collect(Script([bytes]).events(limits: skip)).map(\.data) == ["a", "b"])
    let outputs = try await collect(Script(bytes).eventStreamOutputs(limits: skip))
    #expect(outputs.contains { if case .dropped = $0 { true } else { false } })
    let fail = EventStreamParser.Limits(line: 10, event: 10, policy: .fail)
    let failing = try await collect(Script(bytes).eventStreamOutputs(limits: fail))
    #expect(failing.count == 2)
    guard case .failed = failing.last else {
      Issue.record("no failure in \(failing)")
      return
    }
  }

  @Test("a long line goes to the parser in pieces and comes out whole")
  func longLine() async throws {
    let data = String(repeating: "x", count: 20_000)
    #expect(try await collect(Script(Array("data: \(data)\n\n".utf8)).sse()).map(\.data) == [data])
  }

  @Test("payloads come as an AsyncStream, and its error is passed on")
  func payloads() async throws {
    let (errors, continuation) = AsyncStream.makeStream(of: (any Error).self)
    let base = AsyncThrowingStream<[UInt8], any Error> { base in
      base.yield(Array("data: update 1\n\ndata: update 2\n\n".utf8))
      base.finish(throwing: Broken())
    }
    let stream: AsyncStream<String> = base.events().payloads { continuation.yield($0) }
    var payloads: [String] = []
    for await payload in stream { payloads.append(payload) }
    #expect(payloads == ["update 1", "update 2"])
    var iterator = errors.makeAsyncIterator()
    #expect(await iterator.next() is Broken)
  }

  /// An endless base that tells when its consumer has gone.
  func makeEndless() -> (AsyncStream<[UInt8]>, closed: AsyncStream<Void>) {
    let (closed, continuation) = AsyncStream.makeStream(of: Void.self)
    let base = AsyncStream<[UInt8]> { base in
      for number in 1...5 { base.yield(Array("data: update \(number)\n\n".utf8)) }
      base.onTermination = { _ in continuation.yield() }
    }
    return (base, closed)
  }

  @Test("cancelling the task that takes payloads ends what is beneath")
  func payloadsCancelled() async throws {
    let (base, closed) = makeEndless()
    let (seen, continuation) = AsyncStream.makeStream(of: String.self)
    let task = Task {
      for await payload in base.sse().payloads() { continuation.yield(payload) }
      continuation.finish()
    }
    var payloads = seen.makeAsyncIterator()
    for number in 1...5 { #expect(await payloads.next() == "update \(number)") }
    task.cancel()
    #expect(await payloads.next() == nil)
    var iterator = closed.makeAsyncIterator()
    #expect(await iterator.next() != nil)
  }

  @Test("leaving the loop over payloads ends what is beneath")
  func payloadsLeft() async throws {
    let (base, closed) = makeEndless()
    for await _ in base.sse().payloads() { break }
    var iterator = closed.makeAsyncIterator()
    #expect(await iterator.next() != nil)
  }
}
