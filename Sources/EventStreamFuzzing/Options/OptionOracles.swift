// What must hold for everything that a person or a server may write where one of a few forms is expected: the text of
// a boundary plan, Retry-After, Content-Type. Inputs are a line of text and, after it, the bytes that a plan is to cut.

import EventCassettes
import ServerSentEvents

extension Oracle {
  /// Every oracle for texts that are read as values. Inputs are a line of text, then a body.
  public static let options: [Oracle] = [planText, planCuts, retryAfter, contentType]

  /// Holds the readers of texts to every oracle. `nil` if all hold.
  public static func checkOptions(_ input: [UInt8]) -> Finding? {
    for oracle in options {
      if let finding = oracle.check(input) { return finding }
    }
    return nil
  }

  /// The line of text that an input for these oracles begins with.
  public static func optionText(of input: [UInt8]) -> String {
    String(decoding: input.prefix { $0 != 0x0A }, as: UTF8.self)
  }

  static let planText = Oracle(
    name: "planText", statement: "A plan prints as it was read; an error quotes what can't be read."
  ) { input in
    TextForm("planText", isExact: true) { try ChunkBoundaryPlan(parsing: $0) }.check(optionText(of: input))
  }

  static let planCuts = Oracle(
    name: "planCuts", statement: "A plan cuts inside the body, in order, the same however the body came."
  ) { input in
    guard let plan = try? ChunkBoundaryPlan(parsing: optionText(of: input)) else { return nil }
    func finding(_ expected: String, _ got: String) -> Finding {
      Finding(oracle: "planCuts", delivery: plan.description, expected: expected, got: got)
    }
    let body = Array(input.drop { $0 != 0x0A }.dropFirst())
    let cuts = plan.cuts(in: body)
    if !cuts.allSatisfy({ 0 < $0 && $0 < body.count }) || cuts != cuts.sorted() {
      return finding("offsets within \(body.count) bytes, in order", "\(cuts)")
    }
    let pieces = cut(body, .whole, plan)
    if pieces.flatMap({ $0 }) != body { return finding("pieces that are the body", "\(pieces)") }
    if plan != .recorded, plan != .each {
      for delivery in [Delivery.byteByByte(body.count), .hashed(body)]
      where cut(body, delivery, plan) != pieces {
        return finding("\(pieces)", "\(cut(body, delivery, plan)) from \(delivery)")
      }
    }
    let most = plan == .each ? max(body.count - 1, 0) : 1
    let variants = plan.variants(bodyLengths: [body.count]).reduce(0) { count, _ in count + 1 }
    return variants == most ? nil : finding("\(most) variants", "\(variants)")
  }

  static let retryAfter = Oracle(
    name: "retryAfter",
    statement: "Retry-After gives a wait within its bounds, whatever the letter case and the date."
  ) { input in
    let text = optionText(of: input)
    var generator = SeededGenerator(hashing: input)
    let now = generator.pick([0, 951_782_400, 1_700_000_000, 253_402_300_799, Int64.max, Int64.min, -1])
    let value = RetryAfter(text, now: now)
    func finding(_ expected: String, _ got: RetryAfter?) -> Finding {
      Finding(
        oracle: "retryAfter", delivery: "now \(now)", expected: expected, got: String(describing: got))
    }
    if let wait = value?.delay(now: now), !(0...RetryAfter.longestDelay).contains(wait) {
      return finding("a wait from 0 to \(RetryAfter.longestDelay)", value)
    }
    for other in [asciiLowercased(text), "\t " + text + " \t"] {
      let again = RetryAfter(other, now: now)
      if again != value { return finding("\(String(describing: value)) from \(other)", again) }
    }
    return nil
  }

  static let contentType = Oracle(
    name: "contentType",
    statement: "A content type is read the same in any letter case, and has no parameters."
  ) { input in
    let text = optionText(of: input)
    func read(_ value: String) -> String? {
      EventStreamResponse(status: 200, headers: [HeaderField("Content-Type", value)]).contentType
    }
    let type = read(text)
    let parts = type?.split(separator: "/", omittingEmptySubsequences: false) ?? ["a", "b"]
    let isEssence =
      parts.count == 2 && !parts.contains("") && !parts.joined().utf8.contains { " ;,\"".utf8.contains($0) }
    if isEssence, read(asciiLowercased(text)) == type, type.map(read) ?? nil == type { return nil }
    return Finding(
      oracle: "contentType", delivery: "whole",
      expected: "a type and a subtype of \(String(reflecting: text))",
      got: String(describing: type))
  }

  // MARK: Parts

  private static func cut(_ body: [UInt8], _ delivery: Delivery, _ plan: ChunkBoundaryPlan) -> [[UInt8]] {
    var cutter = ChunkCutter(plan: plan)
    var pieces = delivery.chunks(of: body).flatMap { cutter.append(Array($0), at: .zero) }
    if let last = cutter.endExchange() { pieces.append(last) }
    return pieces.map(\.bytes)
  }

  private static func asciiLowercased(_ text: String) -> String {
    String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
