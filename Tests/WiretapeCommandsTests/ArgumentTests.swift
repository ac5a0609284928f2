// The option machinery, over a verb made for the purpose and over the tool's own table.

import Testing

@testable import WiretapeCommands

struct ArgumentTests {
  enum Tone: String, CaseIterable { case loud, quiet }

  static let count = Option.number("--count", in: 1...9, help: "So many.")
  static let wait = Option.seconds("--wait", help: "So long.")
  static let header = Option.text("-H", "--header", value: "H", repeats: true, help: "A header.")
  static let tone = Option<Tone>.choice("--tone", value: "TONE", help: "How.")
  static let force = Option.flag("--force", help: "Anyway.")
  static let output = Option.file("-o", "--output", help: "Where to.")

  func makeVerb(repeats: Bool = false) -> Verb {
    Verb(
      name: "try", summary: "Try", discussion: "Tries.",
      positionals: [
        Positional(name: "FILE", help: "What."),
        Positional(name: "MORE", isOptional: true, repeats: repeats, help: "More."),
      ],
      options: [
        Self.count.row, Self.wait.row, Self.header.row, Self.tone.row, Self.force.row, Self.output.row,
      ],
      examples: [], run: { _, _ in .success })
  }

  @Test("values stand behind their option or behind an equals sign")
  func values() throws {
    let arguments = try #require(
      try makeVerb().parse([
        "--count", "3", "a", "--wait=2.5", "-H", "x: 1", "--header=y: 2", "-Hz", "--tone", "loud", "-o", "-",
        "--force", "-",
      ]))
    #expect(arguments[Self.count] == 3)
    #expect(arguments[Self.wait] == .milliseconds(2500))
    #expect(arguments.all(Self.header) == ["x: 1", "y: 2", "z"])
    #expect(arguments[Self.tone] == .loud)
    #expect(arguments[Self.output] == "-")
    #expect(arguments.has(Self.force))
    #expect(arguments.positionals == ["a", "-"])
  }

  @Test("two dashes end the options")
  func doubleDash() throws {
    let arguments = try #require(try makeVerb().parse(["--", "--force", "--help"]))
    #expect(arguments.positionals == ["--force", "--help"])
    #expect(!arguments.has(Self.force))
  }

  @Test("help is asked for anywhere before two dashes, also beside mistakes")
  func help() throws {
    #expect(try makeVerb().parse(["--nonsense", "--help"]) == nil)
    #expect(try makeVerb().parse(["-h"]) == nil)
  }

  @Test(
    "a mistake is named",
    arguments: [
      (["a", "--cuont", "3"], "there is no option --cuont; did you mean --count?"),
      (["a", "--xyzzy"], "there is no option --xyzzy"),
      (["a", "--count"], "--count needs a value: --count N"),
      (["a", "--count", "--force"], "--count needs a value: --count N"),
      (["a", "--count", "ten"], "--count takes a whole number, such as 9"),
      (["a", "--count=10"], "--count takes 1 to 9"),
      (["a", "--count=-1"], "--count takes a whole number, such as 9"),
      (["a", "--count=99999999999999999999"], "--count takes 1 to 9"),
      (["a", "--count=1", "--count=2"], "--count was given twice"),
      (["a", "--wait", "90s"], "--wait takes seconds, such as 30 or 2.5"),
      (["a", "--wait", "0"], "--wait takes seconds above 0, such as 30 or 2.5"),
      (["a", "--tone", "soft"], "--tone takes loud or quiet, not “soft”"),
      (["a", "--force=yes"], "--force takes no value"),
      (["a", "-x"], "there is no option -x"),
      ([], "FILE is missing"),
      (["a", "b", "c"], "“c” is one argument too many"),
    ])
  func mistakes(words: [String], message: String) throws {
    let error = #expect(throws: CommandError.self) { try makeVerb().parse(words) }
    #expect(error?.code == .usage)
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    #expect(error?.next == "“wiretape help try” shows what try takes.")
  }

  @Test("the last positional argument may repeat")
  func repeating() throws {
    #expect(try makeVerb(repeats: true).parse(["a", "b", "c", "d"])?.positionals == ["a", "b", "c", "d"])
  }

  @Test(
    "seconds are read to the microsecond",
    arguments: [
      ("1", 1_000_000), ("1.", 1_000_000), (".5", 500_000), ("0.000001", 1), ("2.1234567", 2_123_456),
      ("9999999999", 9_999_999_999_000_000),
    ] as [(String, Int64)])
  func seconds(text: String, microseconds: Int64) throws {
    #expect(try readSeconds(text) == .microseconds(microseconds))
  }

  @Test(
    "what is no number of seconds",
    arguments: ["", ".", "-1", "+1", "1e3", "1s", "1.5.2", "nan", "inf", "99999999999", "１"])
  func notSeconds(text: String) {
    #expect(throws: UsageProblem.self) { try readSeconds(text) }
  }

  @Test(
    "durations have a unit",
    arguments: [("90s", 90), ("15m", 900), ("8h", 28_800), ("1d", 86_400)] as [(String, Int64)])
  func durations(text: String, seconds: Int64) throws {
    #expect(try Option.duration("--max-time", help: "").read(text) == .seconds(seconds))
    #expect(throws: UsageProblem.self) {
      try Option.duration("--max-time", help: "").read(String(text.dropLast()))
    }
  }
}

