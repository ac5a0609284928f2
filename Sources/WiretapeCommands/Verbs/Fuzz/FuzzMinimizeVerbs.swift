// `wiretape fuzz tmin` and `wiretape fuzz cmin`: one input smaller, and a corpus smaller.

import EventCassettes
import Foundation

enum FuzzTminVerb {
  static let output = Option.file(
    "-o", "--output", help: "The file to write; FILE with “.small” behind it unless given.")
  static let maxTime = Option.duration("--max-time", help: "How long it may search; 60s unless given.")

  static let verb = Verb(
    name: "fuzz tmin",
    summary: "Make an input that fails smaller",
    discussion: """
      Takes blocks, lines and bytes out of an input as long as it fails in the same way. Writes the smallest that was \
      found and prints it, with how it fails. One that fails with other line ends or with a byte order mark is written with them.
      """,
    positionals: [FuzzVerb.file, FuzzVerb.targetOfFile],
    options: [output.row, maxTime.row, FuzzInitVerb.force.row, FuzzVerb.path.row],
    examples: [
      "wiretape fuzz tmin Fuzz/artifacts/FuzzEventStream/crash-1a2b3c4d",
      "wiretape fuzz tmin crash-1 FuzzEventStream -o small.sse --max-time 5m",
    ],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let file = arguments.positionals[0]
    try requireFile(file)
    let path = arguments[output] ?? file + ".small"
    if exists(path), !arguments.has(FuzzInitVerb.force) {
      throw CommandError(.cannotCreate, "\(path): this is there already", next: "--force overwrites it.")
    }
    let package = try FuzzPackage.find(in: arguments[FuzzVerb.path])
    let name = try package.target(arguments.positionals.dropFirst().first, of: file, for: "fuzz tmin")
    let done: Void? = try await uninterrupted(in: context) {
      let target = try await FuzzTarget(name, of: package, with: try await Toolchain.find(), context)
      let small = try await SmallInput(
        of: file, target, time: arguments[maxTime] ?? .seconds(60), context)
      try writeFile(path, overwriting: true) { write in try write(small.bytes) }
      let how = await small.failure.text(with: target.toolchain)
      try context.output.lines(
        [
          "\(shownPath(path)): \(counted(small.bytes.count, "byte")) of \(small.originalCount)",
          Reproduction(chunks: [Array(small.bytes.prefix(2048))], expected: [], got: []).escaped,
        ] + how)
      try context.diagnostics.lines(small.notes.map { "note: \($0)" })
    }
    return done == nil ? .interrupted : .success
  }
}

enum FuzzCminVerb {
  static let output = Option<String>(
    ["-o", "--output"], value: "DIR", completion: .folder,
    help: "Leaves the corpus as it is, and writes the smallest set out of it and the seeds to a new folder.",
    read: FuzzVerb.path.read)

  static let verb = Verb(
    name: "fuzz cmin",
    summary: "Make a corpus smaller that reaches as much",
    discussion: """
      Keeps a small set of inputs that reaches what the whole corpus reaches (libFuzzer’s set cover merge). Worth it \
      after a night: the next one starts faster.
      """,
    positionals: [FuzzVerb.target], options: [output.row, FuzzVerb.path.row],
    examples: ["wiretape fuzz cmin", "wiretape fuzz cmin FuzzEventStream -o new-seeds"],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let package = try FuzzPackage.find(in: arguments[FuzzVerb.path])
    let name = try package.target(arguments.positionals.first, for: "fuzz cmin")
    let given = arguments[output].map(absolutePath)
    if let given, exists(given) {
      throw CommandError(.cannotCreate, "\(given): this is there already", next: "Name a new folder.")
    }
    let work = package.work(name)
    guard given != nil || exists(work) else {
      throw CommandError(
        .noInput, "\(shownPath(work)): there is no corpus yet", next: "“wiretape fuzz run” makes one.")
    }
    let done: Void? = try await uninterrupted(in: context) {
      let target = try await FuzzTarget(name, of: package, with: try await Toolchain.find(), context)
      let files = FileManager.default
      let result = given ?? work + ".small"
      if given == nil { try? files.removeItem(atPath: result) }
      try makeFolder(result)
      let log = package.artifacts(name) + "/cmin.log"
      let sources = [work].filter(exists) + (given == nil ? [] : package.seedFolders(name))
      let before = try sources.reduce(0) { try $0 + files.contentsOfDirectory(atPath: $1).count }
      let run = try await target.run(
        [
          "-set_cover_merge=1", "-timeout=5", "-rss_limit_mb=2048",
          "-artifact_prefix=\(package.artifacts(name))/", result,
        ]
          + sources, isThorough: false, log: log, limit: nil)
      let kept = try files.contentsOfDirectory(atPath: result).count
      guard run.code == 0, kept > 0, !Task.isCancelled else {
        try? files.removeItem(atPath: result)
        try Task.checkCancellation()
        throw CommandError(
          .badData,
          "the merge failed (exit code \(run.code)), and nothing was changed; its log ends with:\n\(tail(of: log, lines: 12))",
          next: "The log is \(shownPath(log)).")
      }
      if given == nil {
        // The old corpus goes only when the new one is in its place.
        let old = work + ".old"
        try? files.removeItem(atPath: old)
        try files.moveItem(atPath: work, toPath: old)
        try files.moveItem(atPath: result, toPath: work)
        try files.removeItem(atPath: old)
      }
      try context.output.line("\(shownPath(given ?? work)): \(kept) of \(counted(before, "input"))")
    }
    return done == nil ? .interrupted : .success
  }
}
