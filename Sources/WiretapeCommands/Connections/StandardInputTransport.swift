// Standard input as a connection, so that a stream from a pipe is recorded like any other: each read is a chunk.

import Dispatch
import EventCassettes
import EventSourceURLSession
import ServerSentEvents

/// One connection to whoever writes into our standard input.
struct StandardInputTransport: EventStreamTransport {
  let input: ByteReader
  let clock: any EventStreamClock
  /// How far reading may be ahead of the recording: the pipe then holds back its writer.
  let credit: ReceivingCredit
  /// Is told when reading fails.
  var failure = InputFailure()

  /// What stands on the cassette as the request.
  static let request = EventStreamRequest(url: "stdin:")

  func connect(_ request: EventStreamRequest) -> AsyncStream<StampedTransportFact> {
    let (stream, continuation) = AsyncStream.makeStream(of: StampedTransportFact.self)
    let (input, clock, credit, failure) = (input, clock, credit, failure)
    credit.begin()
    continuation.onTermination = { _ in credit.end() }
    // Reads block, so they have a thread to themselves, which ends with the input or with the program.
    DispatchQueue(label: "wiretape.standard-input").async {
      func yield(_ fact: EventStreamTransportFact) -> Bool {
        if case .terminated = continuation.yield(StampedTransportFact(at: clock.now, fact)) { return false }
        return true
      }
      var goesOn = yield(
        .response(
          EventStreamResponse(status: 200, headers: [HeaderField("Content-Type", "text/event-stream")])))
      while goesOn {
        do {
          let bytes = try input.read(64 << 10)
          if bytes.isEmpty {
            _ = yield(.ended(.complete, detail: ""))
            break
          }
          goesOn = yield(.bytes(bytes))
          credit.spend(bytes.count)
        } catch {
          let error = CommandError(explaining: error)
          failure.set(error)
          _ = yield(.ended(.unknown, detail: error.message))
          break
        }
      }
      continuation.finish()
    }
    return stream
  }
}

/// Why reading came to its end, if that was no end of the input.
final class InputFailure: Sendable {
  private let stored = Locked<CommandError?>(nil)

  /// What went wrong, once it did.
  var error: CommandError? { stored.withLock { $0 } }

  func set(_ error: CommandError) { stored.withLock { $0 = error } }
}
