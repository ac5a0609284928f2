// Events as an AsyncStream of their payloads, for code that wants strings and a type it can name.

extension AsyncSequence where Element == ServerSentEvent, Self: Sendable {
  /// The events' data, as a stream that can be stored and passed on.
  ///
  /// Reading goes on in a task of its own, one event ahead of the consumer at most. Leaving the loop, dropping the
  /// stream or cancelling the consumer's task ends that task, and with it the connection beneath. An error ends the
  /// stream after it was passed to `onError`.
  ///
  /// - Parameter onError: takes the error that ended the sequence.
  public func payloads(
    onError: @escaping @Sendable (any Error) -> Void = { _ in }
  ) -> AsyncStream<String> {
    let handover = Handover<String>()
    let reader = Task {
      await withTaskCancellationHandler {
        do {
          for try await event in self { await handover.offer(event.data) }
        } catch {
          if !Task.isCancelled { onError(error) }
        }
        await handover.finish()
      } onCancel: {
        // The reader may be waiting for its element to be taken, which nobody will do any more.
        Task { await handover.finish() }
      }
    }
    let lifetime = TaskLifetime(reader)
    return AsyncStream {
      await handover.take()
    } onCancel: {
      lifetime.cancel()
    }
  }
}
