// What the set of known secrets holds and finds, without a body around it.

import Testing

@testable import EventCassettes

@Suite struct SecretSetTests {
  /// The bytes of a text that are found, and the place from which on it is undecided.
  private func found(_ set: SecretSet, _ text: String) -> (bytes: Set<Int>, undecided: Int) {
    var bytes: Set<Int> = []
    let place = set.scan(Array(text.utf8), from: 0) { bytes.formUnion($0) }
    return (bytes, place)
  }

  /// Adds a value, and holds that it was new, or wasn't.
  private func add(
    _ value: String, to set: inout SecretSet, isNew expected: Bool = true,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let isNew = set.add(Array(value.utf8))
    #expect(isNew == expected, "\(value)", sourceLocation: sourceLocation)
  }

  /// Text of so many bytes in which no eight come again.
  private func text(_ count: Int) -> String {
    var (text, number) = ("", 0)
    while text.utf8.count < count {
      text += "\(number)-"
      number += 1
    }
    return String(text.prefix(count))
  }

  @Test("a value is new once, however it is spelled")
  func newOnce() {
    var set = SecretSet()
    for value in ["plain-1234567", "of two words", "a\u{1}b", "two\nlines of it", text(500) + "\u{1}"] {
      add(value, to: &set)
      add(value, to: &set, isNew: false)
    }
    // A short value is looked for where a spelling of it is long enough.
    #expect(found(set, "a%01b a\\u0001b!").bytes == Set(6..<14))
  }

  @Test("what was forgotten is looked for again once it is met again, in every spelling")
  func forgotten() {
    var set = SecretSet()
    let value = "first of all/"
    let spellings = [value, "first%20of%20all%2F", #"first of all\/"#]
    add(value, to: &set)
    var number = 0
    while found(set, value + "!").bytes.count > 0 {
      number += 1
      _ = set.add(Array("secret-\(number)".utf8))
    }
    #expect(number <= SecretSet.mostEntries)
    add(value, to: &set)
    for spelling in spellings { #expect(found(set, spelling + "!").bytes == Set(0..<spelling.utf8.count)) }
    add(value, to: &set, isNew: false)
  }

  @Test(
    "a long value is found whole, broken off at any place, and nowhere else",
    arguments: [64, 65, 72, 121, 300])
  func pieces(length: Int) {
    var set = SecretSet()
    let value = text(length)
    add(value, to: &set)
    #expect(found(set, "-" + value + "!").bytes == Set(1...length))
    for end in SecretSet.shortest..<length {
      let begun = String(value.prefix(end))
      let (bytes, undecided) = found(set, begun)
      #expect(undecided < end, "at \(end)")
      let bytesLeft = Array(begun.utf8)
      let left = (undecided..<end).first { set.unfinished(bytesLeft, at: $0) > 0 }
      #expect(bytes.union((left ?? end)..<end) == Set(0..<end), "broken off at \(end)")
    }
    // The end of it alone is no more than other text.
    #expect(found(set, "." + value.suffix(SecretSet.longestPiece - 1) + "!").bytes.isEmpty)
  }

  @Test("however many long values begin alike, little is held and compared")
  func alike() {
    var set = SecretSet()
    let beginning = String(repeating: "a", count: 8_000)
    for number in 1_000..<1_128 { add("\(beginning)b\(number)", to: &set) }
    let (bytes, undecided) = found(set, beginning)
    #expect(bytes == Set(0..<8_000))
    #expect(beginning.utf8.count - undecided < SecretSet.longestPiece)
    #expect(found(set, beginning + "c").undecided == 8_001)
  }

  @Test("of values that begin with each other the longest is found")
  func nested() {
    var set = SecretSet()
    for value in ["abcdefgh", "abcdefghij", "abcdefghijkx", "abcdefghia", "abcdefgz"] {
      add(value, to: &set)
    }
    #expect(found(set, "abcdefghijky").bytes == Set(0..<10))
    #expect(found(set, "abcdefghijkx").bytes == Set(0..<12))
    #expect(found(set, "abcdefghij").undecided == 0)
    #expect(found(set, "abcdefghb").bytes == Set(0..<8))
    #expect(found(set, "abcdefgy").bytes.isEmpty)
  }
}
