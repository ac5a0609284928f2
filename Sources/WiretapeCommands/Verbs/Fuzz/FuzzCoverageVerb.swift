// `wiretape fuzz coverage`: what the corpus reaches, by the toolchain's llvm-profdata and llvm-cov. How their numbers
// are read is CoverageReport.

import Foundation

enum FuzzCoverageVerb {
  static let verb = Verb(
    name: "fuzz coverage",
    summary: "Show which regions of the source a corpus reaches",
    discussion: """
      Builds the target with a profile, runs every input of its corpus and the seeds once, and lists the source files of \
      the package with the regions that were never run. The same as pages to look at is in \
      Fuzz/artifacts/TARGET/coverage/html. Inputs that fail are left out, and said.
      """,
    positionals: [FuzzVerb.target], options: [FuzzVerb.path.row, FuzzVerb.json.row],
    examples: ["wiretape fuzz coverage", "wiretape fuzz coverage FuzzEventStream --json"],
    run: { try await run($0, $1) })

  private static func run(_ arguments: Arguments, _ context: CommandContext) async throws -> ExitCode {
    let package = try FuzzPackage.find(in: arguments[FuzzVerb.path])
    let name = try package.target(arguments.positionals.first, for: "fuzz coverage")
    let isJSON = arguments.has(FuzzVerb.json)
    let done: Void? = try await uninterrupted(in: context) {
      let toolchain = try await Toolchain.find()
      let target = try await FuzzTarget(name, of: package, for: .coverage, with: toolchain, context)
      let folder = package.artifacts(name) + "/coverage"
      try makeFolder(folder)
      let profile = try await profile(of: target, in: folder, context)
      let report = try await report(of: target, profile: profile, in: folder)
      try context.output.lines(
        isJSON ? report.files.map { json($0, below: package.root) } : text(report, package, folder))
    }
    return done == nil ? .interrupted : .success
  }

  /// Runs the corpus, and leaves out what fails: a program that fails writes no profile.
  private static func profile(
    of target: FuzzTarget, in folder: String, _ context: CommandContext
  ) async throws -> String {
    let corpus = try FuzzCorpus(of: target.name, in: target.package, copiedTo: folder)
    defer { corpus.removeCopies() }
    let (raw, log) = (folder + "/raw.profraw", folder + "/run.log")
    while true {
      let run = try await target.run(
        [
          "-runs=0", "-timeout=20", "-rss_limit_mb=4096", "-artifact_prefix=\(folder)/", corpus.work,
          corpus.seeds,
        ],
        isThorough: true, environment: ["LLVM_PROFILE_FILE": raw], log: log, limit: nil)
      try Task.checkCancellation()
      if run.code == 0 { break }
      guard let artifact = run.facts.artifact, let bytes = FileManager.default.contents(atPath: artifact),
        corpus.remove(bytes)
      else {
        throw CommandError(
          .badData,
          "\(target.name) fails on its corpus (exit code \(run.code)); the log ends with:\n\(tail(of: log, lines: 12))",
          next: "The log is \(shownPath(log)).")
      }
      try context.diagnostics.line(
        "left out, for it fails: \(shownPath(artifact)) (\(brief(run.failure?.title ?? "")))")
    }
    let merged = folder + "/merged.profdata"
    _ = try await Toolchain.output(
      of: target.toolchain.tool("llvm-profdata"), ["merge", "-sparse", raw, "-o", merged])
    try? FileManager.default.removeItem(atPath: raw)
    return merged
  }

  private static func report(
    of target: FuzzTarget, profile: String, in folder: String
  ) async throws -> CoverageReport {
    let tool = try target.toolchain.tool("llvm-cov")
    let package = target.package
    let export = try await Toolchain.output(
      of: tool, ["export", "-format=text", "-skip-expansions", "-instr-profile=\(profile)", target.program])
    let report: CoverageReport
    do {
      report = try CoverageReport(json: Data(export.utf8)) { path in
        path.hasPrefix(package.root + "/") && !path.hasPrefix(package.folder + "/")
          && !path.contains("/.build")
      }
    } catch {
      throw CommandError(
        .unavailable, "what llvm-cov prints can’t be read: \(error)", next: "Is it a newer toolchain?")
    }
    guard !report.files.isEmpty else {
      throw CommandError(
        .badData, "\(target.name) runs no source file of \(shownPath(package.root))",
        next: "Does it name your parser?")
    }
    let html = folder + "/html"
    try? FileManager.default.removeItem(atPath: html)
    _ = try await Toolchain.output(
      of: tool,
      ["show", "-format=html", "-output-dir=\(html)", "-instr-profile=\(profile)", target.program]
        + report.files.map(\.path))
    return report
  }

  private static func text(_ report: CoverageReport, _ package: FuzzPackage, _ folder: String) -> [String] {
    var lines: [String] = []
    for file in report.files {
      let path = String(file.path.dropFirst(package.root.utf8.count + 1))
      lines.append(
        "\(path): \(file.coveredRegions) of \(counted(file.regions, "region")), "
          + percentage(file.coveredRegions, of: file.regions))
      lines += file.uncovered.map { "  \(path):\($0.line):\($0.column) to \($0.endLine):\($0.endColumn)" }
    }
    let total = report.total
    return lines + [
      "total: \(total.covered) of \(counted(total.all, "region")), \(percentage(total.covered, of: total.all))",
      "pages: \(shownPath(folder))/html/index.html",
    ]
  }

  private static func json(_ file: CoverageReport.File, below root: String) -> String {
    var line = JSONLine()
    line.add("file", String(file.path.dropFirst(root.utf8.count + 1)))
    line.add("regions", file.regions)
    line.add("coveredRegions", file.coveredRegions)
    line.add("lines", file.lines)
    line.add("coveredLines", file.coveredLines)
    line.add(
      "uncovered",
      json: jsonArray(
        file.uncovered.map { region in
          var line = JSONLine()
          line.add("line", region.line)
          line.add("column", region.column)
          line.add("endLine", region.endLine)
          line.add("endColumn", region.endColumn)
          return line.closed
        }))
    return line.closed
  }
}
