// The Swift toolchain that builds the fuzz targets, and the LLVM tools that came with it: those of the system are
// mostly too old for its profiles. Foundation is imported for Process and JSON.

import ChildProcesses
import Foundation

/// A Swift toolchain.
struct Toolchain: Sendable {
  /// The path of `swift`.
  let swift: String
  /// The folder that the toolchain's other tools are in.
  let tools: String

  /// Finds the toolchain as a shell would.
  ///
  /// - Parameter path: the folders to search, as PATH has them.
  static func find(path: String? = ProcessInfo.processInfo.environment["PATH"]) async throws -> Toolchain {
    let folders = (path ?? "").split(separator: ":").map(String.init)
    guard let swift = folders.map({ $0 + "/swift" }).first(where: isProgram) else {
      throw CommandError(
        .unavailable, "there is no “swift” in PATH, and fuzz targets are built with it",
        next: "Install a Swift toolchain (6.2 or newer) and put its usr/bin into PATH.")
    }
    // Asked, not guessed from the path: that may be the shim of a version manager.
    let answer = try await Self.output(of: swift, ["-print-target-info"])
    struct TargetInfo: Decodable {
      struct Paths: Decodable { var runtimeResourcePath: String }
      var paths: Paths
    }
    guard let info = try? JSONDecoder().decode(TargetInfo.self, from: Data(answer.utf8)) else {
      throw CommandError(
        .unavailable, "\(swift) does not say where its toolchain is (swift -print-target-info)",
        next: "Check that “swift --version” works.")
    }
    let usr = URL(fileURLWithPath: info.paths.runtimeResourcePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    return Toolchain(swift: swift, tools: usr.appendingPathComponent("bin").path)
  }

  /// The path of one of its tools, such as `llvm-cov`.
  func tool(_ name: String) throws(CommandError) -> String {
    let path = "\(tools)/\(name)"
    guard Self.isProgram(path) else {
      throw CommandError(
        .unavailable, "the toolchain has no \(name): \(path)",
        next: "Install a whole toolchain from swift.org.")
    }
    return path
  }

  /// The same, where it isn't needed badly.
  func optionalTool(_ name: String) -> String? { try? tool(name) }

  private static func isProgram(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

  /// What a program prints.
  ///
  /// - Throws: an error with the end of it if the program fails.
  static func output(of program: String, _ arguments: [String], in folder: String? = nil) async throws
    -> String
  {
    let temporary = FileManager.default.temporaryDirectory.appendingPathComponent(
      "wiretape-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: temporary) }
    let here = folder ?? FileManager.default.currentDirectoryPath
    // Diagnostics apart, for they may stand between.
    let script = #"out=$1; shift; "$@" >"$out""#
    let log = temporary.path + ".log"
    defer { try? FileManager.default.removeItem(atPath: log) }
    let code = try await LoggedProcess(
      program: "/bin/sh", arguments: ["-c", script, "sh", temporary.path, program] + arguments, folder: here,
      log: log
    ).run()
    try Task.checkCancellation()
    guard code == 0 else {
      throw CommandError(
        .badData, "“\(([program] + arguments).joined(separator: " "))” failed:\n\(tail(of: log, lines: 12))",
        next: "")
    }
    return String(decoding: FileManager.default.contents(atPath: temporary.path) ?? Data(), as: UTF8.self)
  }
}

/// The last lines of a text file, without its last line end; nothing for a file that isn't there.
func tail(of path: String, lines: Int) -> String {
  let text = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  return text.split(separator: "\n", omittingEmptySubsequences: true).suffix(lines).joined(separator: "\n")
}
