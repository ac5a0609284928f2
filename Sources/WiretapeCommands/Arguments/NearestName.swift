// The nearest known name for a mistyped one.

/// The candidate that takes the fewest single-letter edits (a swap counts as one), if that is few enough to be a
/// typing mistake.
func nearest(to typed: String, in candidates: [String]) -> String? {
  let scored = candidates.map { (name: $0, distance: editDistance(typed, $0)) }
  if let best = scored.min(by: { $0.distance < $1.distance }), best.distance <= max(1, typed.utf8.count / 3) {
    return best.name
  }
  let begun = candidates.filter { typed.utf8.count >= 3 && $0.hasPrefix(typed) }
  return begun.count == 1 ? begun[0] : nil
}

/// Optimal string alignment distance. Long words are cut: names are short, and arguments may not be.
private func editDistance(_ first: String, _ second: String) -> Int {
  let a = Array(first.utf8.prefix(64))
  let b = Array(second.utf8.prefix(64))
  var rows = Array(repeating: Array(repeating: 0, count: b.count + 1), count: a.count + 1)
  for i in 0...a.count { rows[i][0] = i }
  for j in 0...b.count { rows[0][j] = j }
  guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
  for i in 1...a.count {
    for j in 1...b.count {
      var best = min(
        rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
      rows[i][j] = best
    }
  }
  return rows[a.count][b.count]
}
