// A fuzz target that is built and ready to be run, on one input or on many.

import ChildProcesses
import EventCassettes
import Foundation

/// A built fuzz target.
struct FuzzTarget: Sendable {
  let name: String
  let package: FuzzPackage
  let toolchain: Toolchain
  /// The path of the program.
  let program: String

  /// What one run left behind.
  struct Run: Sendable {
    var code: Int32
    /// The path of the log.
    var log: String
    var facts: FuzzLog

    /// What failed; `nil` if nothing did. A program that ends in a way which its log doesn't tell of failed, too.
    var failure: FuzzFailure? {
      if let failure = facts.failure { return failure }
      return code == 0 ? nil : FuzzFailure(exitCode: code)
    }
  }
}

extension FuzzTarget {
  /// Builds it.
  init(
    _ name: String, of package: FuzzPackage, for purpose: FuzzBuild.Purpose = .fuzzing,
    with toolchain: Toolchain, _ context: CommandContext
  ) async throws {
    self.name = name
    self.package = package
    self.toolchain = toolchain
    program = try await FuzzBuild(name, of: package, for: purpose, with: toolchain, context).program
  }

  /// Runs the program with these words, in the folder of the fuzz package.
  ///
  /// - Parameters:
  ///   - isThorough: every oracle and whole stacks, for one input; otherwise what is fast.
  ///   - environment: goes before what the build asks for.
  ///   - limit: seconds after which it is killed.
  func run(
    _ words: [String], isThorough: Bool, environment: [String: String] = [:], log: String, limit: Double?
  ) async throws -> Run {
    let code = try await LoggedProcess(
      program: program, arguments: words,
      environment: FuzzBuild.environment(of: package, with: toolchain, isThorough: isThorough)
        .merging(environment) { $1 },
      folder: package.folder, log: log, interruption: .graceful, limit: limit
    ).run()
    let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
    return Run(code: code, log: log, facts: FuzzLog(text))
  }

  /// Runs one input through every oracle.
  func reproduce(_ input: String) async throws -> Run {
    let folder = package.artifacts(name)
    try makeFolder(folder)
    let log = "\(folder)/repro.log"
    let run = try await run(
      ["-timeout=20", "-rss_limit_mb=2048", "-artifact_prefix=\(folder)/", absolutePath(input)],
      isThorough: true,
      log: log, limit: 120)
    try Task.checkCancellation()
    return run
  }
}

extension FuzzFailure {
  /// A failure of which there is nothing but the exit code.
  init(exitCode: Int32) {
    kind = .crash
    title = exitCode == LoggedProcess.killed ? "it did not end and was killed" : "it exited with \(exitCode)"
    signature = "exit \(exitCode)"
  }

  /// The facts of an oracle's finding, each on a line.
  var facts: [String] {
    let stream = stream.map { Reproduction(chunks: [$0], expected: [], got: []).escaped }
    return [("input", form), ("stream", stream), ("split", split), ("expected", expected), ("got", got)]
      .compactMap { label, fact in fact.map { "\(label): \(printable($0))" } }
  }

  /// What to show of it in a list, each line a short one.
  var lines: [String] { ([printable(headline)] + facts).map(brief) }

  /// What to show of it, function names as in the source.
  func text(with toolchain: Toolchain) async -> [String] {
    var lines = ["\(kind.rawValue): \(printable(headline))"] + facts
    if !functions.isEmpty, let demangler = toolchain.optionalTool("swift-demangle"),
      let names = try? await Toolchain.output(
        of: demangler, ["--compact", "--simplified"] + functions.prefix(5))
    {
      lines += names.split(separator: "\n").map { "  in \(printable(String($0)))" }
    }
    return lines
  }
}

/// A path that holds wherever a program works.
func absolutePath(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

/// Throws if there is no such file.
func requireFile(_ path: String) throws(CommandError) {
  guard exists(path) else {
    throw CommandError(.noInput, "\(path): there is no such file", next: "Check the name and the folder.")
  }
  guard !isFolder(path) else {
    throw CommandError(.noInput, "\(path): this is a folder", next: "Give one of the files in it.")
  }
}

/// Does work until it ends or a signal comes.
///
/// - Returns: what the work returned; `nil` if it was interrupted.
func uninterrupted<Value: Sendable>(
  in context: CommandContext, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value? {
  let (values, continuation) = AsyncStream.makeStream(of: Value.self)
  let reason = try await runUntilStopped(in: context, maxDuration: nil) { _ in
    continuation.yield(try await work())
  }
  continuation.finish()
  guard reason != .signal else { return nil }
  return await values.first { _ in true }
}
