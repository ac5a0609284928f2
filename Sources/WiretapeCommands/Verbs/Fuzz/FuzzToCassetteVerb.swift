// `wiretape fuzz to-cassette`: what a fuzzer found becomes a small stream, a cassette and a test. Making it small is
// CrashReducer, the test's text RegressionTest.

import EventCassettes
import Foundation
import ServerSentEvents

enum FuzzToCassetteVerb {
  static let name = Option<String>(
    ["--name"], value: "NAME",
    help: "What the fault is to be called, such as split-crlf; made up unless given."
  ) { (text: String) throws(UsageProblem) in
    let isPlain = text.utf8.allSatisfy { byte in
      let letter = byte | 0x20
      return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
    }
    guard isPlain, text.first?.isLetter == true else {
      throw UsageProblem("takes letters, digits and “-”, a letter first, such as split-crlf")
    }
    return text
  }

  static let verb = Verb(
    name: "fuzz to-cassette",
    summary: "Turn what was found into a cassette and a test",
    discussion: """
      Makes an input that fails small, as long as it fails in the same way, and keeps it as Corpus/regressions/NAME.sse, with \
      a cassette of it, cut where the fault shows. Where it fails with other line ends or with a byte order mark, it is kept \
      with them. Prints the stream with a bar at each cut, and a test function for XCTest; in a package that “fuzz init” \
      made, the test is written into Fuzz/Tests/RegressionTests, too.
      """,
    positionals: [FuzzVerb.file, FuzzVerb.targetOfFile],
    options: [name.row, FuzzTminVerb.maxTime.row, FuzzInitVerb.force.row, FuzzVerb.path.row],
    examples: [
      "wiretape fuzz to-cassette Fuzz/artifacts/FuzzEventStream/crash-1a2b3c4d",
      "wiretape fuzz to-cassette crash-1 FuzzEventStream --name split-crlf",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let file = arguments.positionals[0]
    try requireFile(file)
    let package = try FuzzPackage.find(in: arguments[FuzzVerb.path])
    let target = try package.target(
      arguments.positionals.dropFirst().first, of: file, for: "fuzz to-cassette")
    let done: Void? = try await uninterrupted(in: context) {
      let target = try await FuzzTarget(target, of: package, with: try await Toolchain.find(), context)
      let small = try await SmallInput(
        of: file, target, time: arguments[FuzzTminVerb.maxTime] ?? .seconds(60), context)
      let name = arguments[name] ?? madeUpName(of: small.failure, file)
      let test = RegressionTest(name: name, stream: small.bytes, failure: small.failure)
      let written = try write(test, small, package, overwriting: arguments.has(FuzzInitVerb.force), context)
      let subject = isFolder(package.root + "/" + FuzzTemplates.tests)
      try context.output.lines(
        await small.failure.text(with: target.toolchain) + [
          "smallest: \(test.reproduction.escaped), \(counted(small.bytes.count, "byte")) of \(small.originalCount)",
          "",
        ]
          + test.function(forSubject: subject).split(separator: "\n", omittingEmptySubsequences: false).map(
            String.init)
          + written.map { "wrote \(shownPath($0))" })
      try context.diagnostics.lines(small.notes.map { "note: \($0)" })
      if subject {
        try context.diagnostics.line(
          "It fails until the fault is fixed: swift test --package-path \(shownPath(package.folder))")
      }
    }
    return done == nil ? .interrupted : .success
  }

  /// `reference-1a2b3c4d`: what failed, and the beginning of the artifact's name.
  private static func madeUpName(of failure: FuzzFailure, _ file: String) -> String {
    let what =
      failure.kind == .finding
      ? String(failure.title.prefix { $0.isASCII && $0.isLetter }) : failure.kind.rawValue
    let hash = (file as NSString).lastPathComponent.split(separator: "-").last.map { $0.prefix(8) } ?? ""
    return "\(what.isEmpty ? "finding" : what)-\(hash.filter { $0.isASCII && ($0.isLetter || $0.isNumber) })"
  }

  private static func write(
    _ test: RegressionTest, _ small: SmallInput, _ package: FuzzPackage, overwriting: Bool,
    _ context: CommandContext
  ) throws -> [String] {
    let stream = "\(package.regressions)/\(test.name).sse"
    let cassette = "\(package.regressions)/\(test.name).cassette"
    let tests = package.root + "/" + FuzzTemplates.tests
    let source = "\(tests)/\(test.swiftName)Tests.swift"
    var paths = [stream, cassette]
    if isFolder(tests) { paths.append(source) }
    if !overwriting, let there = paths.first(where: exists) {
      throw CommandError(
        .cannotCreate, "\(there): this is there already",
        next: "Call the fault otherwise with --name, or give --force.")
    }
    try makeFolder(package.regressions)
    try writeFile(stream, overwriting: true) { write in try write(small.bytes) }
    try test.reproduction.writeCassette(
      to: cassette, overwriting: true, url: "file:\(test.name).sse",
      labels: ["fault": small.failure.lines[0]],
      context)
    if paths.contains(source) {
      try writeFile(source, overwriting: true) { write in try write(Array(test.file.utf8)) }
    }
    return paths
  }
}
