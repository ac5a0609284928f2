// The oracles for redaction over bodies at random, and that the secrets they plant can be found at all.

import EventStreamFuzzing
import Testing

@Suite struct RedactionOracleTests {
  @Test("bodies at random hold all oracles", arguments: 0..<4 as Range<UInt64>)
  func randomBodies(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      "data: ", "data", "\n", "\r\n", "\r", "{", "}", "[", "]", ",", ":", "\"", "\\\"", "\\",
      "\"password\":\"",
      "\"secret\":", "\\\"api_key\\\":\\\"", "-12.5e+30", "12345678", "abcdefgh", "hunter22", "password=",
      "&", "%20",
      ": ", "id: ", "event: ", "retry: ", "\u{FEFF}", "é", "********",
    ]
    for number in 0..<60 {
      let body = (0..<generator.below(12)).flatMap { _ in Array(generator.pick(pieces).utf8) }
      let finding = Oracle.checkRedaction(body)
      #expect(finding == nil, "seed \(seed), body \(number): \(String(decoding: body, as: UTF8.self))")
    }
  }
}
