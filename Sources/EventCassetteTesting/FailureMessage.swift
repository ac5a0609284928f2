// The words of a failure: what was expected, what came, where the cut is, and what to run next.

import EventCassettes
import Foundation
import ServerSentEvents

struct FailureMessage {
  let path: String
  let cassette: Cassette

  private var file: String { URL(fileURLWithPath: path).lastPathComponent }

  func split(_ finding: ChunkingFinding, smallest: String? = nil, rerun: String) -> String {
    let isWhole = finding.split == .whole
    var lines = [
      isWhole
        ? "\(file): the events are wrong, however the stream is cut."
        : "\(file): the events depend on where the stream is cut.",
      "  split:    \(finding.split) (found by \(finding.foundBy)), exchange \(finding.exchange), after \(finding.index) right events",
      "  expected: \(finding.expected ?? "nothing more")",
      "  got:      \(finding.got ?? "nothing more")",
    ]
    if let place = surroundings(of: finding.split) { lines.append("  cut at:   \(place)") }
    if let smallest { lines.append("  smallest: \(smallest)") }
    lines.append("  re-run:   \(rerun)")
    return lines.joined(separator: "\n")
  }

  func golden(_ difference: CassetteVerifier.GoldenDifference, path golden: String) -> String {
    """
    \(file): event \(difference.line) is not the golden one.
      golden:   \(golden), line \(difference.line)
      expected: \(difference.expected?.description ?? "nothing more")
      got:      \(difference.got?.description ?? "nothing more")
      re-run:   wiretape check '\(path)'
      If the new events are right: wiretape check '\(path)' --update
    """
  }

  func client(_ findings: [ReplayFinding]) -> String {
    """
    \(file): the client does not do what the recorded one did.
    \(findings.map { "  \($0)" }.joined(separator: "\n"))
      re-run:   wiretape replay '\(path)'
    """
  }

  func noGolden(_ golden: String, _ reason: String) -> String {
    """
    \(file): there is no golden file to compare with.
      looked for \(golden)
      write it with: wiretape check '\(path)' --update
      or let the test write it, which it does not now: \(reason).
    """
  }

  func unfinished() -> String {
    """
    \(file): this recording lacks its end, so no golden events were written.
      finish it with: wiretape recover '\(path)' -o FILE
    """
  }

  func recorded(_ events: Int, _ golden: String) -> String {
    """
    \(file): wrote \(events) golden events; nothing was compared, so this run fails.
      wrote:  \(golden)
      Look at them, and run the test again.
    """
  }

  func recorded() -> String {
    let events = cassette.bodies().reduce(0) {
      $0 + ($1.isEventStream ? EventStreamParser.events(in: $1.bytes).count : 0)
    }
    return """
      \(file): recorded \(cassette.exchanges.count) exchanges with \(events) events; nothing was replayed, so this run fails.
        wrote:  \(path)
        Look at it (wiretape inspect '\(path)'), and run the test again.
      """
  }

  func command(_ split: ChunkBoundaryPlan) -> String { "wiretape check '\(path)' --plans \(split)" }

  func call(_ name: String, _ split: ChunkBoundaryPlan) -> String {
    // A finding's split is `whole` or `at`.
    let plan = split.offsets.map { ".at(\($0))" } ?? ".\(split)"
    return "assertReplays(\"\(name)\", options: CheckOptions(plans: [\(plan)])) …"
  }

  /// The bytes around the first cut, with a bar at it.
  private func surroundings(of split: ChunkBoundaryPlan) -> String? {
    guard let first = split.offsets?.first else { return nil }
    var base = 0
    for exchange in cassette.exchanges {
      let body = exchange.body
      if first <= base + body.count {
        let cut = first - base
        let before = body[max(cut - 24, 0)..<cut]
        let after = body[cut..<min(cut + 24, body.count)]
        return Reproduction(chunks: [Array(before), Array(after)], expected: [], got: []).escaped
      }
      base += body.count
    }
    return nil
  }
}
