import Testing

@testable import EventCassettes

/// The short way has to leave the lexer where the long way does, byte for byte.
@Suite struct SecretLexerSkipTests {
  /// What JSON is made of, whole and broken, at every depth of escaping; and what the short way has to stop at.
  static let pieces = [
    "\"password\":\"", "\"Secret\": ", "{\\\"api_key\\\":\\\"",
    "\"", "\\\"", "\\\\\\\"", "\\", "password", "pass_WORD", "p\\u0061ssword", "Secret", "content", "a",
    "api-key", ":", ": ",
    ",", "{", "}", "[", "]", "12.5", "hunter2hunter2", "\n", "\r\n", "?", "#", "\u{E9}",
    String(repeating: "x", count: 90),
  ]

  @Test(arguments: [false, true]) func theShortWayChangesNothing(stringsEndAtLineEnds: Bool) throws {
    let names: Set<[UInt8]> = Set(["password", "secret", "apikey"].map { Array($0.utf8) })
    var generator = SplitMix64(seed: 7)
    var passed = 0
    var masked = 0
    for round in 0..<3_000 {
      let text = (0..<1 + round % 40).map { _ in
        Self.pieces[Int(generator.next(below: UInt64(Self.pieces.count)))]
      }
      let bytes = Array(text.joined().utf8)
      var long = SecretLexer(names: MemberNames(names), stringsEndAtLineEnds: stringsEndAtLineEnds)
      var short = long
      var index = 0
      while index < bytes.count {
        // As in chunks: the short way sees a piece of the bytes.
        let end = min(bytes.count, index + 1 + Int(generator.next(below: 50)))
        let taken = short.skip(bytes.span.extracting(0..<end), from: index)
        passed += taken
        for place in index..<index + taken {
          #expect(long.feed(bytes[place]) == .keep, "\(text) at \(place)")
          #expect(long.finished == nil && long.name == nil && long.held == 0, "\(text) at \(place)")
        }
        index += taken
        guard index < end else { continue }
        let verdict = long.feed(bytes[index])
        #expect(short.feed(bytes[index]) == verdict, "\(text) at \(index)")
        #expect(short.name == long.name && short.held == long.held, "\(text) at \(index)")
        #expect(short.finished?.spelling == long.finished?.spelling, "\(text) at \(index)")
        if verdict == .maskText || verdict == .maskDigit { masked += 1 }
        index += 1
      }
    }
    #expect(passed > 10_000 && masked > 1_000, "both ways must be gone")
  }
}
