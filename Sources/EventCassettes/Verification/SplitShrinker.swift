// From many cuts that fail to few: pure search, told by a closure what still fails. It knows nothing of parsers.

/// Looks for the smallest set of cuts that still fails.
struct SplitShrinker {
  /// How many bytes the search may still feed.
  var budget: Int
  /// What one try costs in bytes.
  let cost: Int
  let fails: (_ cuts: [Int]) -> Bool

  /// The smallest failing set found: none, if the body fails uncut; one cut where a single one of `cuts` is enough;
  /// otherwise a set of which no cut can be left out (the delta-debugging minimum), as far as the budget goes.
  mutating func smallest(of cuts: [Int]) -> [Int] {
    if cuts.isEmpty || tries([]) { return [] }
    let few = minimized(cuts)
    if few.count <= 1 { return few }
    // A minimum of two may hide a single one elsewhere.
    for cut in uniqued(cuts) where !few.contains(cut) {
      if budget < cost { break }
      if tries([cut]) { return [cut] }
    }
    return few
  }

  private mutating func tries(_ cuts: [Int]) -> Bool {
    budget -= cost
    return fails(cuts)
  }

  // Zeller and Hildebrandt's ddmin: halves, then ever finer parts and their complements.
  private mutating func minimized(_ start: [Int]) -> [Int] {
    var cuts = start
    var parts = 2
    search: while cuts.count >= 2, budget >= cost {
      let size = (cuts.count + parts - 1) / parts
      let slices = stride(from: 0, to: cuts.count, by: size).map { $0..<min($0 + size, cuts.count) }
      for slice in slices where budget >= cost {
        if tries(Array(cuts[slice])) {
          cuts = Array(cuts[slice])
          parts = 2
          continue search
        }
      }
      if parts > 2 {
        for slice in slices where budget >= cost {
          let rest = Array(cuts[..<slice.lowerBound] + cuts[slice.upperBound...])
          if tries(rest) {
            cuts = rest
            parts = max(parts - 1, 2)
            continue search
          }
        }
      }
      if parts >= cuts.count { break }
      parts = min(parts * 2, cuts.count)
    }
    return cuts
  }

  private func uniqued(_ cuts: [Int]) -> [Int] {
    var last = -1
    return cuts.filter { cut in
      defer { last = cut }
      return cut != last
    }
  }
}
