// How far the pieces of a proof go, and what that costs. Pieces of every length are what proves all chunkings, at a
// cubic number of bytes; where that is too much, they stay within windows around the events. Arithmetic, nothing else.

import ServerSentEvents

/// For each place of a body where a piece of the proof may begin: where the longest one ends.
///
/// A window holds an event with the ones before and after it; a piece that begins in an event reaches to the end of
/// the second one after it, so that windows overlap by two events, and whatever may happen between neighbours happens
/// in one of them.
struct ProofReach: Sendable {
  /// Where the blocks of events end, ascending; the last is the body's end.
  private let ends: [Int]
  private let count: Int
  /// No piece is longer; `count` for no limit.
  let longest: Int
  /// Whether every piece reaches to the body's end.
  var isWhole: Bool { longest >= count && windows == 0 }
  /// How many windows there are: one for each event; 0 for a proof of the whole.
  let windows: Int

  /// Pieces of this length are tried everywhere, whatever the windows say.
  var everywhere: Int { isWhole ? count : min(longest, Self.shortest, count) }
  /// So many windows have all their pieces.
  var wholeWindows: Int {
    (0..<windows).count { window in
      let start = window < 2 ? 0 : ends[window - 2]
      return ends[min(window + 1, ends.count - 1)] - start <= longest
    }
  }

  /// Shorter than this a proof says too little to be worth its while.
  static let shortest = 16

  /// Reach to the end of the body, from everywhere.
  static func whole(_ bytes: [UInt8]) -> ProofReach {
    ProofReach(ends: [bytes.count], count: bytes.count, longest: bytes.count, windows: 0)
  }

  /// Reach within windows around the events, by pieces of `longest` bytes at most.
  static func windows(in bytes: [UInt8], longest: Int) -> ProofReach {
    var ends: [Int] = []
    var parser = EventStreamParser()
    parser.append(bytes) { output, offset in if case .event = output { ends.append(offset) } }
    let events = ends.count
    if ends.last != bytes.count { ends.append(bytes.count) }
    return ProofReach(ends: ends, count: bytes.count, longest: longest, windows: max(events, 1))
  }

  private init(ends: [Int], count: Int, longest: Int, windows: Int) {
    self.ends = ends
    self.count = count
    self.longest = longest
    self.windows = windows
  }

  /// The same windows, by other pieces.
  func limited(to longest: Int) -> ProofReach {
    ProofReach(ends: ends, count: count, longest: longest, windows: windows)
  }

  /// The end of the longest piece that begins at each place in a range; for ascending places.
  func ends(from start: Int) -> (_ place: Int) -> Int {
    // The first block that ends behind the place.
    var block = ends.partitioningIndex { $0 > start }
    return { [ends, count, longest] place in
      while block < ends.count - 1, ends[block] <= place { block += 1 }
      let window = ends[min(block + 2, ends.count - 1)]
      let piece = longest >= count ? count : place + longest
      return min(max(window, place + Self.shortest), piece, count)
    }
  }

  /// About how many bytes it takes: those of all pieces, and the states that are copied for them.
  ///
  /// - Parameter held: how many bytes the parser holds at a place.
  func cost(held: (_ place: Int) -> Int) -> Double {
    var sum = 0.0
    let ends = ends(from: 0)
    for place in 0..<count {
      let reach = Double(ends(place) - place)
      sum += reach * (reach + 1) / 2 + reach * Double(held(place)) / Double(Self.copiedForOneFed)
    }
    return sum
  }

  /// Copying and comparing so many bytes of state takes as long as parsing one.
  static let copiedForOneFed = 16
}

extension ProofReach {
  /// The furthest reach for each body that the budget allows for all of them together; `nil` if not even short
  /// pieces fit.
  ///
  /// - Parameter held: how many bytes the parser holds at a place of a body.
  static func affordable(
    _ bodies: [[UInt8]], held: (_ body: Int, _ place: Int) -> Int, budget: Int
  ) -> [ProofReach]? {
    let total = bodies.reduce(0) { $0 + $1.count }
    // What every reach costs at least, before anything of the size of the bodies is gone through.
    guard Double(total) * Double(shortest * shortest) / 2 <= Double(max(budget, shortest * shortest / 2))
    else {
      return nil
    }
    func cost(_ reaches: [ProofReach]) -> Double {
      reaches.enumerated().reduce(0) { sum, item in sum + item.1.cost { held(item.0, $0) } }
    }
    let whole = bodies.map { ProofReach.whole($0) }
    if cost(whole) <= Double(budget) { return whole }
    // A long body must not cost the short ones their proof: those stay whole, up to half of the budget.
    var reaches = zip(bodies, whole).map { ProofReach.windows(in: $0, longest: $1.count) }
    var room = Double(budget) / 2
    for index in bodies.indices.sorted(by: { bodies[$0].count < bodies[$1].count }) {
      room -= whole[index].cost { held(index, $0) }
      if room < 0 { break }
      reaches[index] = whole[index]
    }
    var longest = bodies.map(\.count).max() ?? 0
    while longest >= shortest {
      let limited = reaches.map { $0.isWhole ? $0 : $0.limited(to: longest) }
      if cost(limited) <= Double(budget) { return limited }
      longest = min(longest / 2, 1 << 12)
    }
    return nil
  }
}

extension Array<Int> {
  /// The first index of a sorted array whose element fulfils what all later ones do.
  fileprivate func partitioningIndex(where isBehind: (Int) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
