// One screen's share of the stream: its events, while somebody takes them. Ending is automatic in every way a
// subscription can be left: the loop, the task, or the value itself going away.

/// The events of a coordinator that one subscriber asked for.
///
/// Register by asking the coordinator for it; iterate it in one loop. It ends when its task is cancelled, when the
/// subscription is dropped, and with the coordinator. It holds neither the coordinator nor the screen.
public struct EventStreamSubscription: AsyncSequence, Sendable {
  /// An event that passed the subscription's filter.
  public typealias Element = ServerSentEvent

  let inbox: EventInbox
  let lifetime: EventStreamSubscriptionLifetime
  let onMiss: @Sendable (EventStreamMiss) -> Void
  let onTaken: @Sendable (_ arrived: Duration) -> Void

  /// Starts taking events.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: self) }

  /// Takes events one by one. An event counts as handled when the consumer comes back for the next one.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: EventStreamSubscription

    /// The next event, or `nil` when the subscription has ended.
    public mutating func next() async -> ServerSentEvent? {
      while let delivery = await subscription.inbox.next() {
        switch delivery {
        case .miss(let miss): subscription.onMiss(miss)
        case .event(let entry):
          subscription.onTaken(entry.arrived)
          return entry.event
        }
      }
      return nil
    }
  }
}

/// Ends a subscription when nobody holds it any more.
final class EventStreamSubscriptionLifetime: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}

/// A subscription with a handler. It ends when this is dropped or cancelled: a screen that holds it takes it along.
public final class EventStreamSubscriptionToken: Sendable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  /// Ends the subscription: no handler is called afterwards on the main actor.
  public func cancel() { task.cancel() }

  deinit { task.cancel() }
}
