// How findings of checks read: the split that parses back, what was expected, what came.

import EventCassettes

extension ChunkingFinding {
  /// The lines of a finding.
  var text: [String] {
    [
      "split: \(split)", "expected: \(expected.map { printable($0) } ?? "nothing more")",
      "got: \(got.map { printable($0) } ?? "nothing more")",
    ]
      + (isRepeatable
        ? []
        : [
          "It passed when this stream was tried again: what it does depends on more, such as on the streams before."
        ])
  }
}

extension PlanRun {
  /// `hostile`, `each: 812 of 40,000 splits, sampled`.
  var text: String {
    guard plan == .each else { return plan.description }
    return isSample
      ? "each: \(replays) of \(possible) splits, the hostile ones and a seeded sample"
      : "each: \(counted(replays, "split"))"
  }
}

extension ChunkingCertainty {
  /// One clause for people.
  var text: String {
    switch self {
    case .proved: "proved for every chunking there is"
    case .provedInWindows(0, let all, let longest, _):
      "sampled, not proved (0 of \(counted(all, "window"))), but for chunks of up to \(longest) bytes"
    case .provedInWindows(let windows, let all, let longest, _):
      "proved for chunks within "
        + (windows == all ? counted(all, "window") : "\(windows) of \(counted(all, "window"))")
        + ", each an event with its neighbours, and for all of up to \(longest) bytes"
    case .sampled(let reason): "not proved (\(reason))"
    }
  }
}