struct HelpTests {
  @Test(
    "every verb's help fits 80 columns and ends in two or three examples", arguments: Verb.all.map(\.name))
  func help(name: String) throws {
    let verb = try #require(Verb.all.first { $0.name == name })
    #expect((2...3).contains(verb.examples.count))
    for example in verb.examples { #expect(example.contains("wiretape \(name)"), "\(example)") }
    let text = verb.help.split(separator: "\n", omittingEmptySubsequences: false)
    let examples = text.firstIndex(of: "Examples:") ?? text.endIndex
    for line in text[..<examples] { #expect(line.count <= 80, "\(line)") }
    #expect(text.suffix(verb.examples.count).map { String($0.dropFirst(2)) } == verb.examples)
  }

  @Test("what a verb can't do without stands in its first line")
  func requiredOptions() {
    let lines = Verb.all.map { String($0.help.prefix { $0 != "\n" }) }
    for line in [
      "Usage: wiretape record URL -o FILE [OPTIONS]", "Usage: wiretape export FILE --to FORMAT [OPTIONS]",
      "Usage: wiretape minimize FILE -o FILE --subject CMD [OPTIONS]",
      "Usage: wiretape check FILE… [OPTIONS]",
    ] {
      #expect(lines.contains(line), "\(lines)")
    }
  }

  @Test("no two options of a verb share a spelling", arguments: Verb.all.map(\.name))
  func spellings(name: String) throws {
    let names = try #require(Verb.all.first { $0.name == name }).options.flatMap(\.names) + ["-h", "--help"]
    #expect(Set(names).count == names.count)
    for name in names { #expect(name.hasPrefix("--") || name.count == 2) }
  }

  @Test("help of the tool lists every verb and every exit code")
  func overview() async {
    let run = await wiretape("--help")
    #expect(run.code == .success)
    for verb in Verb.all { #expect(run.output.contains("  \(verb.name)")) }
    for code in ExitCode.allCases { #expect(run.output.contains("  \(code.rawValue) ")) }
    #expect(await wiretape("help").output == run.output)
    #expect(await wiretape("help", "parse").output == wiretape("parse", "--help").output)
  }

  @Test("no verb: help as a usage error")
  func nothing() async {
    let run = await wiretape()
    #expect(run.code == .usage)
    #expect(run.output.isEmpty)
    #expect(run.diagnostics.contains("Usage: wiretape VERB"))
  }

  @Test("an unknown verb is answered with the nearest", arguments: ["prase", "parsed", "par"])
  func unknownVerb(word: String) async {
    let run = await wiretape(word)
    #expect(run.code == .usage)
    #expect(run.diagnostics.contains("there is no verb “\(word)”; did you mean “parse”?"))
    #expect(await wiretape("help", word).code == .usage)
  }

  @Test("options before the verb")
  func early() async {
    #expect(await wiretape("--version").output == "wiretape \(Wiretape.version)\n")
    let run = await wiretape("--json", "parse", "-")
    #expect(run.code == .usage)
    #expect(run.diagnostics.contains("options stand behind one"))
  }
}
