// What is known already, before what comes: a cached snapshot shown first, then the live values.

/// A sequence with elements put before it.
public struct AsyncStartingWithSequence<Base: AsyncSequence>: AsyncSequence {
  /// The base's element.
  public typealias Element = Base.Element

  let first: [Base.Element]
  let base: Base

  /// Starts with the first elements.
  public func makeAsyncIterator() -> Iterator {
    Iterator(first: first[...], base: base.makeAsyncIterator())
  }

  /// Gives the first elements without waiting, then the base's.
  public struct Iterator: AsyncIteratorProtocol {
    var first: ArraySlice<Base.Element>
    var base: Base.AsyncIterator

    /// The next element.
    @concurrent public mutating func next() async rethrows -> Base.Element? {
      if let element = first.popFirst() { return element }
      return try await base.next()
    }
  }
}

extension AsyncStartingWithSequence: Sendable where Base: Sendable, Base.Element: Sendable {}

extension AsyncSequence {
  /// The sequence with a cached snapshot before it, so that a screen shows something before the network answers.
  ///
  /// - Parameter snapshot: what was shown last; `nil` if nothing is known.
  public func starting(with snapshot: Element?) -> AsyncStartingWithSequence<Self> {
    AsyncStartingWithSequence(first: snapshot.map { [$0] } ?? [], base: self)
  }
}
