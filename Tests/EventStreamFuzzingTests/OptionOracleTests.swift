// The oracle for text forms: that it holds for ours is CorpusTests' business, that it can fail is shown here.

import EventStreamFuzzing
import Testing

@Suite struct OptionOracleTests {
  private struct Number: Equatable, CustomStringConvertible, Sendable {
    var value: Int
    var description: String { "\(value)" }
  }

  private struct Unreadable: Error, CustomStringConvertible {
    var description: String
  }

  @Test("a form that prints what it read, and quotes what it can't read, is fine")
  func fine() {
    let form = TextForm("number") { text in
      guard let value = Int(text) else { throw Unreadable(description: "‘\(text)’ is no number") }
      return Number(value: value)
    }
    for text in ["", "1", "+1", "x", "‘", "12x"] { #expect(form.check(text) == nil, "\(text)") }
  }

  @Test("what has one spelling must print as it was read")
  func exact() {
    let form = TextForm("number", isExact: true) { Number(value: Int($0) ?? 0) }
    #expect(form.check("12") == nil)
    #expect(form.check("+12")?.got == "12")
  }

  @Test("a value that its own text doesn't give back is a finding")
  func roundTrip() {
    let form = TextForm("number") { Number(value: (Int($0) ?? 0) / 2) }
    #expect(form.check("8")?.oracle == "number")
  }

  @Test("an error that doesn't say what is wrong is a finding, and so is one without an end")
  func errors() {
    let silent = TextForm("number") { (_: String) -> Number in throw Unreadable(description: "no number") }
    #expect(silent.check("x")?.got == "no number")
    let endless = TextForm("number") { (text: String) -> Number in
      throw Unreadable(description: String(repeating: "‘\(text)’ ", count: 1_000))
    }
    #expect(endless.check("x") != nil)
  }
}
