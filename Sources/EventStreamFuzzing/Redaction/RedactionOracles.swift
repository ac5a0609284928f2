// What must hold for the redaction of any body: nothing moves, nothing depends on where chunks end but what a stream
// can't take back, and what is known to be secret is never seen again.

import EventCassettes
import ServerSentEvents

extension Oracle {
  /// Every oracle for redaction. Inputs are bodies: event streams, JSON, forms, or anything else.
  public static let redactions: [Oracle] = [
    redactionCuts, redactionStructure, redactionEchoes,
  ]

  /// Holds redaction to every oracle. `nil` if all hold.
  public static func checkRedaction(_ input: [UInt8]) -> Finding? {
    for oracle in redactions {
      if let finding = oracle.check(input) { return finding }
    }
    return nil
  }

  static let redactionCuts = Oracle(
    name: "redactionCuts",
    statement: "Every chunk keeps its length, and what is masked byte by byte is masked under every cut."
  ) { input in
    guard let filter = standardFilter() else { return noFilter }
    for kind in RedactedBody.Kind.kinds(of: input) {
      let byByte = RedactedBody(input, kind, .byteByByte(input.count), filter).bytes
      for delivery in deliveries(of: input) + splits(of: input) {
        let redacted = RedactedBody(input, kind, delivery, filter)
        let lengths = delivery.chunks(of: input).map(\.count)
        if redacted.chunks.map(\.count) != lengths {
          return finding(
            "redactionCuts", delivery, "\(kind) chunks of \(lengths) bytes", "\(redacted.chunks.map(\.count))"
          )
        }
        if let place = firstWrongMask(input, redacted.bytes, atLeast: byByte) {
          return finding(
            "redactionCuts", delivery, "\(kind) at \(place): as in \(text(byByte))", text(redacted.bytes))
        }
      }
    }
    return nil
  }

  static let redactionStructure = Oracle(
    name: "redactionStructure", statement: "A masked event stream has the same outputs at the same offsets."
  ) { input in
    guard let filter = standardFilter() else { return noFilter }
    let redacted = RedactedBody(input, .eventStream, .hashed(input), filter).bytes
    let (before, after) = (kindsAndOffsets(input), kindsAndOffsets(redacted))
    return before == after
      ? nil : finding("redactionStructure", .hashed(input), "\(before)", "\(after) in \(text(redacted))")
  }

  static let redactionEchoes = Oracle(
    name: "redactionEchoes",
    statement: "A secret that is known is masked wherever it stands, in every spelling and under every cut."
  ) { input in
    guard let filter = standardFilter() else { return noFilter }
    var generator = SeededGenerator(hashing: input)
    let secret = PlantedSecret(using: &generator)
    for kind in RedactedBody.Kind.kinds(of: input) {
      let spelling = generator.pick(secret.spellings)
      let place = generator.below(input.count + 1)
      // A member that says what the secret is, in an event of its own; elsewhere a header has said so.
      let isMember = kind == .eventStream && generator.below(2) == 0
      let beginning = isMember ? input[..<place] + secret.member : input[..<place]
      let body = Array(beginning + spelling + input[place...])
      let range = beginning.count..<beginning.count + spelling.count
      for delivery in deliveries(of: body) {
        let redacted = RedactedBody(body, kind, delivery, filter, secret: isMember ? "" : secret.text)
        let seen = longestRun(in: range) { redacted.bytes[$0] == body[$0] }
        if seen >= PlantedSecret.shortest {
          return finding(
            "redactionEchoes", delivery, "\(text(spelling)) masked at \(range.lowerBound)",
            "\(kind) \(text(redacted.bytes))")
        }
      }
    }
    return nil
  }

  // MARK: Parts

  /// Made once for a check and copied for each body: making it costs more than a short body does.
  private static func standardFilter() -> RedactionFilter? { try? RedactionFilter(rules: .standard) }

  private static let noFilter = finding("redaction", .whole, "the standard rules to be valid", "an error")

  private static func splits(of input: [UInt8]) -> [Delivery] {
    input.count <= 24 ? Delivery.everySplit(input.count) : []
  }

  /// The first byte that is neither as it came nor masked, or is masked under other cuts alone.
  private static func firstWrongMask(_ raw: [UInt8], _ redacted: [UInt8], atLeast byByte: [UInt8]) -> Int? {
    raw.indices.first { index in
      if redacted[index] == raw[index] { return byByte[index] != raw[index] }
      let isDigit = (0x30...0x39).contains(raw[index])
      return redacted[index] != UInt8(ascii: "*") && !(isDigit && redacted[index] == UInt8(ascii: "1"))
    }
  }

  private static func kindsAndOffsets(_ stream: [UInt8]) -> [String] {
    Trace(stream, .whole).items.map { item in
      let kind =
        switch item.output {
        case .event: "event"
        case .comment: "comment"
        case .retry: "retry"
        case .dropped: "dropped"
        case .failed: "failed"
        }
      return "\(kind)@\(item.offset)"
    }
  }

  private static func longestRun(in range: Range<Int>, where isSeen: (Int) -> Bool) -> Int {
    var (longest, run) = (0, 0)
    for index in range {
      run = isSeen(index) ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }

  private static func text(_ bytes: [UInt8]) -> String {
    String(reflecting: String(decoding: bytes, as: UTF8.self))
  }

  private static func finding(
    _ oracle: String, _ delivery: Delivery, _ expected: String, _ got: String
  ) -> Finding {
    Finding(oracle: oracle, delivery: delivery.description, expected: expected, got: got)
  }
}
