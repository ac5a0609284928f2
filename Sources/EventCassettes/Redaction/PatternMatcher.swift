// One regular expression of the user's. Some patterns take longer than the world lasts for a few dozen bytes, and a
// stream may be made of those bytes on purpose. Swift's matching can't be told to stop; so it goes on beside whoever waits
// for it, who waits so long and no longer. What isn't known by then is masked whole: in data nothing gets by unseen.

import Dispatch

/// Finds where a pattern matches, or gives the pattern up.
// @unchecked: a `Regex` that was compiled from text holds no closures and never changes, only it doesn't say so.
final class PatternMatcher: @unchecked Sendable {
  /// How long one match may keep a recording waiting.
  static let patience = Duration.seconds(2)

  /// Patterns that took too long once. Their matching may be at it still, on a thread that nobody can end, so in this process
  /// there will be no second one.
  private static let givenUp = Locked<Set<String>>([])

  private let text: String
  private let regex: Regex<AnyRegexOutput>
  private let patience: Duration
  /// A queue of its own has a thread of its own: one that is lost leaves those of the pools alone.
  private let queue = DispatchQueue(label: "wiretape.pattern")

  /// - Throws: ``CassetteError`` `badRule` for a pattern that doesn't compile.
  init(_ text: String, patience: Duration) throws(CassetteError) {
    do {
      regex = try Regex(text).matchingSemantics(.unicodeScalar)
    } catch {
      throw CassetteError(.badRule, "the pattern \"\(text)\" is no regular expression: \(error)")
    }
    (self.text, self.patience) = (text, patience)
  }

  /// The matches in `subject`, as ranges of its UTF-8 bytes; `nil` if they can't be had in time.
  func ranges(in subject: String) -> [Range<Int>]? {
    if Self.givenUp.withLock({ $0.contains(text) }) { return nil }
    let found = Locked<[Range<Int>]?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    queue.async { [self] in
      let ranges = subject.ranges(of: regex).filter { !$0.isEmpty }.map { range in
        let start = subject.utf8.distance(from: subject.startIndex, to: range.lowerBound)
        return start..<start + subject.utf8.distance(from: range.lowerBound, to: range.upperBound)
      }
      found.withLock { $0 = ranges }
      isDone.signal()
    }
    let (seconds, attoseconds) = patience.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    if isDone.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .timedOut {
      Self.givenUp.withLock { _ = $0.insert(text) }
      return nil
    }
    return found.withLock { $0 }
  }
}
