// `wiretape fuzz`: the group of verbs that drive libFuzzer targets, and what they have in common. Each verb has a file
// of its own beside this one; how things are done is in Fuzzing.

enum FuzzVerb {
  static let path = Option<String>(
    ["--path"], value: "DIR", completion: .folder,
    help: "The package; unless given, the one around the working folder."
  ) { (text: String) throws(UsageProblem) in
    guard !text.isEmpty else { throw UsageProblem("takes a folder, and got an empty name") }
    return text
  }
  static let json = Option.flag("--json", help: "Prints JSON lines.")

  static let target = Positional(
    name: "TARGET", isOptional: true, completion: .none,
    help: "The fuzz target; may be left out where there is one only. “fuzz list” shows them.")
  /// For verbs that take an input.
  static let targetOfFile = Positional(
    name: "TARGET", isOptional: true, completion: .none,
    help: "Its fuzz target; told by the file’s folder unless given.")
  static let file = Positional(name: "FILE", help: "An input that fails, such as one in Fuzz/artifacts.")

  static let verb = Verb(
    group: "fuzz", summary: "Fuzz parsers with libFuzzer, overnight",
    discussion: """
      Builds the fuzz targets of a package with the Swift toolchain’s libFuzzer and AddressSanitizer, runs them for as \
      long as you like, and turns what they find into tests. “fuzz init” adds targets to a package of yours.
      """,
    notes: [
      Verb.Note(
        heading: "Files",
        text: """
          Fuzz is a package in your package. Fuzz/work/TARGET is the corpus, which grows from run to run; \
          Fuzz/artifacts/TARGET has the findings (findings.json lists them), a folder with the logs and the \
          summary of each run, and build.log; Fuzz/artifacts/summary.txt and summary.json tell of the last run. Corpus/seeds is where every run \
          begins, Corpus/regressions where findings are kept for tests.
          """)
    ],
    examples: [
      "wiretape fuzz init", "wiretape fuzz run --overnight 8h",
      "wiretape fuzz to-cassette Fuzz/artifacts/FuzzEventStream/crash-1a2b3c4d",
    ],
    members: [
      FuzzInitVerb.verb,
      FuzzRunVerb.verb,
      FuzzListVerb.verb,
      FuzzReproVerb.verb,
      FuzzToCassetteVerb.verb,
      FuzzTminVerb.verb,
      FuzzCminVerb.verb,
      FuzzCoverageVerb.verb,
    ])
}
