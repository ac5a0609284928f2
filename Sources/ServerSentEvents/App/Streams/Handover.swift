// A sequence that is pulled by one task and filled by another, one element at a time: nothing piles up between them.

/// Hands elements from a producing to a consuming task. The producer waits until each has been taken.
actor Handover<Element: Sendable> {
  private var element: Element?
  private var isOver = false
  private var producer: CheckedContinuation<Void, Never>?
  private var consumers: [CheckedContinuation<Element?, Never>] = []

  /// Offers an element and returns when it has been taken, or at once when nobody will take it.
  func offer(_ element: Element) async {
    if isOver { return }
    if !consumers.isEmpty { return consumers.removeFirst().resume(returning: element) }
    self.element = element
    await withCheckedContinuation { producer = $0 }
  }

  /// Takes the next element; `nil` when there will be none.
  func take() async -> Element? {
    if let taken = element {
      element = nil
      producer?.resume()
      producer = nil
      return taken
    }
    if isOver { return nil }
    return await withCheckedContinuation { consumers.append($0) }
  }

  /// Says that there will be no more elements, and lets everybody who waits go.
  func finish() {
    isOver = true
    element = nil
    producer?.resume()
    producer = nil
    for consumer in consumers { consumer.resume(returning: nil) }
    consumers = []
  }
}

/// Cancels a task when nobody holds this any more.
final class TaskLifetime: Sendable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) {
    self.task = task
  }

  func cancel() { task.cancel() }

  deinit { task.cancel() }
}
