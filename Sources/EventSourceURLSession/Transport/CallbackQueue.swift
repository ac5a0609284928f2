// The queue on which URLSession calls its delegate on Linux.

#if canImport(FoundationNetworking)
  import Dispatch
  import Foundation

  /// Runs callbacks one after the other, and makes no operation of each: that costs as much as all that our delegate does
  /// with a chunk. URLSession gives it blocks; an operation would keep its place among them.
  class CallbackQueue: OperationQueue, @unchecked Sendable {
    // @unchecked as its superclass: a constant is all that it adds.
    private let queue = DispatchQueue(label: "EventSourceURLSession")

    override func addOperation(_ block: @escaping @Sendable () -> Void) { queue.async(execute: block) }

    override func addOperation(_ operation: Operation) { queue.async { operation.start() } }
  }
#endif
