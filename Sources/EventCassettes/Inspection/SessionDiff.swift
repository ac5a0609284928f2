// How two sessions differ, as events and as times. The events are aligned by the longest run of equal ones, so that one
// event more in the middle is one difference and not a hundred.

public import ServerSentEvents

/// The events of a session, with where and when they came.
public struct SessionEvents: Hashable, Sendable {
  /// An event of a session.
  public struct Entry: Hashable, Sendable {
    /// The exchange that carried it, from 1.
    public var exchange: Int
    /// Microseconds since the recording began.
    public var at: Int64
    /// The event.
    public var event: ServerSentEvent
  }

  /// The events in order.
  public private(set) var entries: [Entry] = []
  /// Whether the times mean something: a header whose `timing` is `unknown` says that they don't.
  public private(set) var hasTimes = true

  /// Reads a cassette's events; `-` is standard input.
  ///
  /// - Throws: ``CassetteError``.
  public init(contentsOf path: String, limits: CassetteLimits = .default) throws(CassetteError) {
    var reader = try CassetteReader(contentsOf: path, limits: limits)
    try self.init(&reader)
  }

  /// Reads the events that are left in a reader.
  ///
  /// - Throws: ``CassetteError``.
  public init(_ reader: inout CassetteReader) throws(CassetteError) {
    var parser = EventStreamParser()
    var exchange = 0
    while let record = try reader.next() {
      switch record {
      case .header(let header):
        parser.reset()
        if header.timing == .unknown { hasTimes = false }
      case .request:
        parser.finish()
        exchange += 1
      case .chunk(let chunk):
        for output in parser.append(chunk.bytes) {
          if case .event(let event) = output {
            entries.append(Entry(exchange: exchange, at: reader.elapsed, event: event))
          }
        }
      case .requestBody, .response, .end, .note, .trailer, .unknown: break
      }
    }
  }

  /// The events that only one of them has, in order.
  public func eventDifferences(to other: SessionEvents) -> [SessionDifference] {
    alignment(with: other).compactMap { step in
      switch step {
      case .both: nil
      case .first(let index): .removed(entries[index])
      case .second(let index): .added(other.entries[index])
      }
    }
  }

  /// Events of both whose distance from the event before (of both) differs by more than `tolerance`. None where
  /// one of the two has no times (``hasTimes``).
  public func timingDifferences(to other: SessionEvents, tolerance: Duration) -> [SessionDifference] {
    guard hasTimes, other.hasTimes else { return [] }
    var differences: [SessionDifference] = []
    var before: (a: Int64, b: Int64)?
    for case .both(let first, let second) in alignment(with: other) {
      let (a, b) = (entries[first], other.entries[second])
      if let before {
        let (own, others) = (a.at &- before.a, b.at &- before.b)
        if .microseconds((own &- others).magnitude) > tolerance {
          differences.append(.timing(exchange: a.exchange, index: first, a: own, b: others))
        }
      }
      before = (a.at, b.at)
    }
    return differences
  }

  private enum Step {
    case both(Int, Int)
    case first(Int)
    case second(Int)
  }

  /// More events than this, both together, are not aligned but compared one by one: the alignment (Myers' algorithm)
  /// is quadratic in what differs, and two sessions without anything in common would take for ever.
  private static let mostAligned = 4000

  private func alignment(with other: SessionEvents) -> [Step] {
    let (a, b) = (entries.map(\.event), other.entries.map(\.event))
    let prefix = zip(a, b).prefix { $0 == $1 }.count
    let most = Swift.min(a.count, b.count) - prefix
    let suffix = zip(a.reversed(), b.reversed()).prefix(most).prefix { $0 == $1 }.count
    let (inA, inB) = (prefix..<a.count - suffix, prefix..<b.count - suffix)
    var steps = (0..<prefix).map { Step.both($0, $0) }
    if inA.count + inB.count <= Self.mostAligned {
      steps += Self.aligned(a[inA], b[inB])
    } else {
      for offset in 0..<Swift.max(inA.count, inB.count) {
        let (first, second) = (prefix + offset, prefix + offset)
        if inA.contains(first), inB.contains(second), a[first] == b[second] {
          steps.append(.both(first, second))
        } else {
          if inA.contains(first) { steps.append(.first(first)) }
          if inB.contains(second) { steps.append(.second(second)) }
        }
      }
    }
    return steps + (0..<suffix).map { Step.both(inA.upperBound + $0, inB.upperBound + $0) }
  }

  private static func aligned(_ a: ArraySlice<ServerSentEvent>, _ b: ArraySlice<ServerSentEvent>) -> [Step] {
    var removed = Set<Int>()
    var inserted = Set<Int>()
    for change in b.difference(from: a) {
      switch change {
      case .remove(let offset, _, _): removed.insert(a.startIndex + offset)
      case .insert(let offset, _, _): inserted.insert(b.startIndex + offset)
      }
    }
    var steps: [Step] = []
    var (first, second) = (a.startIndex, b.startIndex)
    while first < a.endIndex || second < b.endIndex {
      if removed.contains(first) {
        steps.append(.first(first))
        first += 1
      } else if inserted.contains(second) {
        steps.append(.second(second))
        second += 1
      } else {
        steps.append(.both(first, second))
        first += 1
        second += 1
      }
    }
    return steps
  }
}

/// One difference of two sessions.
public enum SessionDifference: Hashable, Sendable {
  /// An event that only the first has.
  case removed(SessionEvents.Entry)
  /// An event that only the second has.
  case added(SessionEvents.Entry)
  /// An event of both that came at another distance from the event before, in microseconds; `exchange` (from 1) and
  /// `index` (of the event in the session, from 0) are the first one's.
  case timing(exchange: Int, index: Int, a: Int64, b: Int64)
}
