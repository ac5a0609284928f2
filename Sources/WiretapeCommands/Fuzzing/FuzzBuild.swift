// The recipe by which fuzz targets are built, and the gates that a build must pass: one may succeed and yet have no
// coverage or no AddressSanitizer, and then it would find nothing all night.

import ChildProcesses
import Foundation

/// A build of a fuzz target.
struct FuzzBuild: Sendable {
  /// What it is for.
  enum Purpose: Sendable {
    /// Optimized, with coverage counters and AddressSanitizer.
    case fuzzing
    /// Not optimized, with profile counters that llvm-cov maps to source lines.
    case coverage

    /// Two folders beside each other, so that neither build undoes the other.
    var scratch: String {
      switch self {
      case .fuzzing: ".build-fuzz"
      case .coverage: ".build-coverage"
      }
    }

    fileprivate var configuration: String {
      switch self {
      case .fuzzing: "release"
      case .coverage: "debug"
      }
    }
  }

  /// The path of the program.
  let program: String

  /// What `swift` is called with.
  static func arguments(product: String, for purpose: Purpose, isDarwin: Bool) -> [String] {
    var words = [
      "build", "-c", purpose.configuration, "--product", product, "--scratch-path", purpose.scratch,
      // Without the cached plan, which doesn't see that a file was added to the package above.
      "--disable-build-manifest-caching",
      // For code that only a fuzzer's build can link; the name is libFuzzer's own.
      "-Xswiftc", "-DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION", "--sanitize", "fuzzer", "-Xswiftc",
    ]
    // One -sanitize flag with both names: of two flags only one would count. -Ounchecked is never used: it removes the
    // very checks that are looked for.
    switch purpose {
    case .fuzzing: words.append("-sanitize=fuzzer,address")
    case .coverage:
      words += ["-sanitize=fuzzer", "-Xswiftc", "-profile-generate", "-Xswiftc", "-profile-coverage-mapping"]
    }
    // lld, because the gold linker warns; static, so that Swift's runtime can't take the signals first.
    return words + (isDarwin ? [] : ["-Xswiftc", "-use-ld=lld", "--static-swift-stdlib"])
  }

  /// Builds a target and checks what came out.
  init(
    _ target: String, of package: FuzzPackage, for purpose: Purpose, with toolchain: Toolchain,
    _ context: CommandContext
  ) async throws {
    #if canImport(Darwin)
      let isDarwin = true
    #else
      let isDarwin = false
    #endif
    try UnnamedParser.require(namedIn: package)
    let log = package.artifacts(target) + "/build.log"
    try makeFolder(package.artifacts(target))
    let isFirst = !exists(package.folder + "/" + purpose.scratch)
    try context.diagnostics.line(
      "building \(target) …"
        + (isFirst ? " The first time this takes minutes; its log is \(shownPath(log))." : ""))
    let build = LoggedProcess(
      program: toolchain.swift,
      arguments: Self.arguments(product: target, for: purpose, isDarwin: isDarwin), folder: package.folder,
      log: log)
    let code = try await LiveLine.whileWaiting(
      context, { Self.progress(of: target, elapsed: $0, log: log) }, { try await build.run() })
    try Task.checkCancellation()
    guard code == 0 else {
      let text = String(decoding: FileManager.default.contents(atPath: log) ?? Data(), as: UTF8.self)
      if let missing = MissingLibraries(in: text) {
        let names = missing.names.map { "-l" + $0 }.joined(separator: " ")
        throw CommandError(
          .badData, "the build of \(target) failed: the linker didn’t find \(names)",
          next: "\(missing.advice) All of the log is in \(shownPath(log)).")
      }
      throw CommandError(
        .badData, "the build of \(target) failed; it ended with:\n\(tail(of: log, lines: 25))",
        next: "All of it is in \(shownPath(log)).")
    }
    program = "\(package.folder)/\(purpose.scratch)/\(purpose.configuration)/\(target)"
    try Self.checkGates(program, for: purpose, scratch: package.folder + "/" + purpose.scratch)
  }

  /// What a terminal shows meanwhile: the time, and what the build said last.
  static func progress(of target: String, elapsed: Duration, log: String) -> String {
    let last = printable(tail(of: log, lines: 1).trimmingCharacters(in: .whitespacesAndNewlines))
    return (["building \(target)", LiveLine.seconds(elapsed)] + (last.isEmpty ? [] : [last])).joined(
      separator: " · ")
  }

  /// Throws if the program is no fuzzer build.
  static func checkGates(_ program: String, for purpose: Purpose, scratch: String) throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: program), options: .alwaysMapped)
    let symbols =
      ["LLVMFuzzerTestOneInput", "__sancov_cntrs"]
      + (purpose == .fuzzing ? ["__asan_report"] : ["__llvm_profile"])
    for symbol in symbols where bytes.range(of: Data(symbol.utf8)) == nil {
      throw CommandError(
        .unavailable, "\(shownPath(program)) is no fuzzer build: \(symbol) is not in it",
        next: "Remove \(shownPath(scratch)) and try again; if that doesn’t help, take another toolchain.")
    }
  }

  /// What the program runs with.
  ///
  /// - Parameter isThorough: every oracle, whole allocation stacks, late reuse of memory: for looking at one input.
  static func environment(
    of package: FuzzPackage, with toolchain: Toolchain, isThorough: Bool
  ) -> [String: String] {
    // Swift's own backtracer takes the signals and outlives the program. A trap of an optimized build has no message;
    // only the stack of a report tells it from others.
    var values = ["SWIFT_BACKTRACE": "enable=no"]
    var options = "handle_sigill=1"
    // Short stacks and a small quarantine: they cost a third of the time.
    if !isThorough {
      options += ":malloc_context_size=2:quarantine_size_mb=8"
      values["FUZZ_SOME_ORACLES"] = "1"
    }
    values["ASAN_OPTIONS"] = options
    if exists(package.folder + "/leaks") {
      values["LSAN_OPTIONS"] = "suppressions=leaks:print_suppressions=0"
    }
    if let symbolizer = toolchain.optionalTool("llvm-symbolizer") {
      values["ASAN_SYMBOLIZER_PATH"] = symbolizer
    }
    return values
  }
}

/// Makes a folder and those above it.
func makeFolder(_ path: String) throws(CommandError) {
  do {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  } catch {
    throw CommandError(
      .cannotCreate, "\(path): no folder can be made here", next: "Remove what is there, or check the disk.")
  }
}
