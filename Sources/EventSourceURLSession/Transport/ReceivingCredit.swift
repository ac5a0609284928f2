// How far a network may be ahead of whoever takes its bytes in: what keeps a fast server and a slow disk from filling
// memory between them. It blocks threads, so it's for programs with one connection, not for apps.

import Foundation
package import ServerSentEvents

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that can be made to wait for whoever takes its bytes in.
package protocol HeldBackTransport: EventStreamTransport {
  /// The same transport for one connection at a time, whose server is held back while too much waits to be taken in.
  func heldBack(by credit: ReceivingCredit) -> any EventStreamTransport
}

/// Bytes that were handed on and not yet taken in, held near a bound.
package final class ReceivingCredit: @unchecked Sendable {
  // @unchecked: the variables are touched with the condition's lock held, nowhere else.
  private let limit: Int
  private let condition = NSCondition()
  private var outstanding = 0
  private var isOver = true

  /// A credit of `limit` bytes.
  package init(limit: Int) { self.limit = limit }

  /// A connection begins: nothing of it is on its way.
  package func begin() {
    condition.withLock {
      outstanding = 0
      isOver = false
    }
  }

  /// Notes that bytes were handed on, and blocks the thread while too many are on their way.
  package func spend(_ bytes: Int) {
    condition.withLock {
      outstanding += bytes
      while outstanding >= limit, !isOver { condition.wait() }
    }
  }

  /// Notes that bytes were taken in.
  package func refund(_ bytes: Int) {
    condition.withLock {
      outstanding -= bytes  // below zero where it comes before the spending
      if outstanding < limit { condition.broadcast() }
    }
  }

  /// The connection is over: nobody waits any more.
  package func end() {
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }
}

#if canImport(FoundationNetworking)
  /// A delegate queue that holds its caller up once some callbacks wait. Foundation on Linux reads on without end where
  /// a delegate is slow, and suspending a task doesn't stop it (measured); this does.
  final class BoundedCallbackQueue: CallbackQueue, @unchecked Sendable {
    // @unchecked as its superclass: a constant is all that it adds.
    /// Callbacks that wait; over with the connection, since cancelling it waits for whoever is held up here.
    let places = ReceivingCredit(limit: 32)

    override func addOperation(_ block: @escaping @Sendable () -> Void) {
      places.spend(1)
      super.addOperation { [places] in
        block()
        places.refund(1)
      }
    }
  }
#endif
