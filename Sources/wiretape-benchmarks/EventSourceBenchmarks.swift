// A whole event source from a loopback server at full speed, against URLSession delivering the same bytes to a delegate
// that only counts. CPU time of the process, the server's share included in both.

import EventCassetteServer
import EventSourceURLSession
import Foundation
import ServerSentEvents

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The event source over URLSession, with its consumer on no actor and on the main actor.
func eventSourceBenchmarks(on inputs: [Input]) -> [Benchmark] {
  let consumers: [(name: String, count: ([UInt8]) async throws -> Int)] = [
    ("event source", countEvents), ("event source, main", countEventsOnMainActor),
  ]
  let inputs = inputs.prefix(2).map { Input(name: $0.name, bytes: Array($0.bytes.prefix(8 << 20))) }
  return inputs.flatMap { input in
    consumers.map { name, count in
      Benchmark(
        name: name, input: input.name, chunkBytes: 16 << 10, bytes: input.bytes.count,
        limitName: "URLSession that counts",
        run: { try await count(input.bytes) },
        limit: { try await countBytes(of: input.bytes) })
    }
  }
}

/// A server that answers every request with the bytes.
func makeServer(sending bytes: [UInt8]) throws -> LoopbackServer {
  let pieces = stride(from: 0, to: bytes.count, by: 16 << 10).map { start in
    ScriptedResponse.Chunk(Array(bytes[start..<min(start + (16 << 10), bytes.count)]))
  }
  let response = ScriptedResponse(
    headers: [HeaderField("Content-Type", "text/event-stream")], chunks: pieces, framing: .length())
  return try LoopbackServer { _, _ in response }
}

private func countEvents(of bytes: [UInt8]) async throws -> Int {
  try await countEvents(from: makeServer(sending: bytes))
}

/// The events that a server sends; it is stopped after that.
@concurrent func countEvents(from server: LoopbackServer) async throws -> Int {
  var events = 0
  for try await _ in makeSource(server) { events += 1 }
  await server.stop()
  return events
}

@MainActor private func countEventsOnMainActor(of bytes: [UInt8]) async throws -> Int {
  let server = try makeServer(sending: bytes)
  var events = 0
  for try await _ in makeSource(server) { events += 1 }
  await server.stop()
  return events
}

private func makeSource(_ server: LoopbackServer) -> EventSource {
  // The buffer is out of the way: on one machine the server is faster than any consumer.
  EventSource(
    EventStreamRequest(url: server.url("/")),
    configuration: EventSourceConfiguration(
      mode: .oneShot, buffer: EventSourceConfiguration.Buffer(events: .max, bytes: .max)),
    environment: .urlSession(URLSessionEventStreamTransport()))
}

@concurrent private func countBytes(of bytes: [UInt8]) async throws -> Int {
  let server = try makeServer(sending: bytes)
  let counter = Counter()
  let session = URLSession(configuration: .ephemeral, delegate: counter, delegateQueue: nil)
  defer { session.invalidateAndCancel() }
  guard let url = URL(string: server.url("/")) else { return 0 }
  let count = await withCheckedContinuation { continuation in
    counter.start(session.dataTask(with: url), continuation)
  }
  await server.stop()
  return count
}

/// Counts the bytes of one task.
private final class Counter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: set before the task is resumed, then touched by the session's one delegate queue alone.
  private var count = 0
  private var continuation: CheckedContinuation<Int, Never>?

  func start(_ task: URLSessionDataTask, _ continuation: CheckedContinuation<Int, Never>) {
    self.continuation = continuation
    task.resume()
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    count += data.count
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    continuation?.resume(returning: count)
    continuation = nil
  }
}
